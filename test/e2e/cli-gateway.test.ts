/** A session behind the gateway from the command line: policy, questions, and a daemon that dies meanwhile. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { test } from "node:test";
import type { SessionEvent } from "../../src/core/records.ts";
import { bodyOf } from "../support/model-requests.ts";
import { questionIn } from "../support/question-in.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { until } from "../support/until.ts";
import { CliHome, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

/** An agent of ten lines: for each line that is typed it asks the model and prints the text and the names of the tools. */
const agent = `
import { createInterface } from "node:readline";
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
    method: "POST", headers: { "content-type": "application/json", "x-api-key": "sk-very-secret" },
    body: JSON.stringify({ ...${JSON.stringify(bodyOf("anthropic", false))}, messages: [{ role: "user", content: line }] }),
  });
  const { content, error } = await response.json();
  console.log(error ? "error " + error.message : content.map((block) => block.text ?? "call of " + block.name).join(" | "));
}
`;

const policy = `
version: 1
default: allow
rules:
  - { id: no-rm, effect: deny, tool: shell, arguments: [{ at: /command, glob: "rm*" }], reason: "Nothing is deleted here" }
  - { id: ask-push, effect: ask, tool: shell, arguments: [{ at: /command, glob: "git push*" }] }
`;

const callOf = (command: string): { readonly name: string; readonly arguments: { readonly command: string } } => ({
  name: "shell",
  arguments: { command },
});

interface Started extends AsyncDisposable {
  readonly lectern: CliHome;
  readonly model: ScriptedModel;
  /** Types a line and waits for what the agent prints. */
  readonly ask: (line: string, answer: string) => Promise<void>;
}

async function started(turns: Parameters<typeof ScriptedModel.start>[0]["turns"]): Promise<Started> {
  const model = await ScriptedModel.start({ turns });
  const lectern = new CliHome();
  const file = (name: string): string => join(lectern.directory, name);
  writeFileSync(file("agent.mjs"), agent);
  writeFileSync(file("policy.yaml"), policy);
  const wire = ["--wire", "--policy", "policy.yaml", "--upstream", `anthropic=${model.url}`];
  await lectern.ok("run", "-d", "-n", "work", ...wire, "--", process.execPath, file("agent.mjs"));
  const untilPrinted = async (pattern: string, from?: number): Promise<void> => {
    const found = await lectern.client.call("sessions.wait", {
      session: "work",
      for: { type: "output", pattern },
      ...(from !== undefined && { from }),
    });
    assert.equal(found.reason, "output", pattern);
  };
  await untilPrinted("ready", 0);
  return {
    lectern,
    model,
    ask: async (line, answer) => {
      await lectern.ok("send", "work", line, "--enter");
      await untilPrinted(answer);
    },
    [Symbol.asyncDispose]: async () => {
      await lectern[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** More than a question shows. */
const long = `git push ${"x".repeat(5000)}; rm -rf ./hidden`;

test("an agent behind the gateway is told of a denial, asks through lectern approve, and outlives the daemon", async () => {
  await using run = await started([
    { say: "One", calls: [callOf("rm -rf /")] },
    { say: "Two", calls: [callOf("git push")] },
    { say: "Three", calls: [callOf("ls")] },
    { say: "Four", calls: [callOf(long)] },
  ]);
  const { ask, lectern, model } = run;
  await ask("first", 'One \\| \\[Lectern\\] The tool call "shell" was refused');

  const asked = ask("second", "Two \\| call of shell");
  await questionIn(lectern.client);
  const question = JSON.parse(await lectern.ok("approvals", "--json")) as {
    id: string;
    details: string;
    source: string;
    digest: string;
  };
  assert.deepEqual([question.source, question.details], ["wire", '{"command":"git push"}']);
  assert.match(await lectern.fails("approve", "work", question.id, "perhaps"), /wanted one of "allow"/);
  assert.match(await lectern.ok("approvals"), /May the tool "shell" run\?/);
  assert.match(await lectern.ok("approve", "work", question.id, "--by", "anna"), /Allow this call/);
  await asked;
  assert.match(await lectern.fails("approve", "work", question.id), /answered or withdrawn/);

  await lectern.crashDaemon();
  await lectern.ok("ls");
  await ask("third", "Three \\| call of shell");

  // What was shown before the crash answers nothing that is asked after it.
  const last = ask("fourth", "Four \\| call of shell");
  const next = await questionIn(lectern.client);
  assert.notEqual(next.id, question.id);
  assert.match(await lectern.fails("approve", "work", question.id), /answered or withdrawn/);
  assert.match(
    await lectern.fails("approve", "work", next.id, "--digest", question.digest),
    /^4 .*question has changed/,
  );
  const whole = /\[cut after 4000 of \d+ characters; all of it: lectern blob ([0-9a-f]{16})\]$/.exec(next.details)?.[1];
  assert.equal(await lectern.ok("blob", whole ?? ""), JSON.stringify({ command: long }));
  await lectern.ok("approve", "work", next.id, "--digest", next.digest);
  await last;

  let events: readonly SessionEvent[] = [];
  const turns = (): string[] => events.flatMap((event) => (event.type === "wire-turn" ? [event.text] : []));
  // A turn is written down while its answer is on the way to the agent.
  await until(async () => {
    const { records } = await lectern.client.call("sessions.records", { session: "work", types: ["mark"] });
    events = records.map((record) => record["event"] as SessionEvent);
    return turns().length >= 4;
  }, "all turns are in the journal");
  assert.deepEqual(turns(), ["One", "Two", "Three", "Four"]);
  assert.match(await lectern.ok("audit", "--all"), /anna/);
  assert.match(await lectern.ok("policy", "replay", "policy.yaml", "work"), /no-rm/);
  // Neither the user's key nor the session's address is kept anywhere.
  const address = /\/wire\/([\w-]{20,})/;
  const settings = readFileSync(
    join(
      lectern.paths.sessionsDirectory,
      (await lectern.client.call("sessions.get", { session: "work" })).id,
      "wire.json",
    ),
    "utf8",
  );
  assert.doesNotMatch(
    settings + JSON.stringify(events) + readFileSync(lectern.paths.logFile, "utf8"),
    /sk-very-secret/,
  );
  assert.doesNotMatch(settings + JSON.stringify(events), address);
  assert.equal(model.turnRequests().length, 4);
});

test("lectern.yaml limits the requests to a model server and its silence, and the metrics count what is refused", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.dataDirectory, { mode: 0o700 });
  writeFileSync(home.paths.configFile, "gateway: {connections: 1, queue: 0, idle: 1s}\n");
  await using model = await ScriptedModel.start({ turns: [{ say: "I begin", stall: 1 }] });
  const ask = `
    const ask = () => fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
      method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(JSON.stringify(bodyOf("anthropic")))},
    });
    const first = await ask();
    const second = await ask();
    console.log("second " + second.status, await second.text());
    console.log("first " + await first.text());
  `;
  await home.ok(
    "run",
    "-d",
    "-n",
    "work",
    "--wire",
    "--upstream",
    `anthropic=${model.url}`,
    "--",
    process.execPath,
    "-e",
    ask,
  );
  await home.ok("wait", "work");
  const text = await home.ok("logs", "work");
  assert.match(text, /second 503 .*upstream_busy.*answers 1 requests of this machine, and 0 requests wait already/);
  assert.match(text, /first [\s\S]*upstream_idle/);
  const options = { socketPath: home.paths.daemonSocket, path: "/metrics", headers: { host: "lectern" } };
  const [response] = (await once(get(options), "response")) as [IncomingMessage];
  const metrics = await readText(response);
  assert.match(metrics, /^lectern_gateway_refused_total\{reason="busy"\} 1$/m);
  assert.match(metrics, /^lectern_gateway_upstream_requests\{state="active"\} 0$/m);
});

test("run --wire says what is wrong with its options before anything starts", async () => {
  const lectern = await shared.empty();
  writeFileSync(join(lectern.directory, "bad.yaml"), "version: 1\nrulse: []\n");
  assert.match(
    await lectern.fails("run", "-d", "--policy", "bad.yaml", "--", "true"),
    /Cannot use --policy.* without --wire/,
  );
  assert.match(
    await lectern.fails("run", "-d", "--wire", "--policy", "bad.yaml", "--", "true"),
    /bad\.yaml:2:1: .*"rules"/,
  );
  assert.match(await lectern.fails("run", "-d", "--wire", "--upstream", "x=http://a", "--", "true"), /ROUTE=URL/);
  assert.match(
    await lectern.fails("run", "-d", "--wire", "--upstream", "openai=ftp://a", "--", "true"),
    /upstream of "openai"/,
  );
  assert.match(await lectern.fails("run", "-d", "--wire", "--", "cline"), /Cannot watch Cline over the wire/);
  assert.equal(await lectern.ok("ls", "-a", "--quiet"), "");
});

test("lectern agents finds programs in the PATH with their versions", async () => {
  const lectern = await shared.empty();
  const bin = join(lectern.directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "codex"), "#!/bin/sh\necho codex-cli 9.8.7\n");
  chmodSync(join(bin, "codex"), 0o755);
  const env = { PATH: `${bin}:/usr/bin:/bin` };
  const { stdout } = await lectern.run(["agents", "--json"], { env });
  const { agents } = JSON.parse(stdout) as { agents: { name: string; version: string; path: string }[] };
  const codex = agents.find(({ name }) => name === "codex");
  assert.deepEqual([codex?.version, codex?.path], ["9.8.7", join(bin, "codex")]);
  assert.match((await lectern.run(["agents", "--all"], { env })).stdout, /claude +\S+ +anthropic/);
});
