/** Tokens and cost of agents behind the gateway, from the command line and the API, also after the session has ended. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { wiredAgentProgram } from "../support/wired-agent.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

test("usage is added up over sessions, stays when one ends or the daemon is killed, and goes when it is removed", async () => {
  await using model = await ScriptedModel.start({
    turns: [{ say: "Look", calls: [{ name: "shell", arguments: { command: "ls" } }] }, { say: "Done" }],
  });
  const lectern = await shared.empty();
  assert.match(await lectern.ok("usage"), /^No answer of a model was seen/);
  const program = wiredAgentProgram(lectern.directory);
  const wire = ["--wire", "--upstream", `anthropic=${model.url}`, "--label", "team=core"];
  await lectern.ok("run", "-d", "-n", "work", ...wire, "--", process.execPath, program);
  const shown = async (pattern: string): Promise<void> => {
    await lectern.client.call("sessions.wait", { session: "work", for: { type: "output", pattern }, from: 0 });
  };
  await shown("ready");
  await lectern.ok("send", "work", "count", "--enter");
  await shown("answer Done");
  await lectern.ok("kill", "work");
  await lectern.client.call("sessions.wait", { session: "work", for: { type: "exit" } });
  const before = await lectern.client.call("usage.list", { by: "model" });
  assert.deepEqual([before.rows.length, before.rows[0]?.key, before.total.requests], [1, "claude-sonnet-4-5", 2]);
  assert.ok(before.total.input > 0 && before.total.costUsd > 0);
  await lectern.crashDaemon();
  const csv = (await lectern.ok("usage", "--by", "label:team", "--csv")).trimEnd().split("\n");
  assert.deepEqual([csv.length, csv[1]?.split(",").slice(0, 3)], [2, ["core", "core", "2"]]);
  assert.deepEqual((await lectern.client.call("usage.list", { by: "model" })).total, before.total);
  assert.match(await lectern.ok("usage", "--by", "session"), /SESSION +ANSWERS .*\nwork +2 /);
  const today = JSON.parse(await lectern.ok("usage", "--since", "1h", "--json")) as {
    readonly rows: readonly unknown[];
  };
  assert.equal(today.rows.length, 1);
  assert.match(await lectern.fails("usage", "--by", "colour"), /^2 .*wanted session, agent, model, label:KEY or day/);
  assert.match(await lectern.fails("usage", "--since", "soon"), /^2 .*a duration such as 7d/);
  await assert.rejects(lectern.client.call("usage.list", { timeZone: "Nowhere/Else" }), { code: "INVALID_INPUT" });
  await lectern.ok("rm", "work");
  assert.equal((await lectern.client.call("usage.list", {})).total.requests, 0);
});
