/**
 * The part of the agents' tests that `npm run test:long` runs: Claude Code, Codex and Gemini CLI, unchanged, behind the gateway of one daemon.
 * Two runs of each show all four behaviours; `test/agents/gateway.test.ts` has each in a run of its own, with more agents.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CliHome } from "../e2e/cli-home.ts";
import type { Scenario, ScriptedCall } from "../support/scripted-model/scenario.ts";
import { allow, prompt, runBehindGateway, shells, turnsOf, type WatchedAgent } from "./behind-gateway.ts";
import { gatedAgents } from "./installed-agents.ts";

const say = "I make the file, “as you wish” … 日本.";

test("agents run what is allowed, wait where a person is asked, and run nothing that is denied or cut off", async (context) => {
  await using lectern = new CliHome();
  await lectern.ok("run", "-d", "--", "true");
  // One after the other: a busy machine gains nothing from more at once.
  for (const name of gatedAgents) {
    await context.test(name, async () => {
      await allowedAskedDenied(lectern, name);
      await cutOff(lectern, name);
    });
  }
  assert.match(await lectern.ok("audit", "verify"), /\S/);
});

test("a program that Codex runs its tools with is opaque: none of its calls is allowed unread", async (context) => {
  await using lectern = new CliHome();
  await lectern.ok("run", "-d", "--", "true");
  // Its own default; the other tests name an older model, which calls the tools itself.
  const options = ["-m", "gpt-6.1-sol"];
  const program = 'text(await tools.exec_command({ cmd: "touch denied.txt && echo it-is-made" }))';
  const scenario: Scenario = {
    turns: [{ calls: [{ name: "exec", arguments: program, isCustom: true }] }],
    fallback: { say: "I stop here." },
  };
  const policyOf = (opaque: string): string =>
    `version: 1\ndefault: allow\nopaque: ${opaque}\nrules: [{ id: no-denied, effect: deny, command: "touch denied.txt" }]\n`;
  await context.test("denied", () =>
    runBehindGateway(lectern, { name: "codex", scenario, options, policy: policyOf("deny") }, (run) => {
      assert.equal(run.made("denied.txt"), false, run.output);
      assert.match(run.audit, /"effect":"deny"/);
      assert.doesNotMatch(run.audit, /"type":"start"/);
    }),
  );
  await context.test("allowed, as the policy says of what it cannot read", () =>
    runBehindGateway(lectern, { name: "codex", scenario, options, policy: policyOf("allow") }, (run) => {
      assert.equal(run.made("denied.txt"), true, run.output + run.audit);
    }),
  );
});

async function allowedAskedDenied(lectern: CliHome, name: WatchedAgent): Promise<void> {
  const { tool } = shells[name];
  const scenario: Scenario = {
    turns: [
      { say, calls: [callOf(name, "touch allowed.txt && echo it-is-made")] },
      { when: { last: "it-is-made" }, say: "May I?", calls: [callOf(name, "touch asked.txt && echo it-was-asked")] },
      { when: { last: "it-was-asked" }, say: "I try.", calls: [callOf(name, "touch denied.txt")] },
    ],
  };
  const during = (signal: AbortSignal): Promise<void> => allow(lectern, { command: "touch asked.txt", name, signal });
  await runBehindGateway(lectern, { name, scenario, during }, ({ audit, code, events, made, output }) => {
    assert.equal(code, 0, output);
    assert.deepEqual([made("allowed.txt"), made("asked.txt"), made("denied.txt")], [true, true, false], output);
    assert.match(output.replaceAll(/\s+/g, " "), /was refused and not executed: .*This file is not made here/);
    // Some ask for more afterwards, such as what to remember.
    const turns = turnsOf(events).filter(({ text }) => text !== "A title" && text !== "No more.");
    assert.deepEqual(
      turns.slice(0, 3).map(({ calls, refused, text }) => [text, calls.length, refused.length]),
      [
        [say, 1, 0],
        ["May I?", 1, 0],
        ["I try.", 1, 1],
      ],
    );
    const parts = events.flatMap((event) => (event.type === "wire-request" ? event.parts : []));
    assert.ok(parts.some((part) => part.type === "user" && part.text.replaceAll('"', "").trim() === prompt));
    assert.ok(parts.some((part) => part.type === "tool-result" && part.text.includes("it-is-made")));
    assert.ok(events.some((event) => event.type === "wire-intent" && event.tool === tool));
    assert.deepEqual(
      [...audit.matchAll(/"type":"(decision|answer|start|outcome)"/g)].map(([, type]) => type),
      ["decision", "start", "outcome", "decision", "answer", "start", "outcome", "decision"],
    );
    assert.match(audit, /"approver":"person \(note: anna\)"/);
    assert.doesNotMatch(JSON.stringify(events) + audit, /sk-dummy/);
  });
}

async function cutOff(lectern: CliHome, name: WatchedAgent): Promise<void> {
  const { argument, tool } = shells[name];
  // Gemini's arguments are no text that could be cut.
  const cut: ScriptedCall = { name: tool, arguments: `{"${argument}":"touch cut.txt` };
  const scenario: Scenario = {
    turns: [{ say: "I begin.", calls: [name === "gemini" ? callOf(name, "touch cut.txt") : cut], finish: "length" }],
    fallback: { say: "I stop here." },
  };
  // Codex told to use a WebSocket goes on over HTTP in the same turn.
  const options = name === "codex" ? ["-c", "model_providers.lectern.supports_websockets=true"] : [];
  await runBehindGateway(lectern, { name, scenario, options }, ({ audit, made, output }) => {
    if (name === "codex") assert.match(output, /responses_websocket: failed to connect/);
    assert.ok(!made("cut.txt"));
    assert.match(audit, /"effect":"deny"/);
    assert.doesNotMatch(audit, /"type":"start"/);
  });
}

function callOf(name: WatchedAgent, command: string): ScriptedCall {
  const { argument, more, tool } = shells[name];
  return { name: tool, arguments: { [argument]: command, ...more } };
}
