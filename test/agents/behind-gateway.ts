/** One prompt of a real agent, unchanged, through `lectern run --wire`, and what came of it. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { SessionEvent, WireEvent } from "../../src/core/records.ts";
import type { CliHome } from "../e2e/cli-home.ts";
import type { Scenario } from "../support/scripted-model/scenario.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { AgentHome } from "./agent-home.ts";
import { type AgentName, type InstalledAgent, installedAgent } from "./installed-agents.ts";

export interface Shell {
  readonly tool: string;
  readonly argument: string;
  readonly upstream: (url: string) => string;
  /** What else the tool must have, or may have. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const described = { description: "Makes a file" };

/** Agents that can be watched. */
export type WatchedAgent = Exclude<AgentName, "continue">;

/** The tool with which each of them runs a shell command, and how the scripted model is named as its upstream. */
export const shells: Readonly<Record<WatchedAgent, Shell>> = {
  claude: { tool: "Bash", argument: "command", upstream: (url) => `anthropic=${url}`, more: described },
  codex: { tool: "exec_command", argument: "cmd", upstream: (url) => `openai=${url}/v1` },
  gemini: { tool: "run_shell_command", argument: "command", upstream: (url) => `gemini=${url}`, more: described },
  opencode: { tool: "bash", argument: "command", upstream: (url) => `openai=${url}/v1`, more: described },
  qwen: { tool: "run_shell_command", argument: "command", upstream: (url) => `openai=${url}/v1`, more: described },
  pi: { tool: "bash", argument: "command", upstream: (url) => `anthropic=${url}`, more: { timeout: 10 } },
  copilot: { tool: "bash", argument: "command", upstream: (url) => `openai=${url}/v1`, more: described },
};

const policy = `
version: 1
default: allow
opaque: allow
rules:
  - { id: no-denied, effect: deny, command: "touch denied.txt", reason: "This file is not made here" }
  - { id: ask-asked, effect: ask, command: "touch asked.txt" }
`;

export const prompt = "Please use the tool now";

export interface AgentRun {
  readonly code: number | null;
  readonly output: string;
  readonly events: readonly SessionEvent[];
  /** The bodies of the requests that offered tools, as text. */
  readonly requests: readonly string[];
  /** Files in its home that are new or not as before, without its working directory. */
  readonly changed: readonly string[];
  /** Whether the agent made a file of this name. */
  readonly made: (name: string) => boolean;
  /** The rows of its session in the audit log, as lines. */
  readonly audit: string;
}

interface AgentPrompt {
  readonly name: WatchedAgent;
  readonly scenario: Scenario;
  /** Of the agent, before its prompt. */
  readonly options?: readonly string[];
  /** Its text; default: one for these tests. */
  readonly policy?: string;
  /** Name of a shipped policy in its place. */
  readonly shippedPolicy?: string;
  /** In the profile "work". */
  readonly isInSandbox?: boolean;
  /** The agent has run outside of a sandbox before: its directories are there. */
  readonly hasRunBefore?: boolean;
  /** Name of the session; default: the name of the agent. */
  readonly session?: string;
  /** What somebody does meanwhile; `signal` is aborted when the agent has ended. */
  readonly during?: (signal: AbortSignal, home: AgentHome) => Promise<void>;
}

/** An agent that asks its model nothing for so long is ended, and its screen is shown. */
const AGENT_QUIET_MS_MAX = 170_000;

/** Runs one prompt in a session of its own and reads journal and audit log afterwards. */
export async function runBehindGateway(
  lectern: CliHome,
  agentPrompt: AgentPrompt,
  check: (run: AgentRun) => void,
): Promise<void> {
  const { during, name, scenario, session: sessionName = name } = agentPrompt;
  const agent = await installedAgent(name);
  await using model = await ScriptedModel.start({ aside: "A title", fallback: { say: "No more." }, ...scenario });
  using home = new AgentHome(agent);
  const places = { agent, home, url: model.url, prompt };
  if (agentPrompt.hasRunBefore === true) {
    const before = commandOf(
      { ...agentPrompt, isInSandbox: false, session: `${sessionName}-before` },
      {
        ...places,
        prompt: "Hello",
      },
    );
    const { code, stderr, stdout } = await lectern.run(before, {
      env: home.environment(),
      signal: AbortSignal.timeout(AGENT_QUIET_MS_MAX),
    });
    assert.equal(code, 0, stdout + stderr);
  }
  const filesBefore = filesIn(home);
  const words = commandOf(agentPrompt, places);
  const ended = new AbortController();
  const quiet = endIfQuiet(model, ended.signal);
  const running = lectern.run(words, { env: home.environment(), signal: quiet.signal });
  const meanwhile = during?.(ended.signal, home);
  const [{ code, stderr, stdout }] = await Promise.all([running.finally(() => ended.abort()), meanwhile]).catch(
    async (error: unknown) => {
      const shown = await lectern
        .run(["screen", sessionName], { signal: AbortSignal.timeout(20_000) })
        .catch(() => null);
      throw new Error(`${name} did not come to its end: ${String(error)}\n${shown?.stdout ?? "no screen"}`);
    },
  );
  const session = (await lectern.client.call("sessions.get", { session: sessionName })).id;
  const { records } = await lectern.client.call("sessions.records", { session, types: ["mark"] });
  const { rows } = await lectern.client.call("audit.list", { session });
  const requests = model.turnRequests().filter(({ turn }) => turn?.tools);
  check({
    code,
    output: stdout + stderr,
    events: records.map((record) => record["event"] as SessionEvent),
    requests: requests.map(({ body }) => JSON.stringify(body)),
    changed: [...filesIn(home)].flatMap(([path, text]) => (filesBefore.get(path) === text ? [] : [path])),
    made: (file) => existsSync(join(home.workingDirectory, file)),
    audit: rows.map((row) => JSON.stringify(row)).join("\n"),
  });
  await lectern.client.call("sessions.remove", { session });
}

interface Places {
  readonly agent: InstalledAgent;
  readonly home: AgentHome;
  /** Of the model. */
  readonly url: string;
  readonly prompt: string;
}

function commandOf(
  { isInSandbox = false, name, options = [], policy: text = policy, session = name, shippedPolicy }: AgentPrompt,
  { agent, home, prompt: promptText, url }: Places,
): string[] {
  const policyFile = join(home.directory, "policy.yaml");
  writeFileSync(policyFile, text);
  const wire = ["--wire", "--policy", shippedPolicy ?? policyFile, "--upstream", shells[name].upstream(url)];
  if (isInSandbox) {
    const sandboxFile = join(home.directory, "sandbox.yaml");
    // Home and program are in /tmp, which is fresh inside; all that is not the working directory is read-only.
    const shown = ["~/", dirname(dirname(dirname(agent.program))), dirname(process.execPath)];
    writeFileSync(sandboxFile, JSON.stringify({ profile: "work", readOnly: shown }));
    wire.push(`--sandbox=${sandboxFile}`);
  }
  const [program, ...promptWords] = home.print(promptText);
  return [
    "run",
    "--name",
    session,
    "-C",
    home.workingDirectory,
    ...wire,
    "--",
    program,
    ...options,
    ...promptWords.filter((word) => !isInSandbox || !turnsOwnSandboxOff(word)),
  ];
}

/** Codex is told so by Lectern. */
const turnsOwnSandboxOff = (word: string): boolean => word === "--dangerously-bypass-approvals-and-sandbox";

/** By path, without directories that change in any case. */
function filesIn({ directory }: AgentHome): ReadonlyMap<string, string> {
  const outside = /^(?:work|tmp|node_modules)(?:\/|$)|^(?:policy|sandbox)\.yaml$/;
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => !outside.test(path));
  return new Map(
    entries.map((path) => [
      path,
      createHash("sha256")
        .update(readFileSync(join(directory, path)))
        .digest("hex"),
    ]),
  );
}

/** Aborts when the model has not been asked for too long; `over` ends the watch. */
function endIfQuiet(model: ScriptedModel, over: AbortSignal): AbortController {
  const quiet = new AbortController();
  let [requests, sinceMs] = [0, performance.now()];
  const timer = setInterval(() => {
    const now = model.turnRequests().length;
    if (now !== requests) [requests, sinceMs] = [now, performance.now()];
    else if (performance.now() - sinceMs > AGENT_QUIET_MS_MAX)
      quiet.abort(new Error(`no request for ${AGENT_QUIET_MS_MAX / 1000} s after ${requests}`));
  }, 1000);
  over.addEventListener("abort", () => clearInterval(timer));
  return quiet;
}

/** Answers the question of an agent about a command, from another terminal. */
export async function allow(
  lectern: CliHome,
  { command, name, signal }: { readonly command: string; readonly name: WatchedAgent; readonly signal: AbortSignal },
): Promise<void> {
  for (let version: number | undefined; ;) {
    const page = await lectern.client.call("approvals.list", { version, waitMs: 10_000 }, { signal });
    const asked = page.approvals.find(({ agent, details }) => agent === name && details.includes(command));
    if (asked !== undefined) {
      assert.ok((await lectern.ok("approvals")).includes(asked.id));
      await lectern.ok("approve", asked.session, asked.id, "allow", "--by", "anna");
      return;
    }
    version = page.version;
  }
}

export const turnsOf = (events: readonly SessionEvent[]): Extract<WireEvent, { type: "wire-turn" }>[] =>
  events.filter((event) => event.type === "wire-turn");
