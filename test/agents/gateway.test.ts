/** Real agents, unchanged, behind the gateway: what they say, what they may do, and what they are told. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionEvent } from "../../src/protocol/records.ts";
import type { WireEvent } from "../../src/protocol/wire-events.ts";
import { CliHome } from "../e2e/cli-home.ts";
import type { Scenario, ScriptedCall } from "../support/scripted-model/scenario.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { AgentHome } from "./agent-home.ts";
import { type AgentName, installedAgent } from "./installed-agents.ts";

interface Shell {
  readonly tool: string;
  readonly argument: string;
  readonly upstream: (url: string) => string;
  /** What else the tool must have, or may have. */
  readonly more?: Readonly<Record<string, unknown>>;
}

const described = { description: "Makes a file" };

/** The tool with which each of them runs a shell command, and how the scripted model is named as its upstream. */
const shells: Partial<Record<AgentName, Shell>> = {
  claude: { tool: "Bash", argument: "command", upstream: (url) => `anthropic=${url}`, more: described },
  codex: { tool: "exec_command", argument: "cmd", upstream: (url) => `openai=${url}/v1` },
  gemini: { tool: "run_shell_command", argument: "command", upstream: (url) => `gemini=${url}`, more: described },
  opencode: { tool: "bash", argument: "command", upstream: (url) => `openai=${url}/v1`, more: described },
  qwen: { tool: "run_shell_command", argument: "command", upstream: (url) => `openai=${url}/v1`, more: described },
  pi: { tool: "bash", argument: "command", upstream: (url) => `anthropic=${url}`, more: { timeout: 10 } },
};

const policy = `
version: 1
default: allow
opaque: allow
rules:
  - { id: no-denied, effect: deny, command: "touch denied.txt", reason: "This file is not made here" }
  - { id: ask-asked, effect: ask, command: "touch asked.txt" }
`;

const prompt = "Please use the tool now";

interface Run {
  readonly code: number | null;
  readonly output: string;
  readonly events: readonly SessionEvent[];
  /** The bodies of the requests that offered tools, as text. */
  readonly requests: readonly string[];
  /** Whether the agent made a file of this name. */
  readonly made: (name: string) => boolean;
  /** The audit log, as lines. */
  readonly audit: string;
}

/** Runs one prompt through `lectern run --wire` and reads journal and audit log afterwards. */
async function withAgent(
  name: AgentName,
  scenario: Scenario,
  check: (run: Run) => void,
  during: (lectern: CliHome) => Promise<void> = async () => undefined,
): Promise<void> {
  const agent = await installedAgent(name);
  const shell = shells[name]!;
  await using model = await ScriptedModel.start({ aside: "A title", fallback: { say: "No more." }, ...scenario });
  await using lectern = new CliHome();
  using home = new AgentHome(agent);
  const policyFile = join(lectern.directory, "policy.yaml");
  writeFileSync(policyFile, policy);
  const wire = ["--wire", "--policy", policyFile, "--upstream", shell.upstream(model.url)];
  const words = ["run", "--name", "agent", "-C", home.workingDirectory, ...wire, "--", ...home.print(prompt)];
  const running = lectern.run(words, { env: home.environment() });
  const [{ code, stderr, stdout }] = await Promise.all([running, during(lectern)]);
  const { records } = await lectern.client.call("sessions.records", { session: "agent", types: ["mark"] });
  const events = records.map((record) => record["event"] as SessionEvent);
  const requests = model.turnRequests().filter(({ turn }) => turn?.tools);
  check({
    code,
    output: stdout + stderr,
    events,
    requests: requests.map(({ body }) => JSON.stringify(body)),
    made: (file) => existsSync(join(home.workingDirectory, file)),
    audit: await lectern.ok("audit", "--all", "--json"),
  });
  assert.match(await lectern.ok("audit", "verify"), /\S/);
}

const turnsOf = (events: readonly SessionEvent[]): Extract<WireEvent, { type: "wire-turn" }>[] =>
  events.filter((event) => event.type === "wire-turn");

for (const [name, { argument, more, tool }] of Object.entries(shells) as [AgentName, Shell][]) {
  const call = (command: string): ScriptedCall => ({
    name: tool,
    arguments: { [argument]: command, ...more },
  });

  test(`${name} behind the gateway: an allowed call runs, and the journal has the exact messages`, async () => {
    const say = "I make the file, “as you wish” … 日本.";
    const scenario: Scenario = {
      turns: [
        { say, calls: [call("touch allowed.txt && echo it-is-made")] },
        { when: { last: "it-is-made" }, say: "Done as asked." },
      ],
    };
    await withAgent(name, scenario, ({ audit, code, events, made, output }) => {
      assert.equal(code, 0, output);
      assert.match(output, /Done as asked\./);
      assert.ok(made("allowed.txt"));
      // Some ask for more afterwards, such as what to remember.
      const turns = turnsOf(events).filter(({ text }) => text !== "A title" && text !== "No more.");
      assert.deepEqual(
        turns.map(({ text }) => text),
        [say, "Done as asked."],
      );
      assert.equal(turns[0]?.calls.length, 1);
      assert.equal(turns[0]?.usage?.inputTokens, 100);
      const parts = events.flatMap((event) => (event.type === "wire-request" ? event.parts : []));
      assert.ok(
        parts.some((part) => part.type === "user" && part.text.replaceAll('"', "").trim() === prompt),
        JSON.stringify(parts),
      );
      assert.ok(parts.some((part) => part.type === "tool-result" && part.text.includes("it-is-made")));
      assert.ok(events.some((event) => event.type === "wire-intent" && event.tool === tool));
      assert.deepEqual(
        [...audit.matchAll(/"type":"(decision|start|outcome)"/g)].map(([, type]) => type),
        ["decision", "start", "outcome"],
      );
      assert.doesNotMatch(JSON.stringify(events) + audit, /sk-dummy/);
    });
  });

  test(`${name} behind the gateway: a denied call does not run, and the agent is told`, async () => {
    const scenario: Scenario = { turns: [{ say: "I try.", calls: [call("touch denied.txt")] }] };
    await withAgent(name, scenario, ({ events, made, output }) => {
      assert.ok(!made("denied.txt"));
      assert.match(output.replaceAll(/\s+/g, " "), /was refused and not executed: .*This file is not made here/);
      assert.equal(turnsOf(events).find(({ calls }) => calls.length > 0)?.refused.length, 1);
    });
  });

  test(`${name} behind the gateway: a call that asks waits for an answer from another terminal`, async () => {
    const scenario: Scenario = {
      turns: [
        { say: "May I?", calls: [call("touch asked.txt")] },
        { say: "Thank you.", times: "always" },
      ],
    };
    const answer = async (lectern: CliHome): Promise<void> => {
      const { stdout } = await lectern.shell(
        'for i in $(seq 600); do Q=$($L approvals --json) && test -n "$Q" && break; sleep 0.1; done; echo "$Q"',
      );
      const { details, id } = JSON.parse(stdout) as { id: string; details: string };
      assert.match(details, /touch asked\.txt/);
      await lectern.ok("approve", "agent", id, "allow", "--by", "anna");
    };
    await withAgent(
      name,
      scenario,
      ({ audit, made, output }) => {
        assert.ok(made("asked.txt"), output);
        assert.match(audit, /"approver":"anna"/);
      },
      answer,
    );
  });

  test(`${name} behind the gateway: a call that was cut off does not run`, async () => {
    const cut = `{"${argument}":"touch cut.txt`;
    const calls = [name === "gemini" ? call("touch cut.txt") : { name: tool, arguments: cut }];
    const scenario: Scenario = {
      turns: [{ say: "I begin.", calls, finish: "length" }],
      fallback: { say: "I stop here." },
    };
    await withAgent(name, scenario, ({ audit, made }) => {
      assert.ok(!made("cut.txt"));
      assert.match(audit, /"effect":"deny"/);
      assert.doesNotMatch(audit, /"type":"start"/);
    });
  });
}
