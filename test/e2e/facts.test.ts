/** Facts from other sources than the pty: appended once, folded once, and never needed from their source again. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { conversationFact } from "../../src/core/conversations/conversation-fold.ts";
import { keyOfFact } from "../../src/core/facts/seen-facts.ts";
import type { SourceFact } from "../../src/core/records.ts";
import { HostClient } from "../../src/host/host-client.ts";
import { MARK_BYTES_MAX, MARK_KEY_CHARS_MAX, type Written } from "../../src/host/messages.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";

const learned = (id: string) => ({ agent: "claude", id, by: "process", file: null }) as const;
const first: SourceFact = { type: "fact", ...conversationFact(learned("one"), 0) };

test("a fact is appended once, also over daemons, and the views keep what it reports", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id: session } = await daemon.run(["cat"]);
  const append = await appender(daemon, session);
  const known = async () => (await daemon.call("sessions.get", { session })).conversation?.id;

  const { already, ...place } = await append(first);
  assert.equal(already, undefined);
  await until(async () => (await known()) === "one", "the conversation is folded");
  await daemon.restart();
  const second = await appender(daemon, session);
  assert.deepEqual(await second(first), { ...place, already: true });
  await assert.rejects(second({ ...first, payload: learned("two") }), { code: "CONFLICT" });
  // A host that ignores keys appends it again, and the fold ignores it.
  await second(first, "another key");
  await second({ type: "fact", ...conversationFact(learned("two"), 1) });
  await until(async () => (await known()) === "two", "the next conversation is folded");

  await daemon.call("sessions.kill", { session });
  await daemon.exitOf(session);
  await daemon.call("sessions.reindex", { session });
  const { changes } = await daemon.call("sessions.changes", { session, kinds: ["conversation"] });
  const last = changes.at(-1);
  assert.ok(last?.kind === "conversation");
  assert.deepEqual(last.conversation, { ...learned("two"), number: 2 });
  assert.equal(await known(), "two");
});

test("a fact that is too large, or whose id is too long, is refused, and nothing is appended", async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id: session } = await daemon.run(["cat"]);
  const append = await appender(daemon, session);
  await assert.rejects(append({ ...first, payload: "x".repeat(MARK_BYTES_MAX) }), { code: "TOO_LARGE" });
  await assert.rejects(append({ ...first, id: "x".repeat(MARK_KEY_CHARS_MAX) }), {
    code: "INVALID_INPUT",
    message: /use a hash of it/,
  });
  const marks = (await daemon.recordsOf(session)).filter(({ type }) => type === "mark");
  assert.ok(!JSON.stringify(marks).includes(first.source));
});

/** Appends to the session in its host, as a daemon does. */
async function appender(
  { paths }: TemporaryDaemon,
  session: string,
): Promise<(fact: SourceFact, key?: string) => Promise<Written>> {
  const name = readdirSync(paths.runtimeDirectory).find((file) => /^host-[0-9a-f]+\.sock$/.test(file)) ?? "";
  const times = { hostHelloMs: 30_000, hostAnswerMs: 30_000 };
  const ignored = { onTail: () => {}, onNotice: () => {}, onClose: () => {} };
  const client = await HostClient.connect(join(paths.runtimeDirectory, name), times, ignored);
  const { sessions } = await client.call("list", {});
  const { handle = 0 } = sessions.find((one) => one.session === session) ?? {};
  return (event, key = keyOfFact(event)) => client.call("mark", { handle, event, key });
}
