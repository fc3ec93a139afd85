/** Texts of policies that take long to read: a request with one holds up nobody else. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { policyTextSchema } from "../../src/protocol/names.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { someOf } from "../support/variants.ts";

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
  "closing brackets": "]".repeat(TEXT_CHARS),
};

/** Processor time of a process so far in ns: of its main thread, where the event loop is, and of all others. */
const processorNs = (pid: number): { readonly main: number; readonly others: number } => {
  const ns = (thread: string) => Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8"), 10);
  const main = ns(String(pid));
  const all = readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + ns(thread), 0);
  return { main, others: all - main };
};

for (const [name, policy] of someOf(forms, "a flow map", "anchors")) {
  test(`${name}: other requests are answered while the text is read`, async () => {
    const daemon = await shared.empty();
    const { pid } = await daemon.call("daemon.info", {});
    // Whatever is loaded with the first text.
    await daemon.call("policy.check", { policy: "version: 1" });
    const before = processorNs(pid);
    // On a busy machine the deadline refuses it.
    const outcome = await daemon.call("policy.check", { policy }).then(
      ({ ok }) => String(ok),
      ({ code }: { readonly code: string }) => code,
    );
    const after = processorNs(pid);
    assert.match(outcome, /^(?:false|LIMIT_EXCEEDED)$/);
    const main = after.main - before.main;
    const others = after.others - before.others;
    assert.ok(main < others, `${main} ns in the event loop, ${others} ns beside it`);
  });
}

test("a longer text is refused unread", () => {
  assert.equal(policyTextSchema.safeParse("#".repeat(TEXT_CHARS)).success, true);
  assert.equal(policyTextSchema.safeParse("#".repeat(TEXT_CHARS + 1)).success, false);
});
