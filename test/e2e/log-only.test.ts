/** A policy in the mode `log-only`: it decides and writes down, and refuses nothing; and no program inside can choose it. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { InsideWorker } from "../support/inside-worker.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const rules = `rules:
  - { id: look, effect: allow, command: ls ** }
  - { id: no-rm, effect: deny, command: rm ** }
`;
const enforced = `version: 1\n${rules}`;
const logOnly = `version: 1\nmode: log-only\n${rules}`;
const shell = (command: string): { readonly name: string; readonly arguments: { readonly command: string } } => ({
  name: "shell",
  arguments: { command },
});

test("log-only passes each call without a question, and everything that shows the session says so", async () => {
  const calls = [shell("ls"), shell("rm -rf /"), shell("make"), shell("lectern approve job q1")];
  await using model = await ScriptedModel.start({ turns: [{ say: "One", calls }] });
  const home = await shared.empty();
  writeFileSync(join(home.directory, "policy.yaml"), logOnly);
  const wire = ["--wire", "--policy", "policy.yaml", "--upstream", `anthropic=${model.url}`];
  const started = await home.run(["run", "-d", "-n", "told", ...wire, "--", "bash", "--norc"]);
  assert.deepEqual(
    [started.code, started.stdout, started.stderr],
    [0, "told\n", "The policy is log-only: it decides and writes down, and refuses nothing\n"],
  );
  const worker = await InsideWorker.start(home, "job", ...wire);
  await home.ok("send", "job", "please", "--enter");
  // Lectern's own commands are refused without a policy too.
  const pattern =
    'One \\| call of shell \\| call of shell \\| call of shell \\| \\[Lectern\\] The tool call "shell" was refused';
  const seen = await home.client.call("sessions.wait", { session: "job", for: { type: "output", pattern }, from: 0 });
  assert.equal(seen.reason, "output");
  const log = await home.ok("audit", "--session", "job");
  assert.match(log, /shell allow by look \(line 4\), not enforced: ls/);
  assert.match(log, /shell deny by no-rm \(line 5\), not enforced: rm -rf \//);
  assert.match(log, /shell ask by default, not enforced: make/);
  assert.match(log, /shell deny by lectern: lectern approve/);
  assert.equal(log.match(/ started by agent/g)?.length, 3);
  assert.match(await home.ok("audit", "verify"), /^The audit log is intact/);
  assert.deepEqual((await home.client.call("approvals.list", {})).approvals, []);
  assert.match(await home.ok("ls"), / log only, \d+ requests, /);
  assert.match(await home.ok("info", "job"), /LOG ONLY: nothing is refused/);
  const { records } = await home.client.call("sessions.records", { session: "job", types: ["mark"] });
  const events = records.map((record) => record["event"] as Readonly<Record<string, unknown>>);
  assert.deepEqual(
    events.filter(({ type }) => type === "wire-tool-call").map(({ effect, enforced: held }) => [effect, held]),
    [
      ["allow", false],
      ["deny", false],
      ["ask", false],
      ["deny", undefined],
    ],
  );

  assert.match(
    await worker.shell("$L run -d -n child --wire --policy policy.yaml -- bash --norc"),
    /log-only[^]*child\ncode 0/,
  );
  assert.equal((await home.client.call("sessions.get", { session: "child" })).gate?.mode, "log-only");
});

test("a program in a session with an enforced policy cannot get to log-only", async () => {
  await using model = await ScriptedModel.start({ turns: [] });
  const home = await shared.empty();
  writeFileSync(join(home.directory, "policy.yaml"), enforced);
  const wire = ["--wire", "--policy", "policy.yaml", "--upstream", `anthropic=${model.url}`];
  const worker = await InsideWorker.start(home, "job", ...wire);
  writeFileSync(join(home.directory, "open.yaml"), logOnly);
  assert.match(
    await worker.shell("$L run -d -n open --wire --policy open.yaml -- bash --norc"),
    /this is another policy/,
  );
  // The file that the policy came from is changed from inside: the session and its children keep what they have.
  writeFileSync(join(home.directory, "policy.yaml"), logOnly);
  assert.match(
    await worker.shell("$L run -d -n open --wire --policy policy.yaml -- bash --norc"),
    /this is another policy/,
  );
  assert.match(await worker.shell("$L run -d -n child -- bash --norc"), /child\ncode 0/);
  await home.crashDaemon();
  await home.ok("ls");
  const modes = await Promise.all(
    ["job", "child"].map(async (session) => (await home.client.call("sessions.get", { session })).gate?.mode),
  );
  assert.deepEqual(modes, ["enforce", "enforce"]);
});
