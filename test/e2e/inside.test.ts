/** What programs inside a session may ask the daemon for, in every way that they can ask. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Session } from "../../src/protocol/session.ts";
import { InsideWorker, ways, type InsideAnswer } from "../support/inside-worker.ts";
import { questionIn } from "../support/question-in.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { isRunning } from "../support/temporary-daemon.ts";
import { until } from "../support/until.ts";
import { someOf } from "../support/variants.ts";
import { CliHome, gone, SharedHome } from "./cli-home.ts";

const shared = new SharedHome();
const policy = "version: 1\ndefault: ask\n";

interface Gated extends AsyncDisposable {
  readonly home: CliHome;
  readonly worker: InsideWorker;
}

/** The session "job" with a policy, and "other" without one. */
async function gated(turns: Parameters<typeof ScriptedModel.start>[0]["turns"] = []): Promise<Gated> {
  const model = await ScriptedModel.start({ turns });
  const home = await shared.empty();
  writeFileSync(join(home.directory, "policy.yaml"), policy);
  const wire = ["--wire", "--policy", "policy.yaml", "--upstream", `anthropic=${model.url}`];
  const worker = await InsideWorker.start(home, "job", "--label", "team=a", ...wire);
  await home.ok("run", "-d", "-n", "other", "--", "bash", "--norc");
  return {
    home,
    worker,
    [Symbol.asyncDispose]: async () => {
      await home.clear();
      await model[Symbol.asyncDispose]();
    },
  };
}

function assertRefused(answer: InsideAnswer, what: string): void {
  assert.equal(answer.status, 403, `${what}: ${answer.text}`);
  assert.match(answer.text, /"code":"FORBIDDEN".*"inside":"/, what);
}

const evidenceOf = ({ text }: InsideAnswer): string => /"evidence":"([a-z-]+)"/.exec(text)?.[1] ?? text;

/** The rows of refusals of what a session asked for, as `requester tool`. */
async function refusals(home: CliHome, session: string): Promise<string[]> {
  const { rows } = await home.client.call("audit.list", { limit: 1000 });
  return rows
    .filter(({ row }) => row["decidedBy"] === "inside-session")
    .map(({ row }) => `${String(row["requester"])} ${String(row["tool"])}`)
    .filter((refusal) => refusal.startsWith(`session ${session},`));
}

test("a program cannot approve its own call, and the audit log names its session and process", async () => {
  await using run = await gated([{ say: "One", calls: [{ name: "shell", arguments: { command: "rm -rf /" } }] }]);
  const { home, worker } = run;
  await home.ok("send", "job", "please", "--enter");
  const question = await questionIn(home.client);

  const said = await worker.shell(`$L approve job ${question.id}`);
  assert.match(said, /Cannot use "approvals.answer" from inside session "job" \(process \d+, node\)/);
  assert.match(said, /in a terminal outside Lectern, or in a shell .* "lectern run --mine"\ncode [1-9]/);
  assert.match(await worker.shell(`$L approve job ${question.id} --by anna`), /FORBIDDEN|Cannot use/);
  const { id } = await home.client.call("sessions.get", { session: "job" });
  assert.match((await refusals(home, id))[0] ?? "", new RegExp(`^session ${id}, pid \\d+, node approvals\\.answer$`));
  assert.match(
    await home.ok("audit", "--session", "job"),
    /deny by inside-session: approvals\.answer .*, pid \d+, node/,
  );
  assert.equal((await home.client.call("approvals.list", {})).approvals.length, 1);

  await home.ok("approve", "job", question.id, "deny", "--by", "anna");
  assert.match(await home.ok("audit", "--session", "job"), /answered deny by person \(note: anna\)/);
});

test("no way to ask leads out of a session, and neither does a token or the end of the daemon", async () => {
  await using run = await gated();
  const { home, worker } = run;
  const token = { scope: "admin" };
  const evidence: Record<string, string> = {};
  for (const [name, way] of Object.entries(ways)) {
    const answer = await worker.request("POST", "/v1/tokens", token, { way });
    assertRefused(answer, name);
    evidence[name] = evidenceOf(answer);
  }
  assert.deepEqual(
    [
      evidence["a child"],
      evidence["a child in a kernel session of its own with an empty environment"],
      evidence["a double fork with an empty environment"],
      evidence["a double fork in a kernel session of its own"],
    ],
    ["ancestor", "ancestor", "kernel-session", "environment"],
  );
  const { token: text } = await home.client.call("tokens.create", { scope: "admin" });
  assertRefused(await worker.request("POST", "/v1/tokens", token, { token: text }), "an admin token");
  const before = await home.info();
  await home.crashDaemon();
  await home.ok("ls");
  assert.notEqual((await home.info())?.pid, before?.pid);
  assertRefused(await worker.request("POST", "/v1/tokens", token), "after a restart of the daemon");
  const { id } = await home.client.call("sessions.get", { session: "job" });
  rmSync(join(home.paths.sessionsDirectory, id, "wire.json"));
  const input = await worker.request("POST", "/v1/sessions/other/input", { text: "id" });
  assertRefused(input, "after its policy was removed from the disk");
  assert.equal((await home.client.call("tokens.list", {})).tokens.length, 1);
});

/** Asks when the file "go" is there; it is in the kernel session of a shell that has ended, and its environment names no session. */
const leftBehind = `
echo $$ > left.pid.new; mv left.pid.new left.pid
until [ -e go ]; do sleep 0.05; done
{ $L approve asks "$(cat question)" y; echo "code $?"; $L token create; echo "code $?"; } > out.new 2>&1; mv out.new out
`;

/** How the session ends, and its daemon. */
const ends = {
  "the session ends before the daemon": async (home: CliHome) => {
    await home.ok("send", "job", "exit", "--enter");
    await home.client.call("sessions.wait", { session: "job", for: { type: "exit" } });
    await home.crashDaemon();
  },
  "the session ends while no daemon runs": async (home: CliHome, leader: number) => {
    await home.ok("down");
    process.kill(leader, "SIGKILL");
    await gone(leader);
    await home.ok("ls");
    await home.crashDaemon();
  },
  "the session is removed": async (home: CliHome) => {
    await home.ok("send", "job", "exit", "--enter");
    await home.client.call("sessions.wait", { session: "job", for: { type: "exit" } });
    await home.ok("rm", "job");
    await home.ok("down");
  },
} as const;

for (const [name, end] of someOf(ends, "the session ends while no daemon runs")) {
  test(`a process without an environment that an ended session has left behind is no person to the next daemon: ${name}`, async (context) => {
    const home = await shared.empty();
    const file = (path: string): string => join(home.directory, path);
    const variables = `PATH="$PATH" LECTERN_HOME=${home.paths.dataDirectory} L="${home.launcherEnvironment.L}"`;
    writeFileSync(file("left.sh"), leftBehind);
    await home.ok("run", "-d", "-n", "job", "--", "bash", "--norc");
    await home.ok("run", "-d", "-n", "asks", "--", "bash", "--norc", "-c", "read -rp 'Go on? [y/N] '; read -r");
    const { id, pid } = await home.client.call("sessions.get", { session: "job" });
    await home.ok("send", "job", `nohup env -i ${variables} bash left.sh > /dev/null 2>&1 &`, "--enter");
    await until(() => existsSync(file("left.pid")), "a process in the background");
    const left = Number(readFileSync(file("left.pid"), "utf8"));
    context.after(() => isRunning(left) && process.kill(left, "SIGKILL"));
    writeFileSync(file("question"), (await questionIn(home.client)).id);

    await end(home, pid ?? 0);
    await home.ok("ls");
    assert.ok(isRunning(left));
    writeFileSync(file("go"), "");
    await until(() => existsSync(file("out")), "an answer to the process in the background");
    const said = readFileSync(file("out"), "utf8");
    assert.match(
      said,
      /Cannot use "approvals.answer" from inside [^]*code 5\n[^]*"tokens.create" from inside [^]*code 5/,
    );
    const rows = await refusals(home, id);
    assert.equal(rows.length, 2, rows.join());
    for (const row of rows)
      assert.match(row, new RegExp(`^session ${id}, pid \\d+, node (approvals.answer|tokens.create)$`));
    assert.deepEqual((await home.client.call("tokens.list", {})).tokens, []);
  });
}

test("what only people may do is refused over HTTP, WebSocket and MCP, and reading is not", async () => {
  await using run = await gated();
  const { home, worker } = run;
  const { id: token } = await home.client.call("tokens.create", { scope: "read" });
  const mcp = (name: string, input: object): [string, string, object] => [
    "POST",
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } },
  ];
  for (const [method, path, body] of [
    ["DELETE", `/v1/tokens/${token}`, {}],
    ["POST", "/login-codes", {}],
    ["POST", "/v1/daemon/stop", {}],
    ["POST", "/v1/hosts/drain", {}],
    ["POST", "/v1/sessions/other/input", { text: "id" }],
    ["POST", "/v1/sessions/other/keys", { keys: ["Enter"] }],
    ["POST", "/v1/sessions/other/prompts", { text: "id" }],
    ["POST", "/v1/sessions/other/exec", { command: "id" }],
    ["POST", "/v1/sessions/other/resize", { columns: 90, rows: 30 }],
    ["POST", "/v1/sessions/other/signal", { signal: "INT" }],
    ["POST", "/v1/sessions/other/kill", {}],
    ["PATCH", "/v1/sessions/other", { name: "mine" }],
    ["PATCH", "/v1/sessions/job", { labels: { team: "b" } }],
    ["POST", "/v1/sessions/job/input", { text: "!id" }],
    ["DELETE", "/v1/sessions/other?force=true", {}],
    ["GET", "/v1/sessions/other/attach", {}],
  ] as const) {
    assertRefused(await worker.request(method, path, body), `${method} ${path}`);
  }
  const closed = await worker.request(...mcp("close", { session: "other" }));
  assert.match(closed.text, /FORBIDDEN: Cannot use \\"sessions.kill\\" from inside session/);
  assert.match((await worker.request(...mcp("list", {}))).text, /other/);
  assert.equal((await worker.request("GET", "/v1/sessions/other/logs", {})).status, 200);
  assert.equal((await worker.request("GET", "/v1/sessions/other/attach?readOnly=true", {})).status, 101);
  assert.match(await worker.shell("$L ls && $L mcp --read-only < /dev/null"), /other[^]*code 0/);
  assert.match(await worker.shell("$L down"), /Cannot use "daemon.stop" from inside session "job"/);
  assert.equal((await home.client.call("sessions.get", { session: "other" })).state, "running");
});

test("a session that is started from one with a policy has the same policy, and cannot be started with another", async () => {
  await using run = await gated();
  const { home, worker } = run;
  writeFileSync(join(home.directory, "allow.yaml"), "version: 1\ndefault: allow\n");
  assert.match(await worker.shell("$L run -d -n child -- bash --norc"), /child\ncode 0/);
  const parent = await home.client.call("sessions.get", { session: "job" });
  const child = await home.client.call("sessions.get", { session: "child" });
  assert.deepEqual([child.parent, child.labels, child.isMine], [parent.id, { team: "a" }, false]);
  assert.deepEqual(await home.client.call("policy.get", { session: "child" }), { policy });
  assert.match(await worker.shell("$L exec child id"), /from inside session "job"/);
  assert.match(await worker.shell("$L run -d -n twin --wire --policy policy.yaml -- bash --norc"), /twin\ncode 0/);
  for (const [options, reason] of [
    ["--wire --policy allow.yaml", /this is another policy/],
    ["--wire --upstream anthropic=http://127.0.0.1:1", /the upstream of "anthropic" is another one/],
    ["--label team=b", /its policy may depend on the label "team"/],
    ["--cwd /", /its policy holds for .*, and the working directory "\/" is elsewhere/],
    ["--mine", /only a person may start a workplace/],
  ] as const) {
    assert.match(await worker.shell(`$L run -d ${options} -- true`), reason);
  }
  assert.equal((await home.client.call("sessions.list", {})).sessions.length, 4);
});

test("a session without a policy drives others, but is no person and types into no workplace", async () => {
  const home = await shared.empty();
  const worker = await InsideWorker.start(home, "job");
  await home.ok("run", "-d", "-n", "desk", "--mine", "--", "bash", "--norc");
  assert.match(await worker.shell("$L run -d -n child -- bash --norc && $L exec child echo hello"), /hello\ncode 0/);
  assert.equal((await home.client.call("sessions.get", { session: "child" })).isMine, false);
  for (const command of [
    "$L token create",
    "$L down",
    "$L run -d --mine -- bash",
    "$L send desk id",
    "$L exec desk id",
    "$L kill desk",
    "$L rename desk x",
  ]) {
    assert.match(await worker.shell(command), /Cannot use "[a-z.]+" from inside session "job"[^]*code [1-9]/, command);
  }
  const row = { type: "answer", session: "s", call: "c", timeMs: 1, effect: "allow", approver: "person" };
  assertRefused(await worker.request("POST", "/v1/audit", { rows: [row] }), "a row about another session");
  const { id } = await home.client.call("sessions.get", { session: "job" });
  assert.equal((await worker.request("POST", "/v1/audit", { rows: [{ ...row, session: id }] })).status, 200);
  assert.match(
    await home.ok("audit"),
    new RegExp(`answered allow by person \\(reported by session ${id}, pid \\d+, node\\)`),
  );
});

test("a session without a policy does not change the labels by which the rules of another one hold", async () => {
  await using run = await gated();
  const { home } = run;
  const free = await InsideWorker.start(home, "free");
  const relabel = await free.request("PATCH", "/v1/sessions/job", { labels: { team: "b" } });
  assertRefused(relabel, "another value");
  assert.match(
    relabel.text,
    /session \\"job\\" has a policy, and which of its rules hold may depend on its labels; do it/,
  );
  assertRefused(await free.request("PATCH", "/v1/sessions/job", { name: "x", labels: { team: null } }), "a removal");
  assert.match(await free.shell("$L label job team=c"), /"sessions.update" from inside session "free"[^]*code [1-9]/);
  const { labels, name } = await home.client.call("sessions.get", { session: "job" });
  assert.deepEqual([name, labels], ["job", { team: "a" }]);
  const { id } = await home.client.call("sessions.get", { session: "free" });
  assert.match((await refusals(home, id))[0] ?? "", new RegExp(`^session ${id}, pid \\d+, node sessions\\.update$`));

  assert.match(await free.shell("$L label other team=b && $L rename job work"), /team=b[^]*code 0/);
  await home.ok("label", "work", "team=d");
  assert.deepEqual((await home.client.call("sessions.get", { session: "work" })).labels, { team: "d" });
});

test("a workplace acts as its person, over a restart of the daemon too, and an agent in it does not", async () => {
  const home = await shared.empty();
  const desk = await InsideWorker.start(home, "desk", "--mine");
  assert.match(await desk.shell("$L token create --scope read --json"), /"scope":"read"[^]*code 0/);
  await home.crashDaemon();
  const [listed] = (JSON.parse(await home.ok("ls", "--json")) as { readonly sessions: readonly Session[] }).sessions;
  assert.deepEqual([listed?.name, listed?.isMine, listed?.parent], ["desk", true, null]);
  assert.match(await home.ok("info", "desk"), /Mine +yes/);
  assert.match(await desk.shell("$L token create --scope read --json"), /"scope":"read"[^]*code 0/);

  await home.ok("run", "-d", "-n", "asks", "--", "bash", "--norc", "-c", "read -rp 'Go on? [y/N] '; echo end; read -r");
  const question = await questionIn(home.client);
  assert.match(await desk.shell(`$L approve asks ${question.id} y --by anna`), /code 0/);
  const { changes } = await home.client.call("sessions.changes", { session: "asks", kinds: ["approval"] });
  const last = changes.at(-1);
  assert.ok(last?.kind === "approval");
  assert.match(last.approval.answer?.by ?? "", /^person in session \w+, pid \d+, node \(note: anna\)$/);

  const agent = join(home.directory, "claude");
  writeFileSync(agent, '#!/bin/bash\n"$@"\n');
  chmodSync(agent, 0o755);
  assert.match(await desk.shell(`${agent} $L token create`), /from inside the agent "claude" in session "desk"/);
});

/** A way to call, as an agent would: its tool's shell runs it. */
const byAgent = (way: string, agent = "./claude"): string =>
  `cat > tool.sh <<'END'\n${way}\nEND\n${agent} bash tool.sh`;

test("no way to ask makes an agent in a workplace the person", async () => {
  const home = await shared.empty();
  const desk = await InsideWorker.start(home, "desk", "--mine");
  const agent = join(home.directory, "claude");
  writeFileSync(agent, '#!/bin/bash\n"$@"\n');
  chmodSync(agent, 0o755);
  const evidence: Record<string, string> = {};
  for (const [name, way] of Object.entries(ways)) {
    const answer = await desk.request("POST", "/v1/tokens", { scope: "admin" }, { way: byAgent(way) });
    assertRefused(answer, name);
    evidence[name] = evidenceOf(answer);
  }
  assert.deepEqual(
    [
      evidence["a child"],
      evidence["a double fork with an empty environment"],
      evidence["a double fork in a kernel session of its own"],
    ],
    ["ancestor", "kernel-session", "environment"],
  );
  const left = ways["a double fork in a kernel session of its own"];
  const workplace = { command: ["bash"], mine: true };
  assertRefused(await desk.request("POST", "/v1/sessions", workplace, { way: byAgent(left) }), "a workplace");
  assert.deepEqual((await home.client.call("tokens.list", {})).tokens, []);
  assert.equal((await home.client.call("sessions.list", {})).sessions.length, 1);
});

test("a person's own process in a workplace acts as the person only while its parents run", async () => {
  const home = await shared.empty();
  const desk = await InsideWorker.start(home, "desk", "--mine");
  const call = async (way: string): Promise<InsideAnswer> =>
    await desk.request("POST", "/v1/tokens", { scope: "read" }, { way });
  for (const way of [
    "$CALL & wait",
    "nohup $CALL > /dev/null 2>&1 & wait",
    ways["a child in a kernel session of its own with an empty environment"],
  ]) {
    assert.equal((await call(way)).status, 200, way);
  }
  for (const way of [
    ways["a double fork with an empty environment"],
    ways["a double fork in a kernel session of its own"],
  ]) {
    const answer = await call(way);
    assertRefused(answer, way);
    assert.match(
      answer.text,
      /from inside session \\"desk\\" .*do it in the foreground of that workplace, or in a term/,
    );
  }
  assert.equal((await home.client.call("tokens.list", {})).tokens.length, 3);
});

test("a workplace is for people: no gateway, no agent, and no token that may not do everything", async () => {
  const home = await shared.empty();
  assert.match(
    await home.fails("run", "-d", "--mine", "--wire", "--", "bash"),
    /Cannot combine --mine, which is for a person, with --wire/,
  );
  for (const command of [["claude"], ["claude", "-p", "x"], ["bash", "-c", "codex"]]) {
    assert.match(
      await home.fails("run", "-d", "--mine", "--", ...command),
      /Cannot use "mine" for the agent "(claude|codex)"/,
    );
  }
  const wire = { command: ["bash"], mine: true, wire: {} } as const;
  await assert.rejects(home.client.call("sessions.create", { ...wire, command: ["bash"] }), { code: "INVALID_INPUT" });
  assert.equal(await home.ok("ls", "-a", "--quiet"), "");
});

test("a Lectern of another data directory is not concerned", async () => {
  const home = await shared.empty();
  await using inner = new CliHome();
  const worker = await InsideWorker.start(home, "job");
  mkdirSync(join(inner.directory, "bin"));
  await inner.ok("run", "-d", "--", "true");
  const elsewhere = `LECTERN_HOME=${inner.paths.dataDirectory}`;
  assert.match(await worker.shell(`${elsewhere} $L token create --scope read --json`), /"scope":"read"[^]*code 0/);
  assert.match(await worker.shell("$L token create --scope read"), /from inside session "job"/);
});
