/** `lectern acp --proxy`: an editor, an agent of the protocol's own SDK, and what ends in between. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { AcpEditor } from "../support/acp-editor.ts";
import { launcher } from "../support/launcher.ts";
import { until } from "../support/until.ts";
import { SharedHome, type CliHome } from "./cli-home.ts";

const agentFile = resolve(import.meta.dirname, "../support/acp-agent.ts");
const shared = new SharedHome();

/** The agent, with copies of what it reads and writes in the files `in` and `out`. */
const copying = (home: CliHome): readonly [string, ...string[]] => {
  const [input, output] = [join(home.directory, "in"), join(home.directory, "out")];
  return ["sh", "-c", 'tee -a "$1" | "$3" "$4" | tee -a "$2"', "agent", input, output, process.execPath, agentFile];
};

function editorOf(
  home: CliHome,
  words: readonly string[],
  agent: readonly string[] = [process.execPath, agentFile],
): AcpEditor {
  const environment = { ...home.environment, ACP_AGENT_FILE: join(home.directory, "conversations") };
  const command = [process.execPath, launcher, "acp", "--proxy", ...words, "--", ...agent] as const;
  return new AcpEditor(command, { environment, directory: home.directory });
}

const isAbout = (params: unknown, id: unknown): boolean =>
  (params as { readonly requestId?: unknown } | undefined)?.requestId === id;

const count = (text: string, part: string): number => text.split(part).length - 1;

test("the bytes of both directions are those without Lectern: long lines, noise and a question", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, [], copying(home));
  const session = await editor.begin();
  editor.write("this is not a message\n\n");
  assert.deepEqual((await editor.prompt(session, `say ${"é".repeat(700_000)}`)).result, { stopReason: "end_turn" });
  await editor.prompt(session, "long 3000000");
  await editor.prompt(session, "noise");
  const asked = editor.prompt(session, "ask");
  const { id = null } = await editor.question();
  const outcome = { outcome: "selected", optionId: "never" };
  editor.send({ id, result: { outcome, _meta: { note: "x".repeat(300_000) } } });
  await asked;
  assert.match(editor.text, /chosen: never/);
  assert.match(editor.errors, /agent on standard error/);
  assert.equal(await editor.close(), 0);
  assert.ok(Buffer.concat(editor.sent).equals(readFileSync(join(home.directory, "in"))), "to the agent");
  assert.ok(Buffer.concat(editor.received).equals(readFileSync(join(home.directory, "out"))), "to the editor");
});

test("an agent without a name ends with its editor, one with a name stays, and is shown as any session", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, []);
  await editor.begin();
  assert.equal(await editor.close(), 0);
  const { sessions } = await home.client.call("sessions.list", {});
  assert.deepEqual(
    sessions.map(({ state }) => state),
    ["exited"],
  );
  const named = editorOf(home, ["--name", "shop"]);
  await named.prompt(await named.begin(), "say hello there");
  assert.equal(await named.close(), 0);
  assert.match(await home.ok("ls"), /shop +running/);
  assert.match(await home.ok("logs", "shop"), /> say hello there\r?\nhello there/);
  assert.match(await home.fails("send", "shop", "x"), /^4 .*reads a protocol, not keys/);
});

test("an editor that is killed while the agent asks: the next one has the conversation and the question", async () => {
  const home = await shared.empty();
  const agent = copying(home);
  const first = editorOf(home, ["--name", "shop"], agent);
  const session = await first.begin();
  await first.prompt(session, "say remembered");
  void first.prompt(session, "ask").catch(() => undefined);
  await first.question();
  await first.kill();
  const second = editorOf(home, ["--name", "shop"], agent);
  const { result } = await second.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  assert.deepEqual(result?.["agentInfo"], { name: "test-agent", version: "1.0.0" });
  await second.request("session/load", { sessionId: session, cwd: "/tmp", mcpServers: [] });
  assert.equal(second.text, "say remembered|remembered|ask");
  second.answer(await second.question(), "once");
  await until(() => second.text.endsWith("|chosen: once"));
  assert.deepEqual((await second.prompt(session, "say more")).result, { stopReason: "end_turn" });
  const input = readFileSync(join(home.directory, "in"), "utf8");
  assert.equal(count(input, '"initialize"'), 1);
  assert.equal(count(input, '"optionId":"once"'), 1);
  await second.close();
});

test("an editor that is killed in a message: the next one's first message is not glued to the half of it", async () => {
  const home = await shared.empty();
  const first = editorOf(home, ["--name", "shop"]);
  const session = await first.begin();
  const { pid } = await home.client.call("sessions.get", { session: "shop" });
  assert.ok(pid);
  process.kill(pid, "SIGSTOP");
  // More than a host takes for an agent that does not read.
  void first.prompt(session, "x".repeat(6 * 1024 * 1024)).catch(() => undefined);
  await until(async () => (await home.client.call("sessions.get", { session: "shop" })).end > 4_000_000);
  await first.kill();
  process.kill(pid, "SIGCONT");
  const second = editorOf(home, ["--name", "shop"]);
  await second.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  assert.deepEqual((await second.prompt(session, "say whole")).result, { stopReason: "end_turn" });
  assert.equal(second.text, "whole");
  await second.close();
});

test("an agent that ends in a line: what the editor gets next is on a line of its own", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  const failed = await editor.prompt(await editor.begin(), "half");
  assert.match(String(failed.error?.message), /^The agent has ended \(code 3\)/);
  assert.match(Buffer.concat(editor.received).toString(), /^\{"method":"session\/up$/m);
  await editor.close();
});

test("a daemon that is killed while the agent works is not missed", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  const session = await editor.begin();
  const turn = editor.prompt(session, "ask");
  const question = await editor.question();
  await home.crashDaemon();
  editor.answer(question, "once");
  assert.deepEqual((await turn).result, { stopReason: "end_turn" });
  assert.equal((await editor.prompt(session, "say on")).result?.["stopReason"], "end_turn");
  assert.match(await home.ok("logs", "shop"), /\[answer: once\]\r?\nchosen: once/);
  await editor.close();
});

test("an agent that ends: the open prompt fails with the reason, and the next one has the conversation again", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  const session = await editor.begin();
  await editor.prompt(session, "say before");
  const failed = await editor.prompt(session, "die");
  assert.match(String(failed.error?.message), /^The agent has ended \(code 3\); the next prompt starts it again$/);
  assert.deepEqual((await editor.prompt(session, "say after")).result, { stopReason: "end_turn" });
  // The fresh agent has shown the conversation again, to Lectern only.
  assert.equal(editor.text, "before|after");
  assert.ok(existsSync(join(home.directory, "conversations")));
  await editor.close();
});

test("a secret of the editor reaches the agent, also a fresh one, and is in no journal", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  const _meta = { token: "key-of-the-editor" };
  await editor.request("initialize", { protocolVersion: 1, clientCapabilities: {}, _meta });
  const env = [{ name: "REGION", value: "key-of-a-server" }];
  const mcpServers = [{ name: "files", command: "x", args: [], env }];
  const { result } = await editor.request("session/new", { cwd: "/tmp", mcpServers });
  const session = String(result?.["sessionId"]);
  await editor.prompt(session, "say before");
  await editor.prompt(session, "die");
  assert.deepEqual((await editor.prompt(session, "say after")).result, { stopReason: "end_turn" });
  await editor.close();
  const given = readFileSync(join(home.directory, "conversations-given"), "utf8");
  for (const secret of ["key-of-the-editor", "key-of-a-server"]) {
    assert.equal(count(given, secret), 2, "in both agents");
    assert.equal((await home.shell(`grep -rlF ${secret} "$LECTERN_HOME"`)).stdout, "");
  }
});

test("status, messages and the question are those of the protocol, and the first answer counts", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  const session = await editor.begin();
  const status = async (): Promise<string | undefined> =>
    (await home.client.call("sessions.status", { session: "shop" })).status?.state;
  await until(async () => (await status()) === "waiting");
  const turn = editor.prompt(session, "ask");
  const { id } = await editor.question();
  await until(async () => (await status()) === "blocked");
  assert.match(await home.ok("approvals"), /touch made/);
  await home.ok("approve", "shop", "once");
  // The editor is told, and its own answer comes too late.
  await editor.message(({ method, params }) => method === "$/cancel_request" && isAbout(params, id), "the withdrawal");
  editor.answer({ id: id ?? null }, "never");
  assert.deepEqual((await turn).result, { stopReason: "end_turn" });
  await until(async () => (await status()) === "waiting");
  assert.match(editor.text, /chosen: once$/);
  const { messages } = await home.client.call("sessions.messages", { session: "shop" });
  assert.deepEqual(
    messages.map(({ role, source, text }) => `${role} ${source} ${text.split("\n")[0]}`),
    [
      "user protocol ask",
      "tool-call protocol touch made",
      "approval protocol touch made",
      "assistant protocol chosen: once",
    ],
  );
  const again = editor.prompt(session, "ask");
  await until(() => editor.messages.filter(({ method }) => method === "session/request_permission").length === 2);
  editor.answer(editor.messages.findLast(({ method }) => method === "session/request_permission") ?? {}, "never");
  await again;
  await until(async () => /^$/.test(await home.ok("approvals")));
  assert.match(editor.text, /chosen: never$/);
  await editor.close();
});

test("what cannot be continued is refused with the next step", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  await editor.begin();
  const other = editorOf(home, ["--name", "shop"]);
  assert.notEqual(await other.close(), 0);
  assert.match(other.errors, /another editor is connected; end it, or use another --name/);
  assert.match(await home.fails("acp", "--proxy", "--name", "shop", "--", "cat"), /runs another command/);
  assert.match(await home.fails("acp", "--proxy"), /^2 .*give the agent, as in/);
  assert.match(await home.fails("acp", "--proxy", "--", "no-such-agent"), /no-such-agent/);
  await editor.close();
});

test("a turn that is cancelled asks nothing any more, though its editor has not answered", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  const session = await editor.begin();
  const turn = editor.prompt(session, "ask");
  await editor.question();
  await until(async () => (await home.ok("approvals")).includes("touch made"));
  editor.send({ method: "session/cancel", params: { sessionId: session } });
  assert.deepEqual((await turn).result, { stopReason: "cancelled" });
  await until(async () => !(await home.ok("approvals")).includes("touch made"));
  assert.match(await home.ok("status", "shop"), /^waiting/);
  assert.match(await home.fails("approve", "shop", "once"), /lectern: Cannot/);
  await editor.close();
});

test("a prompt with an image of 2 MiB is shown, and the session works until it is answered", async () => {
  const home = await shared.empty();
  const editor = editorOf(home, ["--name", "shop"]);
  const session = await editor.begin();
  const image = { type: "image", mimeType: "image/png", data: "A".repeat(2 * 1024 * 1024) };
  const parts = [{ type: "text", text: "wait for it" }, image];
  const turn = editor.request("session/prompt", { sessionId: session, prompt: parts });
  await until(async () => (await home.ok("status", "shop")).startsWith("working"));
  editor.send({ method: "session/cancel", params: { sessionId: session } });
  assert.deepEqual((await turn).result, { stopReason: "cancelled" });
  await until(async () => (await home.ok("status", "shop")).startsWith("waiting"));
  assert.match(await home.ok("chat", "shop"), /wait for it\[image\]/);
  assert.match(await home.ok("logs", "shop"), /> wait for it\[image\]\r?\nwaiting/);
  await editor.close();
});
