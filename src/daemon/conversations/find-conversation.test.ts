/** Conversations of programs that keep files as real agents do, in temporary homes; the programs are shells on real terminals. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { until } from "../../../test/support/until.ts";
import { builtInAgents } from "../../core/agents/built-in-agents.ts";
import type { ConversationRule } from "../../core/agents/agent.ts";
import type { Pty } from "../../pty/pty.ts";
import { spawnPty } from "../../pty/spawn.ts";
import { readLivingStat } from "../../pty/proc-files.ts";
import { findConversations, keptFiles, type FoundConversation } from "./find-conversation.ts";
import type { SaidPrompt } from "./said-files.ts";

const ID = "01a21eff-9de9-7972-8c31-edc39730ac04";
const OTHER = "01a21ef0-235a-70f1-8817-abc54848a585";
const SEGMENT = "01a21eff-d87a-71b1-83bc-01e24d332054";
const STARTED_MS = Date.parse("2026-11-27T21:00:00Z");

class Home implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), "lectern-home-"));
  readonly #rule: ConversationRule;
  #pty: Pty | undefined;
  #exited = Promise.withResolvers<void>();

  constructor(agent: string) {
    const rule = builtInAgents.named(agent)?.conversation;
    assert.ok(rule);
    this.#rule = rule;
  }

  write(path: string, ...rows: readonly unknown[]): string {
    const file = join(this.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, rows.map((row) => (typeof row === "string" ? row : `${JSON.stringify(row)}\n`)).join(""));
    return file;
  }

  /** The program of the session, which has these files open. While a shell becomes another program, the kernel shows no environment: it stays one. */
  async start(...open: readonly string[]): Promise<number> {
    const redirections = open.map((file, index) => `${index + 3}>>"${join(this.directory, file)}"`).join(" ");
    let output = "";
    this.#pty = spawnPty({
      command: ["sh", "-c", `exec ${redirections}; echo begun; read -r _`],
      workingDirectory: this.directory,
      environment: { HOME: this.directory, PATH: process.env["PATH"] ?? "" },
      columns: 80,
      rows: 24,
      onOutput: (chunk) => (output += new TextDecoder().decode(chunk)),
      onExit: () => this.#exited.resolve(),
    });
    await until(() => output.includes("begun"));
    return this.#pty.pid;
  }

  async find(...prompts: readonly SaidPrompt[]): Promise<FoundConversation[]> {
    return await findConversations(this.#rule, {
      leader: this.#pty?.pid ?? null,
      workingDirectory: this.directory,
      startedMs: STARTED_MS,
      prompts: async () => prompts,
      variables: {},
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#pty !== undefined) {
      this.#pty.signal("SIGKILL");
      await this.#exited.promise;
    }
    rmSync(this.directory, { recursive: true });
  }
}

const codexFile = (name: string): string => `.codex/sessions/2026/11/27/rollout-2026-11-27T21-53-${name}.jsonl`;
const meta = (id: string, cwd: string) => ({ type: "session_meta", payload: { id, cwd, history_mode: "paginated" } });
const said = (text: string, timeMs: number) => ({
  type: "event_msg",
  payload: {
    type: "item_completed",
    completed_at_ms: timeMs,
    item: { type: "UserMessage", id: text, content: [{ type: "text", text }] },
  },
});

test("codex after a rewind: the thread is that of the first id, its file the newest segment", async () => {
  await using home = new Home("codex");
  home.write(codexFile(`10-${ID}`), meta(ID, home.directory));
  const segment = home.write(codexFile(`20-${ID}_${SEGMENT}`), meta(ID, home.directory));
  await home.start(codexFile(`20-${ID}_${SEGMENT}`));
  assert.deepEqual(await home.find(), [{ id: ID, by: "open-file", file: segment }]);
});

test("codex packs what nobody goes on with: it is not forgotten", () => {
  const rule = builtInAgents.named("codex")?.conversation;
  const home = mkdtempSync(join(tmpdir(), "lectern-home-"));
  const file = join(home, `.codex/sessions/2026/11/20/rollout-2026-11-20T21-00-00-${ID}.jsonl.zst`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "");
  assert.ok(rule);
  assert.deepEqual(keptFiles(rule, ID, { prefix: "", variables: { HOME: home } }), [file]);
  // The file that is written is the current one.
  const later = file.replace("21-00-00", "22-00-00");
  writeFileSync(later, "");
  utimesSync(later, 1000, 1000);
  assert.deepEqual(keptFiles(rule, ID, { prefix: "", variables: { HOME: home } }), [later, file]);
  rmSync(home, { recursive: true });
});

test("codex after /new: of two open conversations the one with the last prompt, over all of its segments", async () => {
  await using home = new Home("codex");
  const [first, second, third] = ["one", "two", "three"].map((text, index) => ({
    text,
    timeMs: STARTED_MS + (index + 1) * 120_000,
  })) as [SaidPrompt, SaidPrompt, SaidPrompt];
  home.write(codexFile(`00-${OTHER}`), meta(OTHER, home.directory), said(first.text, first.timeMs));
  home.write(codexFile(`10-${ID}`), meta(ID, home.directory), said(second.text, second.timeMs));
  const last = home.write(codexFile(`20-${ID}_${SEGMENT}`), meta(ID, home.directory), said(third.text, third.timeMs));
  await home.start(codexFile(`00-${OTHER}`), codexFile(`20-${ID}_${SEGMENT}`));
  assert.deepEqual(await home.find(first, second, third), [{ id: ID, by: "prompts", file: last }]);
});

test("qwen keeps a file for its process; those of other and of earlier processes do not count", async () => {
  await using home = new Home("qwen");
  const pid = await home.start();
  const runtime = (id: string, of: number) =>
    home.write(`.qwen/projects/-w/chats/${id}.runtime.json`, { schema_version: 1, pid: of, session_id: id });
  assert.deepEqual(await home.find(), []);
  runtime(OTHER, pid + 1);
  utimesSync(runtime(SEGMENT, pid), new Date(2020, 1), new Date(2020, 1));
  runtime(ID, pid);
  home.write(`.qwen/projects/-w/chats/${"0".repeat(8)}.runtime.json`, '{"pid":');
  assert.deepEqual(await home.find(), [{ id: ID, by: "process", file: null }]);
  const file = home.write(`.qwen/projects/-w/chats/${ID}.jsonl`, {});
  assert.deepEqual(await home.find(), [{ id: ID, by: "process", file }]);
});

test("copilot holds a file beside its conversation open", async () => {
  await using home = new Home("copilot");
  const directory = `.copilot/session-state/${ID}`;
  home.write(`${directory}/inuse.1.hold`);
  await home.start(`${directory}/inuse.1.hold`);
  const found = await home.find();
  assert.deepEqual(
    found.map(({ id, by }) => `${id} ${by}`),
    [`${ID} open-file`],
  );
  const file = home.write(`${directory}/events.jsonl`, {});
  assert.deepEqual(await home.find(), [{ id: ID, by: "open-file", file }]);
});

test("claude's file for a process must be of its start", async () => {
  await using home = new Home("claude");
  const pid = await home.start();
  const write = (procStart: number) =>
    home.write(`.claude/sessions/${pid}.json`, { pid, sessionId: ID, procStart: String(procStart) });
  const ticks = readLivingStat(pid)?.startTicks ?? 0;
  write(ticks - 1);
  assert.deepEqual(await home.find(), []);
  write(ticks);
  assert.deepEqual(await home.find(), [{ id: ID, by: "process", file: null }]);
  const file = home.write(`.claude/projects/-w/${ID}.jsonl`, {});
  assert.deepEqual(await home.find(), [{ id: ID, by: "process", file }]);
});

test("pi is found by what was said", async () => {
  await using home = new Home("pi");
  const timeMs = STARTED_MS + 60_000;
  const row = (text: string) => ({
    type: "message",
    id: text,
    parentId: null,
    message: { role: "user", content: text, timestamp: timeMs },
  });
  const header = (id: string, cwd: string) => ({ type: "session", id, cwd });
  home.write(`.pi/agent/sessions/--a--/t_${OTHER}.jsonl`, header(OTHER, "/elsewhere"), row("hello"));
  home.write(`.pi/agent/sessions/--b--/t_${SEGMENT}.jsonl`, header(SEGMENT, home.directory), row("something else"));
  const file = home.write(`.pi/agent/sessions/--b--/t_${ID}.jsonl`, header(ID, home.directory), row("hello"));
  await home.start();
  assert.deepEqual(await home.find({ text: "hello", timeMs }), [{ id: ID, by: "prompts", file }]);
});

test("cline's session file has its process", async () => {
  await using home = new Home("cline");
  const id = "1795912323175_fit3c";
  const pid = await home.start();
  const session = (of: string, owner: number) =>
    home.write(`.cline/data/sessions/${of}/${of}.json`, { version: 1, session_id: of, pid: owner });
  session("1795912323176_other", pid + 1);
  session(id, pid);
  const file = home.write(`.cline/data/sessions/${id}/${id}.messages.json`, {
    version: 1,
    sessionId: id,
    messages: [],
  });
  assert.deepEqual(await home.find(), [{ id, by: "process", file }]);
});
