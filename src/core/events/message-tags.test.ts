import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageTags, type ShownMessage } from "./session-events.ts";

const tag = (name: string): string => `<FORGE_EVENT name="${name}">{}</FORGE_EVENT>`;
const message = (text: string, fields: Partial<ShownMessage> = {}): ShownMessage => {
  return { id: "m1", role: "assistant", source: "wire", text, isPartial: false, ...fields };
};

test("the tags of a message are reported once, when it is complete", () => {
  const tags = new MessageTags();
  const names = (shown: ShownMessage): string[] => tags.see(shown, 7, {}).map(({ name }) => name);
  assert.deepEqual(names(message(tag("A"), { isPartial: true })), []);
  assert.deepEqual(names(message(tag("A"))), ["A"]);
  assert.deepEqual(names(message(`${tag("A")}\nwrapped\n${tag("B")}`)), ["B"]);
  assert.deepEqual(names(message("gone")), []);
  assert.deepEqual(names(message(tag("A"))), []);
  assert.deepEqual(names(message(tag("A"), { id: "m2" })), ["A"]);
});

test("the trust of a session is not that of the echo of a prompt", () => {
  const trustOf = (role: string): unknown =>
    new MessageTags().see(message(tag("A"), { role }), 0, { trust: "text" })[0]?.trust;
  assert.deepEqual([trustOf("assistant"), trustOf("tool-result"), trustOf("user")], ["text", "text", "unverified"]);
});

test("a tag that was read from the screen is unverified, although the session is trusted or the tag has the nonce", () => {
  for (const text of [tag("A"), tag("A").replace(">", ' nonce="n1">')]) {
    const [event] = new MessageTags().see(message(text, { source: "screen" }), 0, { trust: "text", nonce: "n1" });
    assert.deepEqual([event?.trust, event?.doubt, event?.attributes], ["unverified", "rendered", {}]);
  }
});

test("a tag that does not end is reported", () => {
  const [event] = new MessageTags().see(message('<FORGE_EVENT name="A">{'), 0, {});
  assert.ok(event !== undefined && !event.valid && event.error.code === "abandoned");
  assert.match(event.error.message, /"A": the text ends before "<\/FORGE_EVENT>" was written/);
});

test("a tag that was abandoned and is whole later is reported", () => {
  const tags = new MessageTags();
  const seen = (text: string): unknown[] => tags.see(message(text), 0, {}).map(({ name, valid }) => [name, valid]);
  assert.deepEqual(seen(`${tag("A")}\n<FORGE_EVENT name="B">{`), [
    ["A", true],
    ["B", false],
  ]);
  assert.deepEqual(seen(`${tag("A")}\n${tag("B")}`), [["B", true]]);
  const later = new MessageTags(tags.save());
  assert.deepEqual(later.see(message(`${tag("A")}\n${tag("B")}`), 0, {}), []);
});
