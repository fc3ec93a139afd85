/** The tools over MCP, with the official client over both transports, against a real daemon and real programs. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { lecternPaths } from "../../src/daemon/paths.ts";
import { cleanEnvironment } from "../../src/pty/environment.ts";
import { createLogger } from "../../src/server/log.ts";
import { startServer } from "../../src/server/server.ts";
import { launcher } from "../support/launcher.ts";
import { TemporaryDaemon } from "../support/temporary-daemon.ts";
import { someOf } from "../support/variants.ts";

const home = mkdtempSync(join(tmpdir(), "lectern-test-"));
const { agentsDirectory } = lecternPaths({ LECTERN_HOME: home });
mkdirSync(agentsDirectory, { recursive: true, mode: 0o700 });
writeFileSync(
  join(agentsDirectory, "llm-like.yaml"),
  'name: llm-like\ncommands: [llm-like]\nline: { prompt: "^> " }\n',
);
const daemon = await TemporaryDaemon.start(home);
const environment = {
  ...cleanEnvironment(process.env),
  LECTERN_HOME: daemon.paths.dataDirectory,
  PS1: "$ ",
  PYTHON_BASIC_REPL: "1",
};
const server = await startServer({
  service: daemon.running.service,
  logger: createLogger({ write: () => undefined }, "error"),
  listeners: [
    { kind: "unix", path: daemon.paths.daemonSocket },
    { kind: "tcp", host: "127.0.0.1", port: 0 },
  ],
});
const url = new URL(`${server.listeners[1]?.url}/mcp`);
const clients: Client[] = [];
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.close();
  await daemon[Symbol.asyncDispose]();
});

interface Reply {
  readonly isError: boolean;
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** One host with the tools of its server. */
class Host {
  readonly client: Client;

  constructor(options: ClientOptions = {}) {
    this.client = new Client({ name: "tests", version: "1.0.0" }, options);
    clients.push(this.client);
  }

  async names(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async ask(name: string, given: Record<string, unknown>): Promise<Reply> {
    const answer = await this.client.callTool({ name, arguments: given });
    const [first] = answer.content as { readonly text: string }[];
    const data = (answer.structuredContent ?? {}) as Record<string, unknown>;
    return { isError: answer.isError === true, text: first?.text ?? "", data };
  }

  /** The data of a call that must go well. */
  async use(name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { data, isError, text } = await this.ask(name, given);
    assert.equal(isError, false, `${name}: ${text}`);
    return data;
  }

  async open(...command: string[]): Promise<string> {
    const { session, ready } = await this.use("open", { command });
    assert.equal(ready, true, `${command.join(" ")} is not ready`);
    return String(session);
  }
}

async function overStdio(...words: string[]): Promise<Host> {
  const host = new Host();
  const command = process.execPath;
  await host.client.connect(
    new StdioClientTransport({ command, args: [launcher, "mcp", ...words], env: environment, stderr: "inherit" }),
  );
  return host;
}

async function tokenFor(scope: "read" | "write", session?: string): Promise<string> {
  const { token } = await daemon.call("tokens.create", { scope, ...(session === undefined ? {} : { session }) });
  return token;
}

async function overHttp(token: string, options: ClientOptions = {}): Promise<Host> {
  const host = new Host(options);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await host.client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  return host;
}

const bash = ["bash", "--norc", "--noprofile"];
const all = "open run send prompt read screen wait status digest approve search list machines close".split(" ");
const transports: Record<string, () => Promise<Host>> = {
  stdio: () => overStdio(),
  http: async () => overHttp(await tokenFor("write")),
};

for (const [name, connect] of someOf(transports, "stdio")) {
  test(`over ${name}, a shell gives exact output and exit codes, and keeps its state between commands`, async () => {
    const host = await connect();
    assert.deepEqual(await host.names(), all);
    const session = await host.open(...bash);
    const first = await host.use("run", { session, command: "cd /usr && printf 'a\\n\\n  b'; (exit 3)" });
    assert.deepEqual([first["output"], first["exitCode"], first["ended"], first["exact"]], ["a\n\n  b", 3, true, true]);
    const second = await host.ask("run", { session, command: "pwd" });
    assert.match(second.text, /^ran: true\nended: true\nexitCode: 0\n[\s\S]*\noutput:\n\/usr\n$/);
    const seen = await host.use("read", { session, from: second.data["offset"] });
    assert.match(String(seen["output"]), /pwd\n\/usr\n/);
    const closed = await host.use("close", { session });
    assert.equal(closed["state"], "exited");
    assert.equal((await host.use("close", { session }))["exit"], closed["exit"]);
  });

  test(`over ${name}, a flood comes as head and tail, and reading page by page gives all of it`, async () => {
    const host = await connect();
    const session = await host.open(...bash);
    const { text, data } = await host.ask("run", { session, command: "seq 100000", outputBytesMax: 4096 });
    assert.ok(text.length < 6000, `${text.length} characters`);
    const omitted = data["omitted"] as { bytes: number; totalBytes: number };
    // Each line feed came as two bytes.
    assert.equal(omitted.totalBytes, 688_895);
    assert.match(String(data["output"]), /^1\n2\n[\s\S]*\n\[\.\.\. \d+ bytes omitted \.\.\.\]\n[\s\S]*\n100000\n$/);
    let whole = "";
    let pages = 0;
    for (let from = data["offset"], more = true; more; pages += 1) {
      const page = await host.use("read", { session, from, bytesMax: 65_536 });
      assert.ok(String(page["output"]).length <= 65_536);
      whole += String(page["output"]);
      from = page["next"];
      more = page["more"] === true;
    }
    assert.ok(pages >= 9);
    const lines = whole.split("\n");
    const start = lines.indexOf("1");
    assert.deepEqual(
      lines.slice(start, start + 100_000),
      Array.from({ length: 100_000 }, (_, index) => String(index + 1)),
    );
    await host.use("close", { session });
  });
}

test("another agent is prompted once, whatever is repeated, and its answer comes back; a shell is not", async () => {
  const program = join(import.meta.dirname, "../support/line-bot.py");
  const { id: session } = await daemon.run(["python3", program, "llm"], { agent: "llm-like" });
  await daemon.call("sessions.wait", { session, for: { type: "status", states: ["waiting"] }, timeoutMs: 60_000 });
  const host = await overStdio();
  const sent = { session, text: "hello there", key: "one", timeoutMs: 60_000 };
  for (const _ of [1, 2]) {
    const { state, output, question, hint } = await host.use("prompt", sent);
    assert.deepEqual([state, question], ["done", null]);
    assert.match(String(output), /^Here is the list:[\s\S]*- 11 characters[\s\S]*Done\.$/);
    assert.match(String(hint), /^Done/);
  }
  const { messages } = await daemon.call("sessions.messages", { session, roles: ["user"] });
  assert.equal(messages.length, 1);
  const shell = await host.open(...bash);
  const refused = await host.ask("prompt", { session: shell, text: "rm -r x" });
  assert.equal(refused.isError, true);
  assert.match(refused.text, /^CONFLICT: .*shell/);
});

test("a REPL is told by what it waits for, without marks", async () => {
  const host = await overStdio();
  const session = await host.open("python3", "-q");
  assert.equal((await host.use("run", { session, command: "x = 6" }))["output"], "");
  const result = await host.use("run", { session, command: "print(x * 7)" });
  assert.deepEqual([result["output"], result["exact"], result["exitCode"]], ["42\n", false, null]);
  const go = join(daemon.paths.dataDirectory, "go");
  const waiting = `import os; os.system("until [ -e '${go}' ]; do sleep 0.05; done"); print('late')`;
  const slow = await host.use("run", { session, command: waiting, timeoutMs: 100 });
  assert.deepEqual([slow["ended"], slow["reason"]], [false, "timeout"]);
  assert.match(String(slow["hint"]), /still runs: `wait`/);
  writeFileSync(go, "");
  const later = await host.use("wait", { session, for: "ready", from: slow["next"] });
  assert.equal(later["reason"], "ready");
  assert.match(String(later["output"]), /late/);
  await host.use("close", { session });
});

test("a program that asks for a password says so, and what is sent is not recorded", async () => {
  const host = await overStdio();
  const session = await host.open(...bash);
  const command = "read -rsp 'Password: ' secret; echo; echo length ${#secret}";
  const asked = await host.use("run", { session, command });
  assert.deepEqual([asked["ended"], asked["asks"]], [false, "password"]);
  assert.match(String(asked["hint"]), /asks for a password: ask your user, then `send` it with secret: true/);
  const sent = await host.use("send", { session, text: "hunter2", enter: true, secret: true });
  const answered = await host.use("wait", { session, for: "ready", from: sent["next"] });
  assert.match(String(answered["output"]), /length 7/);
  const { records } = await daemon.call("sessions.records", { session, types: ["input"] });
  assert.doesNotMatch(JSON.stringify(records), /hunter2|aHVudGVyMg/);
  await host.use("close", { session });
});

test("a session that ends is told as such by each tool, with the next step", async () => {
  const host = await overStdio();
  const session = await host.open(...bash);
  const last = await host.use("run", { session, command: "echo bye; exit 4" });
  assert.deepEqual([last["reason"], last["exit"]], ["exit", "code 4"]);
  assert.match(String(last["output"]), /bye/);
  const refused = await host.ask("run", { session, command: "date" });
  assert.ok(refused.isError);
  assert.match(refused.text, /^SESSION_ENDED: [\s\S]+\nNext: `read` its output, or `open` another session$/);
  assert.equal((await host.use("wait", { session, for: "exit" }))["exit"], "code 4");
  assert.equal((await host.use("read", { session }))["exit"], "code 4");
  assert.equal((await host.use("status", { session }))["state"], "exited");
  assert.match(String((await host.use("digest", { session }))["output"]), /### Last turn\n\n- now exited[\s\S]+bye/);
  const { sessions } = await host.use("list", { state: "exited" });
  assert.ok((sessions as { session: string }[]).some((one) => one.session === session));
});

test("the list shows what a blocked session wants to do, and its question", async () => {
  const host = await overStdio();
  const menu = `printf 'Run both commands?\\n\\n  rm -rf ./a\\n\\n\\033[?25l❯ 1. Yes\\n  2. No\\n\\nEsc to cancel'; read -rsn1`;
  const { id } = await daemon.run(["bash", "--norc", "-c", menu]);
  await daemon.call("sessions.wait", { session: id, for: { type: "status", states: ["blocked"] }, timeoutMs: 60_000 });
  const { sessions } = await host.use("list", { state: "running" });
  const listed = (sessions as { session: string; status: string }[]).find(({ session }) => session === id);
  assert.equal(listed?.status, "blocked: Run both commands? ⏎ rm -rf ./a");
  await daemon.call("sessions.kill", { session: id, graceMs: 0 });
});

test("keys, the screen and waits for output work in a full-screen program", async () => {
  const host = await overStdio();
  const session = await host.open(...bash);
  await host.use("send", { session, text: "seq 200 | less", enter: true });
  await host.use("wait", { session, for: "ready" });
  await host.use("send", { session, keys: ["G"] });
  const found = await host.use("wait", { session, for: "output", pattern: "END" });
  assert.equal(found["reason"], "output");
  const shown = await host.use("screen", { session });
  assert.equal(shown["isAlternate"], true);
  assert.match(String(shown["screen"]), /199\n200\n/);
  await host.use("send", { session, keys: ["q"] });
  assert.equal((await host.use("run", { session, command: "echo back" }))["output"], "back\n");
  await host.use("close", { session });
});

test("what a tool cannot do is an answer that says what to do", async () => {
  const host = await overHttp(await tokenFor("write"));
  const missing = await host.ask("screen", { session: "nowhere" });
  assert.ok(missing.isError);
  assert.match(missing.text, /^SESSION_NOT_FOUND: .+\nNext: `list` the sessions, or `open` one$/);
  const unknown = await host.ask("open", { command: ["no-such-program"] });
  assert.match(unknown.text, /^COMMAND_NOT_FOUND: /);
  const session = await host.open(...bash);
  const both = await host.ask("send", { session, text: "a", keys: ["Enter"] });
  assert.match(both.text, /^INVALID_INPUT: Cannot type this: give either text \(or enter\) or keys\nNext: /);
  const without = await host.ask("wait", { session, for: "output" });
  assert.match(without.text, /^INVALID_INPUT: Cannot wait for output without "pattern"/);
  const beyond = await host.ask("read", { session, from: 10_000_000 });
  assert.match(beyond.text, /^OFFSET_BEYOND_END: [\s\S]+Next: `read` without from$/);
  const wrong = await host.ask("run", { session });
  assert.ok(wrong.isError);
  assert.match(wrong.text, /command/);
  await host.use("close", { session });
});

test("a token that may only read gets only tools that read", async () => {
  const reading = ["read", "screen", "wait", "status", "digest", "search", "list", "machines"];
  const host = await overHttp(await tokenFor("read"));
  assert.deepEqual(await host.names(), reading);
  assert.deepEqual(await (await overStdio("--read-only")).names(), reading);
  await assert.rejects(host.client.callTool({ name: "open", arguments: { command: ["true"] } }), /open/);
  const { tools } = await host.client.listTools();
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true));
});

test("a token for one session sees that session and nothing of another", async () => {
  const mine = await daemon.run(bash, { name: "mine" });
  const other = await daemon.run(["bash", "-c", "echo treasure; read -r"], { name: "other" });
  await daemon.untilOutput(other.id, "treasure");
  const hosts = [await overHttp(await tokenFor("write", mine.id)), await overStdio("--session", "mine")];
  for (const host of hosts) {
    assert.deepEqual(
      await host.names(),
      all.filter((name) => !["open", "search", "machines"].includes(name)),
    );
    const { text, data } = await host.ask("list", {});
    assert.deepEqual(
      (data["sessions"] as { session: string }[]).map(({ session }) => session),
      [mine.id],
    );
    assert.doesNotMatch(text, /other|treasure/);
    for (const reference of ["other", other.id, "nowhere"]) {
      for (const name of ["read", "screen", "status", "close"]) {
        const { isError, text: said } = await host.ask(name, { session: reference });
        assert.ok(isError);
        assert.match(said, /^FORBIDDEN: Cannot do this with a token for one session/);
        assert.doesNotMatch(said, /treasure/);
      }
    }
    assert.equal((await host.use("run", { session: "mine", command: "echo here" }))["output"], "here\n");
  }
  await Promise.all([mine, other].map(({ id }) => daemon.call("sessions.kill", { session: id, graceMs: 0 })));
});

test("the endpoint stands behind the guard, and no answer has a CORS header", async () => {
  const token = await tokenFor("write");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (more: Record<string, string>): Promise<Response> =>
    fetch(url, { method: "POST", body, headers: { ...headers, ...more } });
  const refused = await Promise.all([
    post({}),
    post({ authorization: "Bearer wrong" }),
    post({ authorization: `Bearer ${token}`, origin: "http://evil.example" }),
    post({ authorization: `Bearer ${token}`, "content-type": "text/plain" }),
    fetch(url, { headers: { ...headers, authorization: `Bearer ${token}` } }),
  ]);
  assert.deepEqual(
    refused.map(({ status }) => status),
    [401, 401, 403, 415, 405],
  );
  const fine = await post({ authorization: `Bearer ${token}` });
  assert.equal(fine.status, 200);
  assert.match(await fine.text(), /"name":"run"/);
  for (const { headers: sent } of [...refused, fine]) assert.equal(sent.get("access-control-allow-origin"), null);
  await Promise.all(refused.map((response) => response.text()));
});

test("hosts of the newest version of the protocol are served as well as older ones", async () => {
  const token = await tokenFor("read");
  const versions: (string | undefined)[] = [];
  for (const mode of ["legacy", "auto"] as const) {
    const host = await overHttp(token, { versionNegotiation: { mode } });
    assert.equal((await host.names()).length, 8);
    versions.push(host.client.getNegotiatedProtocolVersion());
  }
  assert.deepEqual(versions, ["2025-11-25", "2026-07-28"]);
});
