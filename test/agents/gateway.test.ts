/** Real agents, unchanged, behind the gateway, each behaviour in a run of its own: what they say, what they may do, and what they are told. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CliHome } from "../e2e/cli-home.ts";
import type { Scenario, ScriptedCall } from "../support/scripted-model/scenario.ts";
import {
  type AgentRun,
  allow,
  prompt,
  runBehindGateway,
  type Shell,
  shells,
  turnsOf,
  type WatchedAgent,
} from "./behind-gateway.ts";

for (const [name, { argument, more, tool }] of Object.entries(shells) as [WatchedAgent, Shell][]) {
  const call = (command: string): ScriptedCall => ({
    name: tool,
    arguments: { [argument]: command, ...more },
  });
  const run = async (
    scenario: Scenario,
    check: (run: AgentRun) => void,
    during: (lectern: CliHome, signal: AbortSignal) => Promise<void> = async () => undefined,
  ): Promise<void> => {
    await using lectern = new CliHome();
    await lectern.ok("run", "-d", "--", "true");
    await runBehindGateway(lectern, { name, scenario, during: (signal) => during(lectern, signal) }, check);
    assert.match(await lectern.ok("audit", "verify"), /\S/);
  };

  test(`${name} behind the gateway: an allowed call runs, and the journal has the exact messages`, async () => {
    const say = "I make the file, “as you wish” … 日本.";
    const scenario: Scenario = {
      turns: [
        { say, calls: [call("touch allowed.txt && echo it-is-made")] },
        { when: { last: "it-is-made" }, say: "Done as asked." },
      ],
    };
    await run(scenario, ({ audit, code, events, made, output }) => {
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
    await run(scenario, ({ events, made, output }) => {
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
    await run(
      scenario,
      ({ audit, made, output }) => {
        assert.ok(made("asked.txt"), output);
        assert.match(audit, /"approver":"person \(note: anna\)"/);
      },
      (lectern, signal) => allow(lectern, { command: "touch asked.txt", name, signal }),
    );
  });

  test(`${name} behind the gateway: a call that was cut off does not run`, async () => {
    const cut = `{"${argument}":"touch cut.txt`;
    const calls = [name === "gemini" ? call("touch cut.txt") : { name: tool, arguments: cut }];
    const scenario: Scenario = {
      turns: [{ say: "I begin.", calls, finish: "length" }],
      fallback: { say: "I stop here." },
    };
    await run(scenario, ({ audit, made }) => {
      assert.ok(!made("cut.txt"));
      assert.match(audit, /"effect":"deny"/);
      assert.doesNotMatch(audit, /"type":"start"/);
    });
  });
}
