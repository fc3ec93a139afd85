/** One prompt of a real agent, unchanged, through `lectern run --wire`, and what came of it. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEvent, WireEvent } from "../../src/core/records.ts";
import type { CliHome } from "../e2e/cli-home.ts";
import type { Scenario } from "../support/scripted-model/scenario.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { AgentHome } from "./agent-home.ts";
import { type AgentName, installedAgent } from "./installed-agents.ts";

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
  /** Its text. */
  readonly policy?: string;
  /** What somebody does meanwhile; `signal` is aborted when the agent has ended. */
  readonly during?: (signal: AbortSignal) => Promise<void>;
}

/** Runs one prompt in a session of its own, named after the agent, and reads journal and audit log afterwards. */
export async function runBehindGateway(
  lectern: CliHome,
  { during, name, options = [], policy: policyText = policy, scenario }: AgentPrompt,
  check: (run: AgentRun) => void,
): Promise<void> {
  const agent = await installedAgent(name);
  await using model = await ScriptedModel.start({ aside: "A title", fallback: { say: "No more." }, ...scenario });
  using home = new AgentHome(agent);
  const policyFile = join(home.directory, "policy.yaml");
  writeFileSync(policyFile, policyText);
  const wire = ["--wire", "--policy", policyFile, "--upstream", shells[name].upstream(model.url)];
  const [program, ...promptWords] = home.print(prompt);
  const command = [program, ...options, ...promptWords];
  const words = ["run", "--name", name, "-C", home.workingDirectory, ...wire, "--", ...command];
  const running = lectern.run(words, { env: home.environment() });
  const ended = new AbortController();
  const meanwhile = during?.(ended.signal);
  const [{ code, stderr, stdout }] = await Promise.all([running.finally(() => ended.abort()), meanwhile]);
  const session = (await lectern.client.call("sessions.get", { session: name })).id;
  const { records } = await lectern.client.call("sessions.records", { session, types: ["mark"] });
  const { rows } = await lectern.client.call("audit.list", { session });
  const requests = model.turnRequests().filter(({ turn }) => turn?.tools);
  check({
    code,
    output: stdout + stderr,
    events: records.map((record) => record["event"] as SessionEvent),
    requests: requests.map(({ body }) => JSON.stringify(body)),
    made: (file) => existsSync(join(home.workingDirectory, file)),
    audit: rows.map((row) => JSON.stringify(row)).join("\n"),
  });
  await lectern.client.call("sessions.remove", { session });
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
