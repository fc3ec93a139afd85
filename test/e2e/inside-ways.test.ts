/**
 * What a program inside a session with a policy can and cannot do, without a sandbox. Each way to ask the daemon is refused and is in the audit
 * log; what a program of the same user still can is listed in docs/gateway.md, one point for each row here.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { insideRequests, type InsideRequest } from "../support/inside-requests.ts";
import { InsideWorker, ways } from "../support/inside-worker.ts";
import { ScriptedModel } from "../support/scripted-model/scripted-model.ts";
import { CliHome } from "./cli-home.ts";

interface RequestRow extends InsideRequest {
  /** As the audit log names it. */
  readonly operation: string;
}

const post = (operation: string, path: string, body: unknown = {}, more: Partial<InsideRequest> = {}): RequestRow => ({
  operation,
  method: "POST",
  path,
  body,
  ...more,
});
const tool = (operation: string, name: string, input: object): RequestRow =>
  post(operation, "/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } });
const newToken = (more: Partial<InsideRequest>, path = "/v1/tokens"): RequestRow =>
  post("tokens.create", path, { scope: "admin" }, more);

/** `TOKEN` is the text of an admin token, `ID` its id. */
const requests: Readonly<Record<string, RequestRow>> = {
  "a token": newToken({}),
  "a token, with an admin token": newToken({ headers: { authorization: "Bearer TOKEN" } }),
  "a token, by another method in a header": newToken({ headers: { "x-http-method-override": "GET" } }),
  "a token, by another method in the query": newToken({}, "/v1/tokens?_method=GET"),
  "a token, as somebody else": newToken({ headers: { "x-forwarded-for": "10.0.0.1", "x-forwarded-user": "anna" } }),
  "a token, in HTTP/1.0 by hand": newToken({ as: "raw" }),
  "a token, behind a request that is allowed": newToken({ as: "second" }),
  "a token, in pieces": newToken({ as: "chunked" }),
  "the end of a token": { operation: "tokens.revoke", method: "DELETE", path: "/v1/tokens/ID" },
  "a login link": post("login-codes", "/login-codes"),
  "the end of the daemon": post("daemon.stop", "/v1/daemon/stop"),
  "the end of the hosts": post("hosts.drain", "/v1/hosts/drain"),
  "an answer": post("approvals.answer", "/v1/sessions/other/approvals/q1", { option: "allow", digest: "0".repeat(16) }),
  "an answer to itself, by a name": post("approvals.answer", "/v1/sessions/job/approvals/q1", {
    option: "allow",
    digest: "0".repeat(16),
    by: "anna",
  }),
  "a line for another": post("sessions.input", "/v1/sessions/other/input", { text: "id\r" }),
  "a line for itself": post("sessions.input", "/v1/sessions/job/input", { text: "!id\r" }),
  keys: post("sessions.keys", "/v1/sessions/other/keys", { keys: ["Enter"] }),
  "a prompt": post("sessions.prompt", "/v1/sessions/other/prompts", { text: "id" }),
  "a command": post("sessions.exec", "/v1/sessions/other/exec", { command: "id" }),
  "another size": post("sessions.resize", "/v1/sessions/other/resize", { columns: 90, rows: 30 }),
  "a signal": post("sessions.signal", "/v1/sessions/other/signal", { signal: "INT" }),
  "its end": post("sessions.kill", "/v1/sessions/other/kill"),
  "its removal": { operation: "sessions.remove", method: "DELETE", path: "/v1/sessions/other?force=true" },
  "another name": { operation: "sessions.update", method: "PATCH", path: "/v1/sessions/other", body: { name: "mine" } },
  "other labels of its own": {
    operation: "sessions.update",
    method: "PATCH",
    path: "/v1/sessions/job",
    body: { labels: { team: "b" } },
  },
  "a keyboard": { operation: "sessions.attach", method: "GET", path: "/v1/sessions/other/attach", as: "upgrade" },
  "rows of the audit log": post("audit.append", "/v1/audit", {
    rows: [{ type: "answer", session: "s", call: "c", timeMs: 1, effect: "allow", approver: "anna" }],
  }),
  "a session with another policy": post("sessions.create", "/v1/sessions", {
    command: ["true"],
    wire: { policy: "version: 1\ndefault: allow\n" },
  }),
  "a session with another server": post("sessions.create", "/v1/sessions", {
    command: ["true"],
    wire: { upstreams: { anthropic: "http://127.0.0.1:1" } },
  }),
  "a session with other labels": post("sessions.create", "/v1/sessions", { command: ["true"], labels: { team: "b" } }),
  "a session in another place": post("sessions.create", "/v1/sessions", { command: ["true"], workingDirectory: "/" }),
  "a workplace": post("sessions.create", "/v1/sessions", { command: ["true"], mine: true }),
  "the end of another, over MCP": tool("sessions.kill", "close", { session: "other" }),
};

/** Each asks for a token; `$CALL` are the words. */
const shapes: Readonly<Record<string, string>> = {
  ...ways,
  "another name": `bash -c 'exec -a lectern "$@"' bash $CALL`,
  "a coprocess": `coproc $CALL; wait`,
  "behind a pipe": `echo x | xargs -I{} $CALL`,
  "a process substitution": `cat < <($CALL) > /dev/null`,
  "a trap": `bash -c 'trap "$(printf "%q " "$@")" EXIT' bash $CALL`,
  "timeout and nice": `timeout 60 nice $CALL`,
  "nohup, setsid and a background": `nohup setsid $CALL > /dev/null 2>&1 &`,
  "without a terminal and without the name of its session": `env -u LECTERN_SESSION setsid -w $CALL < /dev/null`,
};

/** The command line, as `[operation, command]`. */
const commands: readonly (readonly [operation: string, command: string])[] = [
  ["tokens.create", "$L token create"],
  ["sessions.input", "$L send other id --enter"],
  ["sessions.exec", "$L exec other id"],
  ["sessions.kill", "$L kill other"],
  ["daemon.stop", "$L down"],
  ["sessions.create", "$L run -d --mine -- true"],
];

/** What the list in the document says that such a program still can; `works` is tried. */
const remaining: readonly { readonly point: RegExp; readonly works?: string }[] = [
  {
    point: /^read the token file and use it over TCP/,
    works: `fetch(url + "/v1/tokens", { headers: { authorization: "Bearer " + readFileSync(paths.tokenFile, "utf8").trim() } }).then((answer) => answer.status === 200)`,
  },
  {
    point: /^speak to the pty host's socket directly, or edit the data directory/,
    works: `new Promise((resolve) => { accessSync(paths.databaseFile, constants.W_OK); const socket = connect(join(paths.runtimeDirectory, readdirSync(paths.runtimeDirectory).find((name) => /^host-.*\\.sock$/.test(name)))); socket.on("connect", () => { socket.destroy(); resolve(true); }).on("error", () => resolve(false)); })`,
  },
  { point: /^attach a debugger .* or kill the daemon/, works: `process.kill(daemonPid, 0)` },
  { point: /^leave its session for good: a double fork/ },
  { point: /^ask another program of yours outside to run a command/ },
  { point: /^press the keys of another agent's own dialog/ },
  { point: /^be adopted by a process of yours in a workplace/ },
];

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The operations of the refusals, with how often each is there. */
async function refusalsOf(home: CliHome): Promise<ReadonlyMap<string, number>> {
  const { rows } = await home.client.call("audit.list", { limit: 1000 });
  const counts = new Map<string, number>();
  for (const { row } of rows) {
    if (row["decidedBy"] !== "inside-session") continue;
    assert.match(String(row["requester"]), /^session \w+, pid \d+, \w+$/);
    assert.doesNotMatch(String(row["evidence"]), /are not written/);
    counts.set(String(row["tool"]), (counts.get(String(row["tool"])) ?? 0) + 1);
  }
  return counts;
}

function assertSame(found: ReadonlyMap<string, number>, operations: readonly string[]): void {
  const wanted = new Map<string, number>();
  for (const operation of operations) wanted.set(operation, (wanted.get(operation) ?? 0) + 1);
  assert.deepEqual(Object.fromEntries(found), Object.fromEntries(wanted));
}

test("each way to ask the daemon from inside a session with a policy is refused and audited", async (context) => {
  await using model = await ScriptedModel.start({ turns: [] });
  await using home = new CliHome();
  const file = (name: string): string => join(home.directory, name);
  writeFileSync(file("policy.yaml"), "version: 1\ndefault: ask\n");
  writeFileSync(file("ask.mjs"), insideRequests);
  const wire = ["--wire", "--policy", "policy.yaml", "--upstream", `anthropic=${model.url}`];
  const worker = await InsideWorker.start(home, "job", "--label", "team=a", ...wire);
  await home.ok("run", "-d", "-n", "other", "--", "bash", "--norc");
  const { id, token } = await home.client.call("tokens.create", { scope: "admin" });

  const text = JSON.stringify(Object.values(requests)).replaceAll("TOKEN", token).replaceAll("/ID", `/${id}`);
  writeFileSync(file("rows.json"), text);
  await worker.shell(`'${process.execPath}' ask.mjs '${home.paths.daemonSocket}' rows.json answers.json`);
  const answers = JSON.parse(readFileSync(file("answers.json"), "utf8")) as readonly Answer[];
  for (const [index, name] of Object.keys(requests).entries()) {
    await context.test(name, () => {
      const { status, text: said } = answers[index] ?? { status: 0, text: "" };
      const isMcp = said.includes('"jsonrpc"');
      assert.equal(status, isMcp ? 200 : 403, said);
      assert.match(said, isMcp ? /FORBIDDEN: Cannot use/ : /"code":"FORBIDDEN"/);
    });
  }
  for (const [name, way] of Object.entries(shapes)) {
    await context.test(`as ${name}`, async () => {
      const answer = await worker.request("POST", "/v1/tokens", { scope: "admin" }, { way });
      assert.equal(answer.status, 403, answer.text);
    });
  }
  const script = commands.map(([, command]) => `${command}; echo "code $?"`).join("\n");
  const said = await worker.shell(`{ ${script}\n }`);
  assert.equal(said.match(/Cannot use "[\w.-]+" from inside session "job"/g)?.length, commands.length, said);

  const asked = [
    ...Object.values(requests).map(({ operation }) => operation),
    ...Object.keys(shapes).map(() => "tokens.create"),
    ...commands.map(([operation]) => operation),
  ];
  assert.ok(asked.length >= 40, `${asked.length}`);
  assertSame(await refusalsOf(home), asked);
  assert.equal((await home.client.call("tokens.list", {})).tokens.length, 1);
  assert.equal((await home.client.call("sessions.list", {})).sessions.length, 2);
  context.diagnostic(`${asked.length} ways`);
});

test("what a program of the same user still can do is what docs/gateway.md lists", async (context) => {
  const document = readFileSync(join(import.meta.dirname, "../../docs/gateway.md"), "utf8");
  const [, list = ""] = /a malicious program of the same user still can:\n\n((?:[- ] .*\n)+)/.exec(document) ?? [];
  const points = list.split(/^- /m).slice(1);
  assert.equal(points.length, remaining.length);
  for (const [index, { point }] of remaining.entries()) assert.match(points[index] ?? "", point);

  await using home = new CliHome();
  const up = home.onTerminal(["up", "--port", "0"]);
  await up.until("http://127.0.0.1:");
  const info = await home.info();
  const worker = await InsideWorker.start(home, "job");
  const tried = remaining.flatMap(({ point, works }) => (works === undefined ? [] : [{ point: point.source, works }]));
  const program = `
import { accessSync, constants, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
const url = ${JSON.stringify(info?.listen.find((each) => each.startsWith("http://127.0.0.1")))}, daemonPid = ${info?.pid}, paths = ${JSON.stringify(home.paths)};
const results = [];
for (const work of [${tried.map(({ works }) => `async () => ${works}`).join(",\n")}]) results.push(await work().catch((error) => error.message));
writeFileSync("remaining.json", JSON.stringify(results));
process.exit();
`;
  writeFileSync(join(home.directory, "remaining.mjs"), program);
  const said = await worker.shell(`'${process.execPath}' remaining.mjs`);
  assert.ok(existsSync(join(home.directory, "remaining.json")), said);
  const results = JSON.parse(readFileSync(join(home.directory, "remaining.json"), "utf8")) as readonly unknown[];
  assert.deepEqual(
    results.map((result, index) => [tried[index]?.point, result]),
    tried.map(({ point }) => [point, true]),
  );
  const gone = `env -i PATH="$PATH" setsid bash orphan.sh $$ $CALL &`;
  const answer = await worker.request("POST", "/v1/tokens", { scope: "read" }, { way: gone });
  context.diagnostic(`a process that left its session: ${answer.status}`);
  assert.equal(answer.status, 200, answer.text);
  await home.ok("down");
});
