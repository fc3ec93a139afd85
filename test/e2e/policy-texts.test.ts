/** Texts of policies that take long to read: a request with one holds up nobody else. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { policyTextSchema } from "../../src/protocol/names.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";

const shared = new SharedDaemon();

const TEXT_CHARS = 65_536;

const repeated = (begin: string, part: (index: number) => string): string => {
  let text = begin;
  for (let index = 0; text.length + part(index).length < TEXT_CHARS; index += 1) text += part(index);
  return text;
};

/** Each took seconds to minutes at 250 kB when the parser ran in the event loop and compared all keys. */
const forms: Readonly<Record<string, string>> = {
  keys: repeated("", (index) => `k${index}: 1\n`),
  "a flow map": repeated("a: {", (index) => `k${index}: 1, `),
  anchors: repeated("", (index) => `k${index}: &x${index} [*x${Math.max(index - 1, 0)}]\n`),
  "a folded text": repeated('a: "', () => "x\n  "),
  "lists without a list": repeated("", () => "[1],"),
  "closing brackets": "]".repeat(TEXT_CHARS),
};

for (const [name, policy] of Object.entries(forms)) {
  test(`${name}: other requests are answered while the text is read`, async () => {
    const daemon = await shared.empty();
    // Whatever is loaded with the first text.
    await daemon.call("policy.check", { policy: "version: 1" });
    const progress = { isRead: false };
    const checking = daemon.call("policy.check", { policy }).finally(() => (progress.isRead = true));
    // On a busy machine the deadline refuses it.
    const outcome = checking.then(
      ({ ok }) => String(ok),
      ({ code }: { readonly code: string }) => code,
    );
    let answers = 0;
    while (!progress.isRead) {
      await daemon.call("sessions.list", {});
      answers += 1;
      await nextTurn();
    }
    assert.match(await outcome, /^(?:false|LIMIT_EXCEEDED)$/);
    // A text that is read in the event loop leaves one turn, or two.
    assert.ok(answers > 10, `${answers} other requests were answered`);
  });
}

test("a longer text is refused unread", () => {
  assert.equal(policyTextSchema.safeParse("#".repeat(TEXT_CHARS)).success, true);
  assert.equal(policyTextSchema.safeParse("#".repeat(TEXT_CHARS + 1)).success, false);
});
