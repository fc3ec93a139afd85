import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import type { Scenario } from "../support/scripted-model/scenario.ts";
import { readMcpConfig } from "../../src/executor/mcp-tools.ts";
import { blocksOf, stepsOf } from "../documents.ts";
import { until } from "../support/until.ts";
import { CliHome, QuickHome, type Result } from "./cli-home.ts";

const policy = `version: 1
rules:
  - { id: run, effect: allow, tool: shell, command: [echo **, seq **, touch **, sleep **, env] }
  - { id: here, effect: allow, tool: [read_file, write_file, edit_file], arguments: [{ at: /path, under: . }] }
  - { id: no-rm, effect: deny, tool: shell, command: rm **, reason: Nothing is removed here }
`;

/** Where each dialect's base URL ends. */
const bases = { anthropic: "", "openai-chat": "/v1", "openai-responses": "/v1", gemini: "" } as const;
type Name = keyof typeof bases;

class AgentHome extends CliHome {
  constructor() {
    super();
    writeFileSync(join(this.directory, "policy.yaml"), policy);
  }

  words(model: ScriptedModel, dialect: Name, ...more: string[]): string[] {
    const upstream = ["--dialect", dialect, "--base-url", `${model.url}${bases[dialect]}`, "--model", "scripted"];
    return ["agent", ...upstream, "--policy", "policy.yaml", ...more];
  }

  agent(model: ScriptedModel, dialect: Name, ...more: string[]): Promise<Result> {
    const env = { ANTHROPIC_API_KEY: "sk-secret-1", OPENAI_API_KEY: "sk-secret-1", GEMINI_API_KEY: "sk-secret-1" };
    return this.run(this.words(model, dialect, ...more), { env });
  }
}

const twoCalls: Scenario = {
  turns: [
    {
      say: "I look.",
      calls: [
        { name: "shell", arguments: { command: "echo from the shell; env" } },
        { name: "write_file", arguments: { path: "made.txt", content: "made" } },
        { name: "shell", arguments: { command: "rm made.txt" } },
      ],
    },
    { say: "All is done." },
  ],
};

test("an agent works in each dialect: allowed calls run, denied ones do not, and the model is told", async () => {
  await using home = new AgentHome();
  for (const dialect of Object.keys(bases) as Name[]) {
    await using model = await ScriptedModel.start(twoCalls);
    const { code, stderr, stdout } = await home.agent(model, dialect, "do", "it");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /I look\.\n[\s\S]*shell refused: Nothing is removed here[\s\S]*All is done\.\n$/, dialect);
    assert.equal(readFileSync(join(home.directory, "made.txt"), "utf8"), "made");
    const [first, second] = model.turnRequests(dialect);
    assert.match(JSON.stringify(first?.body), /do it/);
    const results = JSON.stringify(second?.body);
    assert.match(results, /from the shell/);
    assert.match(results, /Wrote 4 bytes/);
    assert.match(results, /Refused: Nothing is removed here/);
    assert.doesNotMatch(results, /sk-secret-1/);
  }
  const log = await home.ok("audit", "--all");
  assert.equal(log.match(/ shell allow by run/g)?.length, 4);
  assert.equal(log.match(/ shell deny by no-rm/g)?.length, 4);
  assert.equal(log.match(/ started by executor/g)?.length, 8);
  assert.equal(log.match(/ succeeded [0-9a-f]{64}/g)?.length, 8);
  assert.match(await home.ok("audit", "verify"), /^The audit log is intact: 28 rows/);
  assert.doesNotMatch(readFileSync(join(home.paths.auditDirectory, "rows.jsonl"), "utf8"), /sk-secret-1/);
});

test("a call that was cut off is not run, and a long output is fetched by its hash", async () => {
  await using home = new AgentHome();
  await using cut = await ScriptedModel.start({
    turns: [
      { calls: [{ name: "shell", arguments: '{"command":"touch cut' }], finish: "length" },
      { calls: [{ name: "shell", arguments: { command: "touch whole" } }], finish: "length" },
      { say: "Then not." },
    ],
  });
  assert.match((await home.agent(cut, "anthropic", "go")).stdout, /refused: [\s\S]*refused: [\s\S]*Then not\./);
  assert.deepEqual(
    [existsSync(join(home.directory, "cut")), existsSync(join(home.directory, "whole"))],
    [false, false],
  );
  await using long = await ScriptedModel.start({
    turns: [{ calls: [{ name: "shell", arguments: { command: "seq 1 100000" } }] }, { say: "Long." }],
  });
  const { stdout } = await home.agent(long, "openai-chat", "--json", "count");
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const end = events.find(({ type }) => type === "call-end");
  assert.ok(Number(end?.["omittedBytes"]) > 500_000);
  const whole = await home.ok("blob", String(end?.["hash"]).slice(0, 16));
  assert.equal(whole.length, 588_895);
  assert.match(await home.fails("blob", "0".repeat(64)), /^3 lectern: Cannot find blob/);
});

test("in a session an agent asks on its terminal, and Ctrl-C stops the call, then the turn", async () => {
  await using home = new AgentHome();
  await using model = await ScriptedModel.start({
    turns: [
      { calls: [{ name: "shell", arguments: { command: "mkdir asked" } }] },
      { calls: [{ name: "shell", arguments: { command: "mkdir refused" } }] },
      { calls: [{ name: "shell", arguments: { command: "touch begun; sleep 1000" } }] },
      { say: "One moment", stall: 4 },
      { say: "Here again." },
    ],
  });
  const { environment } = home;
  const inner = [
    "env",
    `LECTERN_HOME=${environment["LECTERN_HOME"]}`,
    process.execPath,
    join(import.meta.dirname, "../../bin/lectern.mjs"),
  ];
  await home.ok("run", "-d", "--name", "work", "--cols", "200", "--", ...inner, ...home.words(model, "anthropic"));
  const { client } = home;
  const shows = async (pattern: string): Promise<void> => {
    const { reason } = await client.call("sessions.wait", {
      session: "work",
      for: { type: "output", pattern },
      from: 0,
      timeoutMs: 90_000,
    });
    assert.equal(reason, "output", pattern);
  };
  const press = (text: string): Promise<unknown> => client.call("sessions.input", { session: "work", text });
  await shows("> $");
  await press("begin\r");
  await shows("Allow shell\\? \\[y/N\\] $");
  await press("y\r");
  await shows("mkdir refused[\\s\\S]*Allow shell\\? \\[y/N\\] $");
  await press("\r");
  await shows("shell refused: ");
  await shows("sleep 1000");
  await until(() => existsSync(join(home.directory, "begun")));
  await press("\u0003");
  await shows("cancelled: It was stopped");
  await shows("One");
  await press("\u0003");
  await shows("The turn was stopped");
  await press("again\r");
  await shows("Here again");
  await press("\u0004");
  const { session } = await client.call("sessions.wait", { session: "work", for: { type: "exit" }, timeoutMs: 90_000 });
  assert.equal(session.exit?.code, 0);
  assert.deepEqual(
    [existsSync(join(home.directory, "asked")), existsSync(join(home.directory, "refused"))],
    [true, false],
  );
  const { rows } = await client.call("audit.list", { session: "work", from: 0 });
  assert.deepEqual(
    rows.map(({ row }) => row["effect"] ?? row["result"] ?? row.type),
    ["ask", "allow", "start", "succeeded", "ask", "deny", "allow", "start", "cancelled"],
  );
});

test("the example of docs/agent.md prints what stands there", async () => {
  await using home = new QuickHome();
  const blocks = blocksOf("docs/agent.md");
  const file = (name: string): string => blocks.find((block) => block.name === name)?.text ?? "";
  assert.deepEqual(Object.keys(readMcpConfig(file("mcp.json"), "mcp.json")), ["files"]);
  writeFileSync(join(home.directory, "policy.yaml"), file("policy.yaml"));
  writeFileSync(join(home.directory, "notes.txt"), "one\ntwo\n");
  await using model = await ScriptedModel.start({
    turns: [
      { say: "I count first.", calls: [{ name: "shell", arguments: { command: "wc -l notes.txt" } }] },
      { calls: [{ name: "shell", arguments: { command: "rm notes.txt" } }] },
      { say: "There are 2 notes. I may not remove them." },
    ],
  });
  const steps = blocks.filter(({ language }) => language === "console").flatMap(stepsOf);
  assert.equal(steps.length, 1);
  for (const { printed, words } of steps) {
    const { code, stdout } = await home.run(words.slice(1), { env: { ANTHROPIC_BASE_URL: model.url } });
    const lines = stdout.split("\n").filter((line) => !line.startsWith("… "));
    assert.deepEqual([code, lines.join("\n").trimEnd()], [0, printed]);
  }
});

test("what an agent lacks or cannot reach is said in one line", async () => {
  await using home = new AgentHome();
  assert.match(
    await home.fails("agent", "hello"),
    /^2 lectern: Cannot call api.anthropic.com without a key: set ANTHROPIC_API_KEY/,
  );
  assert.match(
    await home.fails("agent", "--base-url", "http://127.0.0.1:1", "x"),
    /^2 lectern: Missing model: give --model/,
  );
  await using model = await ScriptedModel.start({
    turns: [{ status: 401, error: { type: "authentication_error", message: "bad key" } }],
  });
  const { code, stderr } = await home.agent(model, "anthropic", "x");
  assert.deepEqual([code, stderr], [1, "lectern: The model did not answer: status 401, bad key\n"]);
  assert.match((await home.agent(model, "anthropic")).stderr, /Cannot read prompts without a terminal/);
});

test("behind the gateway the agent leaves decisions and rows to it, and each call runs once", async () => {
  await using home = new AgentHome();
  await using model = await ScriptedModel.start({
    turns: [
      {
        calls: [
          { name: "shell", arguments: { command: "echo run >> ran" } }, // A redirection: asked.
          { name: "shell", arguments: { command: "rm ran" } },
        ],
      },
      { say: "All is done." },
    ],
  });
  const lectern = [process.execPath, join(import.meta.dirname, "../../bin/lectern.mjs")];
  const inner = [...lectern, "agent", "--dialect", "anthropic", "--model", "scripted", "go"];
  const guarded = ["--wire", "--policy", "policy.yaml", "--upstream", `anthropic=${model.url}`];
  await home.ok("run", "-d", "--name", "guarded", ...guarded, "--", ...inner);
  const { client } = home;
  let question = "";
  await until(async () => {
    const { approvals } = await client.call("approvals.list", { session: "guarded" });
    question = approvals[0]?.id ?? "";
    return question !== "";
  });
  await home.ok("approve", "guarded", question);
  const wait = { session: "guarded", for: { type: "exit" }, timeoutMs: 90_000 } as const;
  const { session } = await client.call("sessions.wait", wait);
  assert.equal(session.exit?.code, 0, await home.ok("logs", "guarded"));
  assert.equal(readFileSync(join(home.directory, "ran"), "utf8"), "run\n");
  assert.match(JSON.stringify(model.turnRequests("anthropic")[1]?.body), /Exit code 0/);
  const wanted = ["ask", "deny", "allow", "agent", "unknown"];
  let found: readonly unknown[] = [];
  // What was written when the session had ended comes behind its exit.
  await until(async () => {
    const { rows } = await client.call("audit.list", { session: "guarded", from: 0 });
    found = rows.map(({ row }) => row["effect"] ?? row["result"] ?? row["executor"]);
    return found.length >= wanted.length;
  }, "all rows are written");
  assert.deepEqual(found, wanted);
  const replay = await home.ok("policy", "replay", "policy.yaml", "guarded");
  assert.match(replay, /^ {2}ask {3}shell: write ran[\s\S]*\n {2}deny {2}shell: rm ran \(no-rm/);
});
