/**
 * Real agents behind `lectern acp --proxy`, against the scripted model: prompts, permissions, cancels, and faults in the middle of turns.
 *
 *   node bench/acp-agents.ts [agents=claude,codex,gemini,opencode,qwen,copilot,pi] [faults=50] [seed=1]
 *
 * A fault kills the editor's side, the daemon or the agent while an answer is streamed or a question waits. Then each sentence of the answer
 * must be there once and in order, a question must be answered once, and the conversation must go on.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { RpcMessage } from "../src/core/acp/acp-lines.ts";
import { LecternClient } from "../src/client/client.ts";
import { unixTransport } from "../src/client/unix-transport.ts";
import { readDaemonFile } from "../src/daemon/daemon-file.ts";
import { lecternPaths, type LecternPaths } from "../src/daemon/paths.ts";
import { JournalReader } from "../src/journal/reader.ts";
import { decodeMark } from "../src/protocol/payloads.ts";
import { AcpEditor } from "../test/support/acp-editor.ts";
import { launcher } from "../test/support/launcher.ts";
import { ScriptedModel } from "../test/support/scripted-model/scripted-model.ts";
import { until } from "../test/support/until.ts";
import { acpCommand, acpPrograms, type AcpCommand } from "./support/acp-programs.ts";

const agents = (process.argv[2] ?? Object.keys(acpPrograms).join(",")).split(",");
const faultCount = Number(process.argv[3] ?? 50);
let seed = Number(process.argv[4] ?? 1);

const SENTENCES = 40;
const story = Array.from({ length: SENTENCES }, (_, index) => `Sentence ${index + 1} of the story.`).join(" ");
const faults = ["editor", "daemon", "agent"] as const;
const moments = ["streaming", "asking"] as const;

/** A number below `end`: the same ones for the same seed. */
function drawn(end: number): number {
  seed = (seed * 48_271) % 0x7fff_ffff;
  return seed % end;
}

interface Chunk {
  readonly update?: { readonly sessionUpdate?: string; readonly content?: { readonly text?: string } };
}

const said = ({ messages }: AcpEditor): string =>
  messages
    .map(({ params }) => (params as Chunk | undefined)?.update)
    .map((update) => (update?.sessionUpdate === "agent_message_chunk" ? (update.content?.text ?? "") : ""))
    .join("");

/** One agent behind the proxy, with the editor that is connected at the moment. */
class Bench implements AsyncDisposable {
  readonly #home = mkdtempSync(join(tmpdir(), "lb-"));
  readonly #agent: AcpCommand;
  readonly #model: ScriptedModel;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #paths: LecternPaths;
  readonly client: LecternClient;
  editor: AcpEditor;
  conversation = "";
  #files = 0;

  private constructor(agent: AcpCommand, model: ScriptedModel) {
    this.#agent = agent;
    this.#model = model;
    this.#environment = { ...agent.environment, LECTERN_HOME: this.#home };
    this.#paths = lecternPaths(this.#environment);
    this.client = new LecternClient(unixTransport(this.#paths.daemonSocket));
    this.editor = this.#connect();
  }

  static async start(name: string): Promise<Bench> {
    const { call } = acpPrograms[name] ?? {};
    assert.ok(call, `no agent "${name}"`);
    const turns = Array.from({ length: 200 }, (_, index) => ({
      when: { last: `make file-${index}-please`, tools: true },
      calls: [call(`echo made >> made-${index} && chmod 700 made-${index}`)],
    }));
    const model = await ScriptedModel.start({
      turns: [
        { when: { last: "tell the story", tools: true }, times: "always", say: story, delayMs: 30, firstDelayMs: 50 },
        ...turns,
      ],
      aside: "A title",
      fallback: { say: "Understood." },
    });
    const bench = new Bench(await acpCommand(name, model.url), model);
    await bench.#request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await bench.#request("session/new", bench.#place);
    bench.conversation = String(sessionId);
    await bench.setMode();
    return bench;
  }

  /** An agent that is started again is in its first mode. */
  async setMode(): Promise<void> {
    const { mode: modeId } = this.#agent.program;
    if (modeId !== undefined) await this.#request("session/set_mode", { sessionId: this.conversation, modeId });
  }

  get asksNothing(): boolean {
    return this.#agent.program.asksNothing === true;
  }

  get #place() {
    return { cwd: this.#agent.workingDirectory, mcpServers: [] };
  }

  #connect(): AcpEditor {
    const words = [launcher, "acp", "--proxy", "--name", "bench", "--", ...this.#agent.command];
    const place = { environment: this.#environment, directory: this.#agent.workingDirectory };
    return new AcpEditor([process.execPath, ...words], place);
  }

  async #request(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const { error, result } = await this.editor.request(method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message} ${JSON.stringify(error)}`);
    return result ?? {};
  }

  /** The reason for which it stopped, or the error. */
  async prompt(text: string): Promise<string> {
    const { error, result } = await this.editor.prompt(this.conversation, text);
    return error === undefined ? String(result?.["stopReason"]) : `error: ${error.message} ${JSON.stringify(error)}`;
  }

  /** A prompt after which the agent wants to make a file. */
  makesFile(): { readonly text: string; readonly lines: () => number } {
    const index = this.#files++;
    const path = join(this.#agent.workingDirectory, `made-${index}`);
    const lines = (): number => (existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0);
    return { text: `make file-${index}-please`, lines };
  }

  /** The last question that this editor was asked, once there are more than `before`. */
  async question(before = 0): Promise<RpcMessage> {
    await until(() => this.questions.length > before, "a question");
    return this.questions.at(-1) ?? {};
  }

  get questions(): RpcMessage[] {
    return this.editor.messages.filter(({ method }) => method === "session/request_permission");
  }

  /** Answers by an option of this kind; the first one may stand for a change of the mode. */
  answer(question: RpcMessage, kind: string): void {
    const { options = [] } = question.params as { options?: { optionId: string; kind: string }[] };
    const { optionId } = options.findLast((option) => option.kind === kind) ?? { optionId: "" };
    this.editor.answer(question, optionId);
  }

  async killEditor(): Promise<void> {
    await this.editor.kill();
    this.editor = this.#connect();
    await this.#request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    await this.#request("session/load", { sessionId: this.conversation, ...this.#place });
  }

  killDaemon(): void {
    const daemon = readDaemonFile(this.#paths);
    if (daemon !== undefined) process.kill(daemon.pid, "SIGKILL");
  }

  /** The leader of its process group. */
  async agentPid(): Promise<number> {
    // The daemon may have been killed before.
    await promisify(execFile)(process.execPath, [launcher, "ls"], { env: this.#environment });
    const { pid } = await this.client.call("sessions.get", { session: "bench" });
    assert.ok(pid);
    return pid;
  }

  /** Milliseconds from a request to stop to the write to the agent, in microseconds of the wall clock. */
  async cancelDelayMs(sentUs: number): Promise<number> {
    const { id } = await this.client.call("sessions.get", { session: "bench" });
    await using reader = await JournalReader.open(join(this.#paths.sessionsDirectory, id));
    reader.refresh();
    for (let from = reader.start; from < reader.end;) {
      const { records, next } = await reader.read(from);
      for (const { payload, timeUs, type } of records) {
        const mark = type === "mark" ? decodeMark(payload) : undefined;
        const isIt = mark?.type === "protocol" && mark.stream === "client" && mark.text.includes("session/cancel");
        if (isIt && timeUs >= sentUs) return (timeUs - sentUs) / 1000;
      }
      from = next;
    }
    return NaN;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.editor.close();
    // Only a daemon that runs can end the session.
    await this.agentPid().catch(() => undefined);
    await this.client.call("sessions.kill", { session: "bench", graceMs: 0 }).catch(() => undefined);
    const daemon = readDaemonFile(this.#paths);
    if (daemon !== undefined) process.kill(daemon.pid, "SIGTERM");
    await this.#model[Symbol.asyncDispose]();
    this.#agent[Symbol.dispose]();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function checkTurns(bench: Bench): Promise<string> {
  assert.equal(await bench.prompt("hello"), "end_turn");
  assert.match(said(bench.editor), /Understood\./);
  for (const kind of bench.asksNothing ? [] : ["allow_once", "reject_once"]) {
    const { lines, text } = bench.makesFile();
    const turn = bench.prompt(text);
    const before = bench.questions.length;
    const asked = await Promise.race([bench.question(before), turn]);
    assert.notEqual(typeof asked, "string", `it asks nothing for "${text}": ${said(bench.editor)}`);
    bench.answer(asked as RpcMessage, kind);
    const stop = await turn;
    assert.equal(lines(), kind === "allow_once" ? 1 : 0, `${kind}: ${stop}`);
  }
  const delays: number[] = [];
  for (let count = 0; count < 3; count += 1) {
    const start = said(bench.editor).length;
    const turn = bench.prompt("tell the story");
    await until(() => said(bench.editor).length > start, "the story");
    const sentUs = Math.floor((performance.timeOrigin + performance.now()) * 1000);
    bench.editor.send({ method: "session/cancel", params: { sessionId: bench.conversation } });
    assert.match(await turn, /^(?:cancelled|end_turn)$/);
    delays.push(await bench.cancelDelayMs(sentUs));
  }
  return `prompt, permissions, cancel after ${delays.map((ms) => ms.toFixed(1)).join(", ")} ms`;
}

async function oneFault(bench: Bench, fault: (typeof faults)[number], moment: (typeof moments)[number]): Promise<void> {
  const file = bench.makesFile();
  const agent = await bench.agentPid();
  const [start, before] = [said(bench.editor).length, bench.questions.length];
  const turn = bench.prompt(moment === "asking" ? file.text : "tell the story").catch(() => "the editor has ended");
  if (moment === "asking") await bench.question(before);
  else await until(() => said(bench.editor).length > start, "the story");
  if (fault === "editor") await bench.killEditor();
  if (fault === "daemon") bench.killDaemon();
  if (fault === "agent") {
    process.kill(-agent, "SIGKILL");
    assert.match(await turn, /^error: The agent has ended/);
    assert.equal(await bench.prompt("hello again"), "end_turn");
    return await bench.setMode();
  }
  if (moment === "asking") {
    bench.answer(await bench.question(fault === "editor" ? 0 : before), "allow_once");
    await until(() => file.lines() > 0, "the file");
  } else {
    const end = `Sentence ${SENTENCES} of the story.`;
    await until(
      () =>
        said(bench.editor)
          .slice(fault === "editor" ? 0 : start)
          .includes(end),
      "the whole story",
    );
    assert.ok(said(bench.editor).replaceAll(/\s+/g, " ").endsWith(story), "each sentence once, in order");
  }
  if (fault === "daemon") assert.equal(await turn, "end_turn");
  assert.equal(await bench.prompt("hello again"), "end_turn");
  if (moment === "asking") assert.equal(file.lines(), 1, "the answer counts once");
}

async function checkFaults(bench: Bench, count: number): Promise<string> {
  const done: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const fault = faults[drawn(faults.length)] ?? "editor";
    const moment = bench.asksNothing ? "streaming" : (moments[drawn(moments.length)] ?? "streaming");
    try {
      await oneFault(bench, fault, moment);
    } catch (error) {
      throw new Error(`fault ${at + 1}, ${fault} while ${moment}: ${(error as Error).message}`, { cause: error });
    }
    done.push(`${fault}/${moment}`);
  }
  const counts = Object.entries(Object.groupBy(done, (each) => each));
  return counts.map(([what, all = []]) => `${all.length} ${what}`).join(", ");
}

const draws = agents.map(() => 0);
for (let at = 0; at < faultCount; at += 1) {
  const index = drawn(agents.length);
  draws[index] = (draws[index] ?? 0) + 1;
}
for (const [index, name] of agents.entries()) {
  try {
    await using bench = await Bench.start(name);
    console.log(`${name}: ${await checkTurns(bench)}`);
    console.log(`${name}: ${await checkFaults(bench, draws[index] ?? 0)}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`${name}: FAILED: ${(error as Error).message}`);
  }
}
