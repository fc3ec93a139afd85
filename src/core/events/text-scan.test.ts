import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeEvent, encodeEventForm } from "./encoded-event.ts";
import type { EventTrust } from "../records.ts";
import { readEvent, type EventSource, type TaggedEvent } from "./tagged-event.ts";
import { readableOutput, scanText, withoutSignals } from "./text-scan.ts";

const tag = '<FORGE_EVENT name="DONE">{"a":"ü\\n\u009b"}</FORGE_EVENT>';

test("scanText finds tags with their places, and bodies exactly", () => {
  const text = `日本 ${tag} and ${tag}\n`;
  const { tags, text: rest } = scanText(text);
  assert.deepEqual(
    tags.map(({ from, to }) => text.slice(from, to)),
    [tag, tag],
  );
  assert.equal(tags[0]?.body, '{"a":"ü\\n\u009b"}');
  assert.equal(rest, "日本  and \n");
});

test("scanText reports tags that do not end, and leaves their text", () => {
  const text = 'a <FORGE_EVENT name="A">{ <FORGE_EVENT name="B">{}';
  const { tags, abandoned, text: rest } = scanText(text);
  assert.deepEqual(tags, []);
  assert.deepEqual(
    abandoned.map(({ name, reason }) => [name, reason]),
    [
      ["A", "nested"],
      ["B", "end"],
    ],
  );
  assert.equal(rest, text);
});

test("scanText reads only tags of the given name", () => {
  assert.equal(scanText(tag, { tagName: "EVENT" }).tags.length, 0);
  assert.equal(scanText(tag.replaceAll("FORGE_EVENT", "EVENT"), { tagName: "EVENT" }).tags.length, 1);
});

const eventOf = (trust: EventTrust, fields: Partial<EventSource> = {}): TaggedEvent =>
  readEvent({
    name: "DONE",
    text: '{"a":"ü\\n\u009b"}',
    attributes: {},
    id: "1",
    carrier: "text",
    trust,
    offset: 0,
    end: 9,
    ...fields,
  });

test("an output is without the tags of trusted events, and every other byte of it stays as it is", () => {
  const text = `a\n\n\n\n${tag}\r\nb ${tag}\n`;
  const trusted = [eventOf("text")];
  assert.deepEqual(readableOutput(text, { events: trusted }), { text: "a\n\n\n\nb \n", tags: 2 });
  for (const event of [
    eventOf("unverified"),
    eventOf("text", { name: "OTHER" }),
    eventOf("text", { text: "{}" }),
    eventOf("socket", { carrier: "socket" }),
  ])
    assert.deepEqual(readableOutput(text, { events: [event] }), { text, tags: 0 });
  assert.deepEqual(readableOutput("a < b\n", { events: trusted }), { text: "a < b\n", tags: 0 });
});

test("what is not believed to be a signal is content of a message", () => {
  const text = `Use \`${tag}\`.\n\n${tag}\n\n@@FE1:A:e30:00000000@@`;
  const isSignal = ({ from }: { readonly from: number }): boolean => from > 10;
  assert.equal(
    withoutSignals(text, { isSignal, isEncodedSignal: () => false }),
    `Use \`${tag}\`.\n\n@@FE1:A:e30:00000000@@`,
  );
  assert.equal(withoutSignals(text, { isSignal: () => false, isEncodedSignal: () => false }), text);
});

const withoutEvents = (text: string): string =>
  withoutSignals(text, { isSignal: () => true, isEncodedSignal: () => true });

test("withoutSignals leaves no holes in a message", () => {
  const token = encodeEvent("DONE", { ok: true });
  assert.equal(withoutEvents(`Done.\n\n${tag}\n`), "Done.");
  assert.equal(withoutEvents(`Done.\n\n${tag}\n\nMore.`), "Done.\n\nMore.");
  assert.equal(withoutEvents(`Done.\n\n\`${token}\`\n\nMore.`), "Done.\n\nMore.");
  assert.equal(withoutEvents(`Done \`${encodeEventForm("DONE", { a: 1 })}\` now.`), "Done  now.");
  assert.equal(withoutEvents(`Done.\n\n\`\`\`text\n${token}\n\`\`\`\n`), "Done.");
  assert.equal(withoutEvents("Nothing\n\n\n\nhere \n"), "Nothing\n\n\n\nhere \n");
});

test("withoutSignals changes nothing but the places of signals", () => {
  const code = "```py\na = 1\n\n\n\nb = 2  \n```";
  assert.equal(withoutEvents(`${code}\n\n${tag}\n\nMore \n`), `${code}\n\nMore \n`);
  assert.equal(withoutEvents(`${code}\n\n\`${encodeEvent("A", 1)}\`\n\nMore \n`), `${code}\n\nMore \n`);
  assert.equal(withoutEvents(`${tag}\n\n\n${code}`), `\n${code}`);
});
