/** This version and the one before, in further pairs (docs/compatibility.md): a downgrade, and a page that is open. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { conversationFact } from "../../../src/core/conversations/conversation-fold.ts";
import { keyOfFact } from "../../../src/core/facts/seen-facts.ts";
import { HostClient } from "../../../src/host/host-client.ts";
import type { ConversationItems } from "../../../src/ui/chat/conversation.ts";
import { TemporaryDaemon } from "../../support/temporary-daemon.ts";
import { until } from "../../support/until.ts";
import { runVersionBefore, unpackVersionBefore, whyNoVersionBefore } from "../../support/version-before.ts";
import { CliHome } from "../cli-home.ts";

const options = { skip: whyNoVersionBefore ?? false };
const before = whyNoVersionBefore === undefined ? unpackVersionBefore() : "";
/** Standard output of a command of the version before, which must end well. */
const older = async (home: CliHome, ...words: readonly string[]): Promise<string> =>
  await runVersionBefore(before, words, { cwd: home.directory, env: home.environment });

async function appendConversation(
  { paths: { runtimeDirectory } }: Pick<CliHome, "paths">,
  session: string,
): Promise<void> {
  const name = readdirSync(runtimeDirectory).find((file) => /^host-[0-9a-f]+\.sock$/.test(file)) ?? "";
  const times = { hostHelloMs: 30_000, hostAnswerMs: 30_000 };
  const ignored = { onTail: () => {}, onNotice: () => {}, onClose: () => {} };
  const client = await HostClient.connect(join(runtimeDirectory, name), times, ignored);
  const running = (await client.call("list", {})).sessions.find((one) => one.session === session);
  const fact = conversationFact({ agent: "claude", id: "one", by: "process", file: null }, 0);
  await client.call("mark", { handle: running?.handle ?? 0, event: { type: "fact", ...fact }, key: keyOfFact(fact) });
  client.close();
}

test(
  "after a downgrade sessions continue, unknown marks are shown as they are, and nothing is lost",
  options,
  async () => {
    await using home = new CliHome();
    await home.ok("run", "-d", "--name", "a", "--", "cat");
    const { id: session } = await home.client.call("sessions.get", { session: "a" });
    await appendConversation(home, session);
    const known = async () => (await home.client.call("sessions.get", { session: "a" })).conversation?.id;
    await until(async () => (await known()) === "one", "the conversation is known");
    await home.ok("down");

    await older(home, "send", "a", "to the older daemon");
    await older(home, "wait", "a", "--for", "output:older daemon");
    assert.match(await older(home, "logs", "a", "--json"), /"type":"fact","source":"agent-files"/);
    assert.match(await older(home, "status", "a"), /./);
    await older(home, "down");

    await home.ok("ls");
    const { state, conversation } = await home.client.call("sessions.get", { session: "a" });
    assert.deepEqual([state, conversation?.id], ["running", "one"]);
    assert.match(await home.ok("logs", "a"), /to the older daemon/);
  },
);

test("an open page of the version before ignores kinds of changes that it does not know", options, async () => {
  await using daemon = await TemporaryDaemon.start();
  const { id: session } = await daemon.run(["cat"]);
  await appendConversation(daemon, session);
  const changesOf = async () => (await daemon.call("sessions.changes", { session })).changes;
  await until(async () => (await changesOf()).some(({ kind }) => kind === "conversation"), "the change");
  const page = (await import(join(dirname(before), "../ui/chat/conversation.ts"))) as {
    readonly ConversationItems: new () => ConversationItems;
  };
  const items = new page.ConversationItems();
  items.feed(await changesOf());
  assert.deepEqual(items.items, []);
});
