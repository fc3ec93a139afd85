/** Assembles an agent and runs it: for one prompt, or for prompts until the input ends. */
import { createHash, randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import type { LecternClient } from "../../client/client.ts";
import { LecternError } from "../../core/errors.ts";
import { AuditedGate, type AuditSink } from "../../core/gate/audited-gate.ts";
import { Gate } from "../../core/gate/gate.ts";
import { SchemaStore } from "../../core/gate/schemas.ts";
import { toolsByName } from "../../core/gate/tool-call.ts";
import { BlobStore } from "../../daemon/store/blobs.ts";
import { unitMs } from "../../core/waits.ts";
import { DiskView } from "../../disk/file-view.ts";
import { policyLabels } from "../../protocol/wire-call.ts";
import { AgentLoop } from "../../executor/agent.ts";
import { Executor, type Answer, type CallOutcome, type Question } from "../../executor/executor.ts";
import { fileTools } from "../../executor/file-tools.ts";
import { ModelClient } from "../../executor/model-client.ts";
import { shellTool } from "../../executor/shell-tool.ts";
import type { Tool } from "../../executor/tool.ts";
import type { CliContext } from "../context.ts";
import type { LoadedPolicy } from "../policy-file.ts";
import { AgentView } from "./agent-view.ts";
import { Keyboard } from "./keyboard.ts";
import { keyVariables, type Upstream } from "./upstream.ts";
import type { AuditRow } from "../../core/gate/audit-chain.ts";

export interface AgentRun {
  readonly upstream: Upstream;
  readonly policy: LoadedPolicy;
  /** Tools of MCP servers. */
  readonly moreTools: readonly Tool[];
  readonly client: LecternClient;
  /** Undefined: prompts are read from the terminal. */
  readonly prompt: string | undefined;
  readonly json: boolean;
}

/** Resolves with the exit code: 0 if the last turn was completed. */
export async function runAgent(run: AgentRun, context: CliContext): Promise<number> {
  const view = new AgentView(context, run.json);
  using keyboard = new Keyboard(context);
  if (run.policy.policy.mode === "log-only") {
    view.note("The policy is log-only: it decides and writes down, and refuses and asks nothing");
  }
  const executor = await makeExecutor(run, { view, keyboard, context });
  const tools = executor.tools;
  const { baseUrl, dialect, isGuarded, key, model } = run.upstream;
  const client = new ModelClient({
    dialect,
    baseUrl,
    key,
    ...(isGuarded && { idle: guardedSilence }),
    onRetry: (_failure, delayMs) => view.note(`The model does not answer: retrying in ${Math.ceil(delayMs / 1000)} s`),
  });
  const system = systemPrompt(context.workingDirectory);
  const agent = new AgentLoop({
    model,
    system,
    client,
    executor: executor.executor,
    tools,
    onDelta: (delta) => view.delta(delta),
  });
  try {
    if (run.prompt !== undefined) return await onePrompt(run.prompt, { agent, keyboard, view, context });
    return await manyPrompts({ agent, keyboard, view, context });
  } finally {
    await view.flush();
  }
}

/** The gateway watches the model itself, and a call that a person is asked about waits as long as its question does. */
const guardedSilence = { firstEventMs: unitMs.d, betweenEventsMs: unitMs.d };

interface Parts {
  readonly agent: AgentLoop;
  readonly keyboard: Keyboard;
  readonly view: AgentView;
  readonly context: CliContext;
}

/** Ctrl-C stops the running calls; without any, or the second time, it stops the turn. */
async function onePrompt(prompt: string, { agent, context, keyboard, view }: Parts): Promise<number> {
  const turn = new AbortController();
  let calls: AbortController | undefined;
  keyboard.onInterrupt(() => {
    if (calls === undefined || calls.signal.aborted) turn.abort();
    else {
      view.note("Stopping the calls; Ctrl-C again stops the turn");
      calls.abort();
    }
  });
  const stops = {
    turn: AbortSignal.any([turn.signal, context.signal]),
    calls: () => (calls = new AbortController()).signal,
  };
  try {
    const last = await agent.run(prompt, {
      ...stops,
      onTurn: () => {
        calls = undefined;
      },
    });
    if (last.finish === "truncated") view.note("The answer of the model broke off: ask again");
    await view.flush();
    return last.finish === "stop" || last.finish === "tool_calls" ? 0 : 1;
  } finally {
    keyboard.onInterrupt(() => undefined);
  }
}

async function manyPrompts(parts: Parts): Promise<number> {
  const { context, keyboard, view } = parts;
  if (!keyboard.isThere) {
    throw new LecternError(
      "USAGE",
      'Cannot read prompts without a terminal: give one, as in "lectern agent fix the tests"',
    );
  }
  const leave = new AbortController();
  for (;;) {
    keyboard.onInterrupt(() => leave.abort());
    await view.flush();
    const line = await keyboard.line("> ", AbortSignal.any([leave.signal, context.signal]));
    if (line === undefined) return leave.signal.aborted ? 130 : 0;
    if (line.trim() === "") continue;
    try {
      await onePrompt(line, parts);
    } catch (error) {
      // The conversation continues after an error.
      if (!(error instanceof LecternError) || context.signal.aborted) throw error;
      view.note(error.message);
    }
  }
}

async function makeExecutor(
  { client, moreTools, policy, upstream }: AgentRun,
  { context, keyboard, view }: { readonly view: AgentView; readonly keyboard: Keyboard; readonly context: CliContext },
): Promise<{ readonly executor: Executor; readonly tools: ReadonlyMap<string, Tool> }> {
  const { environment, workingDirectory } = context;
  const own = [shellTool({ workingDirectory, environment, hidden: keyVariables }), ...fileTools(workingDirectory)];
  const { tools } = toolsByName([...own, ...moreTools]);
  const schemas = new SchemaStore();
  const session = environment["LECTERN_SESSION"] ?? `agent-${randomBytes(6).toString("hex")}`;
  const labels = await labelsOf(client, session);
  const blobs = new BlobStore(context.paths.blobsDirectory);
  const gate = new AuditedGate<CallOutcome>({
    gate: new Gate<CallOutcome>({ policy: policy.policy, schemas, continues: true }),
    sink: remoteAudit(client),
    executor: "executor",
    policyHash: sha256(policy.text),
    outcomeOf: ({ outcomeHash }) => ({
      text: `This call was run before; its output: lectern blob ${outcomeHash ?? "(none)"}`,
      failed: false,
    }),
  });
  const executor = new Executor({
    gate: upstream.isGuarded ? null : gate,
    policy: policy.policy,
    schemas,
    tools,
    blobs,
    session,
    requester: userInfo().username,
    source: upstream.dialect,
    context: { labels, workingDirectory, home: environment["HOME"] ?? null, files: () => new DiskView() },
    sha256,
    now: Date.now,
    ask: (question, signal) => ask(question, { keyboard, view, signal }),
    onEvent: (event) => view.executor(event),
  });
  return { executor, tools };
}

async function ask(
  { call, decision }: Question,
  { keyboard, signal, view }: { readonly keyboard: Keyboard; readonly view: AgentView; readonly signal: AbortSignal },
): Promise<Answer> {
  if (!keyboard.isThere) return { effect: "deny", approver: "nobody" };
  view.note(decision.message);
  await view.flush();
  const answer = await keyboard.confirm(`Allow ${call.name}?`, signal);
  if (answer === undefined) return { effect: "deny", approver: "interrupt" };
  return { effect: answer ? "allow" : "deny", approver: userInfo().username };
}

/** The labels of the session that this runs in; none outside of a session. */
async function labelsOf(client: LecternClient, session: string): Promise<readonly string[]> {
  try {
    return policyLabels((await client.call("sessions.get", { session })).labels);
  } catch (error) {
    if (error instanceof LecternError && error.code === "SESSION_NOT_FOUND") return [];
    throw error;
  }
}

const systemPrompt = (workingDirectory: string): string =>
  `You work on a computer with the tools that you are given, in the folder ${workingDirectory} (${process.platform}). Look before you change something, do what was asked and nothing beside it, and say in a few words what you did. A call that is refused stays refused: find another way or ask.`;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Longer ids and names are refused by the daemon. */
const TEXT_CHARS_MAX = 1024;

/** The audit log of the daemon, for an executor in another process. */
const remoteAudit = (client: LecternClient): AuditSink => ({
  append: async (rows) => {
    await client.call("audit.append", { rows: rows.map(withinLimits) });
  },
  find: async (session, call) => (await client.call("audit.find", { session, call })).call ?? undefined,
});

const cut = (text: string): string => text.slice(0, TEXT_CHARS_MAX).toWellFormed();

function withinLimits(row: AuditRow): AuditRow {
  return row.type === "decision" ? { ...row, tool: cut(row.tool), evidence: cut(row.evidence) } : row;
}
