/** `lectern acp`, driven by the protocol's own client. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AcpClient } from "../support/acp-client.ts";
import { questionIn } from "../support/question-in.ts";
import { writeRecordedAgent } from "../support/recorded-agent.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();
const shell = ["bash", "--norc", "--noprofile"];

test("a prompt in a live shell: its output is text, and what else is typed there is seen", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "w", "--", ...shell);
  await using editor = await AcpClient.start(home, "--session", "w");
  const { sessionId } = await editor.agent.request("session/new", { cwd: home.directory, mcpServers: [] });
  assert.equal(await editor.prompt(sessionId, "echo it-$((40+2)); (exit 3)"), "end_turn");
  assert.equal(editor.said("agent_message_chunk").trim(), "it-42");
  assert.equal(editor.said("user_message_chunk"), "", "the client shows its own prompt");
  await home.ok("exec", "w", "echo from the terminal");
  assert.equal(await editor.prompt(sessionId, "echo last"), "end_turn");
  assert.equal(editor.said("user_message_chunk").trim(), "echo from the terminal");
  assert.match(editor.said("agent_message_chunk"), /^it-42\s*from the terminal\s*last\s*$/);
  const [first] = editor.updates;
  assert.match(JSON.stringify(first?._meta), /^\{"lectern":\{"offset":\d+,"provenance":"screen"/);
});

test("sessions are listed, and loaded with what was said before the answer comes", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "w", "--", ...shell);
  await home.ok("exec", "w", "echo one; echo two");
  await using editor = await AcpClient.start(home);
  const { agent } = editor;
  const { sessions } = await agent.request("session/list", { cwd: home.directory });
  assert.deepEqual(
    sessions.map(({ title, cwd }) => [title, cwd]),
    [["w: bash --norc --noprofile", home.directory]],
  );
  assert.deepEqual((await agent.request("session/list", { cwd: "/nowhere" })).sessions, []);
  const sessionId = sessions[0]?.sessionId ?? "";
  await agent.request("session/load", { sessionId, cwd: home.directory, mcpServers: [] });
  assert.deepEqual(
    editor.updates.map(({ sessionUpdate, ...update }) => [
      sessionUpdate,
      "content" in update && !Array.isArray(update.content) && update.content?.type === "text" && update.content.text,
    ]),
    [
      ["user_message_chunk", "echo one; echo two"],
      ["agent_message_chunk", "one\ntwo"],
    ],
  );
  editor.updates.length = 0;
  await agent.request("session/resume", { sessionId, cwd: home.directory });
  assert.equal(await editor.prompt(sessionId, "echo three"), "end_turn");
  assert.equal(editor.said("agent_message_chunk").trim(), "three");
  await agent.request("session/close", { sessionId });
  await assert.rejects(editor.prompt(sessionId, "echo four"), { code: -32_002 });
  assert.equal((await home.client.call("sessions.get", { session: "w" })).state, "running");
});

const asking = `while read -rp 'Remove all files? [y/N] ' answer; do echo "answer=$answer"; sleep 0.1; done`;

test("a question is asked at the editor, and its answer is typed once", async () => {
  const home = await shared.empty();
  await using editor = await AcpClient.start(home, "--", "bash", "--norc", "-c", asking);
  editor.answer = async ({ options }) => {
    const wanted = editor.questions.length === 1 ? "allow_once" : "reject_once";
    const allowed = options.find(({ kind }) => kind === wanted);
    return { outcome: { outcome: "selected", optionId: allowed?.optionId ?? "" } };
  };
  const { sessionId } = await editor.agent.request("session/new", { cwd: home.directory, mcpServers: [] });
  const question = await editor.question();
  assert.equal(question.toolCall.title, "Remove all files? [y/N]");
  assert.deepEqual(
    question.options.map(({ optionId, kind }) => [optionId, kind]),
    [
      ["y", "allow_once"],
      ["n", "reject_once"],
    ],
  );
  await home.ok("wait", sessionId, "--for", "output:answer=n", "--from", "0");
  assert.match(await home.ok("logs", sessionId), /answer=y[\s\S]*answer=n/);
});

test("the first answer wins: the editor is told that somebody else has answered", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "w", "--", "bash", "--norc", "-c", asking);
  await using editor = await AcpClient.start(home, "--session", "w");
  const withdrawn = Promise.withResolvers<void>();
  editor.answer = async (_, signal) => {
    signal.addEventListener("abort", () => withdrawn.resolve());
    return await new Promise<never>(() => undefined);
  };
  await editor.agent.request("session/new", { cwd: home.directory, mcpServers: [] });
  await editor.question();
  await home.ok("approve", "w", "n");
  await withdrawn.promise;
  await home.ok("wait", "w", "--for", "output:answer=n", "--from", "0");
});

test("a second prompt waits for the first, and both are taken back by one cancel", async () => {
  const home = await shared.empty();
  await using editor = await AcpClient.start(home, "--", ...shell);
  const { sessionId } = await editor.agent.request("session/new", { cwd: home.directory, mcpServers: [] });
  const queued = ["sleep 0.5; echo first", "echo second"].map((text) => editor.prompt(sessionId, text));
  assert.deepEqual(await Promise.all(queued), ["end_turn", "end_turn"]);
  assert.match(editor.said("agent_message_chunk"), /^first\s*second\s*$/);
  const stopped = ["echo begun; sleep 1000", "echo never"].map((text) => editor.prompt(sessionId, text));
  await home.ok("wait", sessionId, "--for", "output:\\nbegun", "--from", "0");
  await editor.agent.notify("session/cancel", { sessionId });
  assert.deepEqual(await Promise.all(stopped), ["cancelled", "cancelled"]);
  assert.equal(await editor.prompt(sessionId, "echo after"), "end_turn");
  assert.doesNotMatch(await home.ok("logs", sessionId), /never/);
});

test("a killed daemon ends no turn, and types nothing twice", async () => {
  const home = await shared.empty();
  await using editor = await AcpClient.start(home, "--", ...shell);
  const { sessionId } = await editor.agent.request("session/new", { cwd: home.directory, mcpServers: [] });
  const turn = editor.prompt(sessionId, "echo begun; until [ -e go ]; do sleep 0.1; done; echo ended-$((1+1))");
  await home.ok("wait", sessionId, "--for", "output:\\nbegun", "--from", "0");
  await home.crashDaemon();
  await home.shell("touch go");
  assert.equal(await turn, "end_turn");
  assert.match(editor.said("agent_message_chunk"), /^begun\s*ended-2\s*$/);
  assert.equal((await home.ok("logs", sessionId)).match(/^begun/gm)?.length, 1);
});

test("a command that reads ends the turn with its question, and the next prompt is its answer", async () => {
  const home = await shared.empty();
  await using editor = await AcpClient.start(home, "--", ...shell);
  const { sessionId } = await editor.agent.request("session/new", { cwd: home.directory, mcpServers: [] });
  assert.equal(await editor.prompt(sessionId, "read -r name; echo hello-$name"), "end_turn");
  assert.match(editor.said("agent_message_chunk"), /the command reads input: /);
  assert.equal(await editor.prompt(sessionId, "anna"), "end_turn");
  assert.match(editor.said("agent_message_chunk"), /hello-anna\s*$/);
});

test("the Claude of a terminal is opened in an editor: what was said, its calls of tools, and its question", async () => {
  const home = await shared.empty();
  // Up to its second question.
  const drawn = { agent: "claude", cast: "claude-main-80x24.cast", fromS: 1.5, untilS: 25.2 };
  writeRecordedAgent(home.directory, { ...drawn, pauseS: 0.05, reads: true });
  await home.ok("run", "-d", "--name", "c", "--", "claude");
  await until(async () => /scratch folder[\s\S]*Do you want/.test(await home.ok("screen", "c")), "the second question");
  const { options } = await questionIn(home.client);
  await using editor = await AcpClient.start(home);
  await editor.agent.request("session/load", { sessionId: "c", cwd: home.directory, mcpServers: [] });
  assert.match(editor.said("user_message_chunk"), /Please explain pseudo-terminals[\s\S]*remove the scratch folder/);
  assert.match(editor.said("agent_message_chunk"), /What a pseudo-terminal does[\s\S]*TOOL-END-3003/);
  const calls = editor.updates.filter((update) => update.sessionUpdate === "tool_call");
  assert.deepEqual(
    calls.map(({ name, kind }) => [name, kind]),
    [
      ["Bash", "execute"],
      ["Bash", "execute"],
    ],
  );
  const ended = editor.updates.filter((update) => update.sessionUpdate === "tool_call_update");
  assert.deepEqual(
    ended.map(({ toolCallId, status }) => [toolCallId, status]),
    [[calls[0]?.toolCallId, "completed"]],
  );
  const question = await editor.question();
  assert.equal(question.toolCall.kind, "execute");
  assert.deepEqual(
    question.options.map(({ optionId, name }) => [optionId, name]),
    options.map(({ id, label }) => [id, label]),
  );
});

test("the settings of the docs start an agent for editors", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "work", "--", ...shell);
  const page = readFileSync(join(import.meta.dirname, "../../docs/acp.md"), "utf8");
  const settings = Array.from(
    page.matchAll(/```json\n([\s\S]*?)```/g),
    ([, text = ""]) => JSON.parse(text) as Settings,
  );
  assert.ok(settings.length > 0);
  for (const { agent_servers: servers } of settings)
    for (const { command, args } of Object.values(servers)) {
      assert.deepEqual([command, args[0]], ["lectern", "acp"]);
      if (args.includes("--proxy")) continue;
      await using editor = await AcpClient.start(home, ...args.slice(1));
      assert.equal((await editor.agent.request("session/list", {})).sessions.length, 1);
    }
});

interface Settings {
  readonly agent_servers: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;
}
