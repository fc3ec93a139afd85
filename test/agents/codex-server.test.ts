/**
 * Codex on a server of its own: what its protocol reports against its screen, questions that are answered there, two clients, a new daemon,
 * Codex without the server, and behind the gateway. A part of `npm run test:long`; alone, because it runs a real agent for some minutes:
 *
 *   node --test --import=./test/support/preload.mjs test/agents/codex-server.test.ts
 */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { CODEX_SERVER, codexMessageIn, type CodexMessage } from "../../src/core/codex/codex-messages.ts";
import type { StatusState } from "../../src/core/status/status.ts";
import { SessionView } from "../../src/core/views/session-view.ts";
import { fieldsOf } from "../../src/core/wire/shape.ts";
import { CodexConnection } from "../../src/features/codex/daemon/codex-connection.ts";
import { JournalReader } from "../../src/journal/reader.ts";
import { playRecord } from "../../src/live/view-steps.ts";
import { decodeMark } from "../../src/protocol/payloads.ts";
import type { JournalRecord } from "../../src/protocol/records.ts";
import { CliHome } from "../e2e/cli-home.ts";
import type { Scenario, ScriptedTurn } from "../support/scripted-model/scenario.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { installedAgent } from "./installed-agents.ts";
import { AgentHome } from "./agent-home.ts";
import { LiveAgent, type LiveAgentOptions } from "./live-agent.ts";

const TURNS = 100;

const asking = (command: string): ScriptedTurn => ({
  say: "I ask first.",
  delayMs: 20,
  calls: [
    {
      name: "exec_command",
      arguments: { cmd: command, sandbox_permissions: "require_escalated", justification: "It is outside" },
    },
  ],
});

const shared: LiveAgentOptions = {
  words: ([program, ...words]) => [program, ...words.filter((word) => word !== "--no-daemon")],
};

async function started(context: TestContext, scenario: Scenario, options = shared): Promise<LiveAgent | undefined> {
  const installed = await installedAgent("codex").catch((error: Error) => error);
  if (!(installed instanceof Error)) return await LiveAgent.start(installed, scenario, options);
  context.skip(`codex did not run, it cannot be installed: ${installed.message}`);
  return undefined;
}

const openOf = async ({ daemon, session }: LiveAgent): Promise<readonly unknown[]> =>
  (await daemon.call("approvals.list", { session })).approvals;

const directoryOf = ({ daemon, session }: LiveAgent): string => join(daemon.paths.sessionsDirectory, session);

async function recordsOf(agent: LiveAgent): Promise<JournalRecord[]> {
  const reader = await JournalReader.open(directoryOf(agent));
  const records: JournalRecord[] = [];
  for (let at = reader.start; at < reader.end;) {
    const page = await reader.read(at);
    records.push(...page.records);
    at = page.next;
  }
  await reader.close();
  return records;
}

function messageIn({ payload, type }: JournalRecord): CodexMessage | null {
  const mark = type === "mark" ? decodeMark(payload) : null;
  return mark?.type === "fact" ? codexMessageIn(mark) : null;
}

interface Span {
  readonly state: StatusState;
  readonly timeUs: number;
}

/** What the views of these records report as the status, in order. */
function statusesOf(records: readonly JournalRecord[]): Span[] {
  const view = new SessionView({ columns: 100, rows: 30 });
  const changes = records.flatMap((record) => [...playRecord({ view, agent: "codex" }, record)]);
  view.dispose();
  const spans = changes.flatMap((change) =>
    change.kind === "status" ? [{ state: change.status.state, timeUs: change.timeUs }] : [],
  );
  return spans.filter(({ state }, index) => state !== spans[index - 1]?.state);
}

/** The states of the conversation as the server reported them. */
function reportedBy(records: readonly JournalRecord[], thread: string): Span[] {
  const spans = records.flatMap((record): Span[] => {
    const { method, params } = messageIn(record) ?? { method: "", params: {} };
    if (method !== "thread/status/changed" || params["threadId"] !== thread) return [];
    const { activeFlags, type } = fieldsOf(params["status"]);
    const active = Array.isArray(activeFlags) && activeFlags.length > 0 ? "blocked" : "working";
    return [{ state: type === "active" ? active : "waiting", timeUs: record.timeUs }];
  });
  return spans.filter(({ state }, index) => state !== spans[index - 1]?.state);
}

/**
 * Seconds in which `other` differs from `truth` after a change of it. A turn begins at Enter, which the server reports later: "working" in front of
 * that report is not counted.
 */
function secondsApart(truth: readonly Span[], other: readonly Span[]): number {
  const spanAt = (spans: readonly Span[], timeUs: number): Span | undefined =>
    spans.findLast((span) => span.timeUs <= timeUs);
  const [startUs = 0, endUs = 0] = [truth[0]?.timeUs, truth.at(-1)?.timeUs];
  const times = [...truth, ...other].map(({ timeUs }) => timeUs).toSorted((first, second) => first - second);
  const steps = times.filter((timeUs) => timeUs >= startUs && timeUs <= endUs + 1_000_000);
  const apart = steps.map((timeUs, index) => {
    const [wanted, shown] = [spanAt(truth, timeUs), spanAt(other, timeUs)];
    const next = truth.find((span) => span.timeUs > timeUs);
    const isEarly = next?.state === "working" && shown?.state === "working" && spanAt(other, next.timeUs) === shown;
    return wanted?.state === shown?.state || isEarly ? 0 : (steps[index + 1] ?? timeUs) - timeUs;
  });
  return apart.reduce((sum, each) => sum + each, 0) / 1e6;
}

const idsIn = (messages: readonly CodexMessage[]): string[] =>
  messages.flatMap(({ method, params }) => {
    const [turn, item] = [fieldsOf(params["turn"])["id"], fieldsOf(params["item"])["id"]];
    return /^(?:turn|item)\/(?:started|completed)$/.test(method) ? [`${method} ${String(turn ?? item)}`] : [];
  });

test(`codex: ${TURNS} turns, in which the protocol decides the status, and questions are answered by it`, async (context) => {
  const turns = Array.from({ length: TURNS }, (_, index): ScriptedTurn[] =>
    index % 4 === 3
      ? [asking(`touch made-${index}.txt && echo it-is-made`), { say: "It is made." }]
      : [{ say: `This is the answer ${index}, in some words.`, delayMs: 60 }],
  );
  await using agent = await started(context, { turns: turns.flat(), fallback: { say: "No more." } });
  if (agent === undefined) return;
  await agent.turn("Turn 0", { restart: false });
  const heard: CodexMessage[] = [];
  const second = await CodexConnection.open(join(directoryOf(agent), "codex/socket"), "0", {
    onMessage: ({ method, params }) => heard.push({ method: String(method), params: fieldsOf(params) }),
  });
  const { data } = await second.call("thread/loaded/list", {});
  const thread = String((data as readonly string[])[0]);
  await second.call("thread/resume", { threadId: thread, excludeTurns: true });
  for (let turn = 1; turn < TURNS; turn++) {
    const prompting = agent.prompt(`Turn ${turn}`);
    if (turn % 4 === 3) {
      const { approval } = await agent.asked(`touch made-${turn}.txt`);
      assert.equal(approval.source, "protocol");
      assert.deepEqual((await openOf(agent)).length, 1, "the screen asks the same, once");
      await agent.answer(approval, "1");
    }
    assert.equal((await prompting).state, "done");
    assert.equal(existsSync(join(agent.home.workingDirectory, `made-${turn}.txt`)), turn % 4 === 3);
  }
  await agent.until("waiting");
  assert.doesNotMatch(await agent.screen(), /Would you like to run/, "the prompt of the terminal is closed");
  assert.deepEqual(await openOf(agent), []);
  second.close();

  const records = await recordsOf(agent);
  const messages = records.flatMap((record) => messageIn(record) ?? []);
  const expected = idsIn(heard);
  assert.ok(expected.length > 2 * TURNS, `the second client heard ${expected.length}`);
  assert.deepEqual(idsIn(messages).slice(-expected.length), expected, "two clients: the same ids in the same order");

  const truth = reportedBy(records, thread);
  const whole = statusesOf(records);
  const byScreen = statusesOf(records.filter((record) => messageIn(record) === null));
  const ofTurns = (spans: readonly Span[]): StatusState[] =>
    spans.filter(({ timeUs }) => timeUs >= (truth[0]?.timeUs ?? 0)).map(({ state }) => state);
  assert.deepEqual(ofTurns(whole).filter((state) => state === "blocked").length, TURNS / 4);
  assert.equal((await agent.status())?.evidence[0]?.signal, "protocol");
  const seconds = ((truth.at(-1)?.timeUs ?? 0) - (truth[0]?.timeUs ?? 0)) / 1e6;
  context.diagnostic(
    `${TURNS} turns in ${seconds.toFixed(1)} s: seconds that differ from the server's report: ` +
      `status ${secondsApart(truth, whole).toFixed(2)}, by the screen alone ${secondsApart(truth, byScreen).toFixed(2)}; ` +
      `states ${truth.length}, ${whole.length}, ${byScreen.length}; ${messages.length} facts of ${CODEX_SERVER}`,
  );
  assert.deepEqual(agent.daemon.errors, []);
});

test("codex: a question outlives the daemon, and one that the terminal answers is gone", async (context) => {
  const turns = ["first", "second"].flatMap((name) => [
    asking(`touch ${name}.txt && echo it-is-made`),
    { say: "It is made." },
  ]);
  await using agent = await started(context, { turns });
  if (agent === undefined) return;
  const { key } = await agent.daemon.call("sessions.prompt", { session: agent.session, text: "Make the first" });
  const { approval } = await agent.asked("touch first.txt");
  await agent.daemon.restart();
  const again = await agent.asked("touch first.txt");
  assert.equal(again.approval.id, approval.id);
  for (let left = 100; left > 0; left--) {
    try {
      await agent.answer(again.approval, "1");
      break;
    } catch (error) {
      assert.match(String(error), /no connection to the server/);
      await agent.daemon.call("approvals.list", { session: agent.session, waitMs: 100 });
    }
  }
  const { session } = agent;
  assert.equal((await agent.daemon.call("sessions.receipt", { session, key, waitMs: 60_000 })).state, "done");
  assert.ok(existsSync(join(agent.home.workingDirectory, "first.txt")));

  const prompting = agent.prompt("Make the second");
  await agent.asked("touch second.txt");
  await agent.daemon.untilOutput(session, "Would you like to run");
  await agent.daemon.call("sessions.input", { session, text: "n" });
  await prompting;
  await agent.until("waiting");
  assert.deepEqual(await openOf(agent), []);
});

test("codex: without its server it runs as ever, and the status says why", async (context) => {
  const directory = mkdtempSync(join(tmpdir(), "codex-without-server-"));
  context.after(() => rmSync(directory, { recursive: true }));
  const words: LiveAgentOptions["words"] = ([program, ...rest]) => {
    const wrapper = join(directory, "codex");
    writeFileSync(wrapper, `#!/bin/sh\ncase "$1" in app-server) exit 2;; esac\nexec ${program} "$@"\n`);
    chmodSync(wrapper, 0o755);
    return [wrapper, ...rest.filter((word) => word !== "--no-daemon")];
  };
  await using agent = await started(context, { turns: [{ say: "It works." }] }, { words });
  if (agent === undefined) return;
  const { receipt } = await agent.turn("Does it work?", { restart: false });
  assert.equal(receipt.state, "done");
  const status = await agent.status();
  const protocol = status?.evidence.find(({ signal }) => signal === "protocol");
  assert.match(protocol?.text ?? "", /Codex runs without its server: it ended at its start/);
  assert.equal(protocol?.isDecisive, false);
  assert.equal(agent.daemon.problems.filter((line) => line.includes("server of Codex")).length, 1);
});

test("codex: its server asks the model through the gateway, and what the policy denies is not run", async (context) => {
  const installed = await installedAgent("codex").catch((error: Error) => error);
  if (installed instanceof Error)
    return context.skip(`codex did not run, it cannot be installed: ${installed.message}`);
  await using lectern = new CliHome();
  const call = (cmd: string): ScriptedTurn => ({
    say: "I do it.",
    calls: [{ name: "exec_command", arguments: { cmd } }],
  });
  const turns = [call("touch allowed.txt && echo it-is-made"), call("touch denied.txt")];
  await using model = await ScriptedModel.start({ turns, aside: "A title", fallback: { say: "I stop here." } });
  using home = new AgentHome(installed);
  const policy = join(home.directory, "policy.yaml");
  const rule = '{ id: no-denied, effect: deny, command: "touch denied.txt" }';
  writeFileSync(policy, `version: 1\ndefault: allow\nopaque: allow\nrules: [${rule}]\n`);
  const wire = ["--wire", "--policy", policy, "--upstream", `openai=${model.url}/v1`];
  const command = [installed.program, "-a", "never", "-s", "danger-full-access", "Make both files"];
  const words = ["run", "-d", "--name", "gated", "-C", home.workingDirectory, ...wire, "--", ...command];
  const { code, stderr } = await lectern.run(words, { env: home.environment() });
  assert.equal(code, 0, stderr);
  const audited = async (): Promise<string> => JSON.stringify((await lectern.client.call("audit.list", {})).rows);
  await until(async () => (await audited()).includes("no-denied"));
  await lectern.ok("wait", "gated", "--for", "status:waiting", "--timeout", "60s");
  assert.equal(existsSync(join(home.workingDirectory, "allowed.txt")), true);
  assert.equal(existsSync(join(home.workingDirectory, "denied.txt")), false);
  const status = await lectern.ok("status", "gated", "--json");
  assert.match(status, /"signal":"protocol"/, "it runs on its server");
});
