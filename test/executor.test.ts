import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { MemoryAudit } from "./support/memory-audit.ts";
import { MemoryBlobs } from "./support/memory-blobs.ts";
import { until } from "./support/until.ts";
import { AuditedGate } from "../src/core/gate/audited-gate.ts";
import { Gate } from "../src/core/gate/gate.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";
import { SchemaStore } from "../src/core/gate/schemas.ts";
import { toolsByName, type JudgedCall } from "../src/core/gate/tool-call.ts";
import { DiskView } from "../src/disk/file-view.ts";
import { Executor, type CallOutcome, type ExecutorEvent, type ExecutorOptions } from "../src/executor/executor.ts";
import { fileTools } from "../src/executor/file-tools.ts";
import { connectMcpServers, readMcpConfig } from "../src/executor/mcp-tools.ts";
import { shellTool } from "../src/executor/shell-tool.ts";
import type { Tool } from "../src/executor/tool.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-executor-"));
after(() => rmSync(root, { recursive: true, force: true }));
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
const schemas = new SchemaStore();
let directories = 0;
const never = new AbortController().signal;

const openPolicy = "version: 1\ndefault: allow\nopaque: allow";

/** An executor in a directory of its own, with everything that it wrote and told. */
function bench(
  policyText = openPolicy,
  more: Partial<ExecutorOptions> & { readonly tools?: never } = {},
  extra: readonly Tool[] = [],
) {
  const checked = checkPolicyText(policyText);
  assert.ok(checked.ok, JSON.stringify(checked));
  const { policy } = checked;
  const directory = join(root, `work${directories++}`);
  const audit = new MemoryAudit();
  const blobs = new MemoryBlobs();
  const events: ExecutorEvent[] = [];
  const started = mkdtempSync(`${directory}-`);
  const own = [
    shellTool({ workingDirectory: started, environment: process.env, hidden: ["A_KEY"] }),
    ...fileTools(started),
  ];
  const gate = new AuditedGate<CallOutcome>({
    gate: new Gate<CallOutcome>({ policy, schemas, continues: true }),
    sink: audit,
    executor: "executor",
    policyHash: null,
    outcomeOf: () => ({ text: "before", failed: false }),
  });
  const executor = new Executor({
    gate,
    policy,
    schemas,
    tools: toolsByName([...own, ...extra]).tools,
    blobs,
    session: "s",
    requester: "me",
    source: "anthropic",
    context: { labels: [], workingDirectory: started, home: null, files: () => new DiskView() },
    sha256,
    now: Date.now,
    ask: async () => ({ effect: "deny", approver: "nobody" }),
    onEvent: (event) => events.push(event),
    ...more,
  });
  return { executor, audit, blobs, events, directory: started };
}

function call(id: string, name: string, value: object, more: Partial<JudgedCall> = {}): JudgedCall {
  const argumentsText = JSON.stringify(value);
  const rest = { status: "complete", provenance: "wire", finish: "tool_calls" } as const;
  return { id, kind: "function", name, argumentsText, arguments: value, ...rest, ...more };
}

const shell = (id: string, command: string, more: object = {}): JudgedCall => call(id, "shell", { command, ...more });

test("a command gives back its output without escape sequences, and its exit code", async () => {
  const { audit, executor } = bench();
  const results = await executor.run(
    [shell("1", "printf '\\033[1mbold\\033[m\\n'; test -t 1 && echo tty; cat; exit 3")],
    never,
  );
  assert.deepEqual(results, [{ call: "1", tool: "shell", text: "bold\ntty\n\nExit code 3", failed: false }]);
  assert.deepEqual(audit.shown, ["1 allow", "1 start", "1 succeeded"]);
});

test("calls of one turn run side by side, and their results stand in their order", async () => {
  const { executor } = bench();
  const meet = (mine: string, other: string): string =>
    `touch ${mine}; until test -e ${other}; do sleep 0.01; done; echo ${mine}`;
  const results = await executor.run([shell("1", meet("a", "b")), shell("2", meet("b", "a"))], never);
  assert.deepEqual(
    results.map(({ call: id, text }) => `${id} ${text.split("\n")[0]}`),
    ["1 a", "2 b"],
  );
});

test("what is denied, asked in vain, unknown, misfit or cut off is not run, and the model is told why", async () => {
  const { audit, directory, executor } = bench(`
version: 1
rules:
  - { id: no-touch, effect: deny, command: touch **, reason: Leave it }
  - { id: write, effect: allow, tool: write_file }
`);
  const results = await executor.run(
    [
      shell("1", "touch denied"),
      shell("2", "mkdir asked"),
      call("3", "unknown", {}),
      call("4", "write_file", { path: "misfit" }),
      call(
        "5",
        "write_file",
        { path: "cut", content: "x" },
        { status: "healed", provenance: "healed", finish: "length" },
      ),
      call("6", "write_file", { path: "failed", content: "x" }, { finish: "truncated" }),
    ],
    never,
  );
  assert.deepEqual(
    results.map(({ failed, text }) => `${failed} ${text}`),
    [
      "true Refused: Leave it",
      "true Refused: The call was not approved",
      'true Refused: The tool "unknown" was not offered to the model',
      "true Refused: The arguments do not fit the tool's schema",
      "true Refused: The arguments were cut off and completed by the reader",
      'true Refused: The turn ended with "truncated"',
    ],
  );
  for (const name of ["denied", "asked", "misfit", "cut", "failed"])
    assert.equal(existsSync(join(directory, name)), false);
  assert.deepEqual(audit.shown.toSorted(), ["1 deny", "2 answer", "2 ask", "3 deny", "4 deny", "5 deny", "6 deny"]);
});

test("a person who allows lets exactly this call run", async () => {
  const asked: string[] = [];
  const { audit, executor } = bench("version: 1", {
    ask: async ({ call: { argumentsText } }) => {
      asked.push(argumentsText);
      return { effect: "allow", approver: "anna" };
    },
  });
  const [result] = await executor.run([shell("1", "echo yes")], never);
  assert.equal(result?.text, "yes\n\nExit code 0");
  assert.deepEqual(asked, ['{"command":"echo yes"}']);
  assert.deepEqual(audit.shown, ["1 ask", "1 answer", "1 start", "1 succeeded"]);
});

test("a link does not lead out of what the policy allows", async () => {
  const { directory, executor } = bench(`
version: 1
rules: [{ id: here, effect: allow, tool: [read_file, write_file], arguments: [{ at: /path, under: . }] }]
`);
  const outside = join(root, "outside.txt");
  writeFileSync(outside, "secret");
  symlinkSync(outside, join(directory, "link.txt"));
  symlinkSync(root, join(directory, "folder"));
  const results = await executor.run(
    [
      call("1", "read_file", { path: "link.txt" }),
      call("2", "write_file", { path: "folder/new.txt", content: "x" }),
      call("3", "write_file", { path: "own/new.txt", content: "mine" }),
      call("4", "write_file", { path: "folder/../new.txt", content: "x" }),
    ],
    never,
  );
  assert.deepEqual(
    results.map(({ failed }) => failed),
    [true, true, false, true],
  );
  assert.equal(existsSync(join(root, "new.txt")), false);
  assert.equal(readFileSync(join(directory, "own/new.txt"), "utf8"), "mine");
});

test("a long output is cut head and tail, and the whole is kept under its hash", async () => {
  const { blobs, events, executor } = bench(openPolicy, { shownBytesMax: 200 });
  const [result] = await executor.run([shell("1", "seq 1 10000")], never);
  const whole = Array.from({ length: 10_000 }, (_, index) => `${index + 1}\n`).join("");
  const end = events.at(-1);
  assert.ok(end?.type === "call-end");
  assert.equal(blobs.text(end.hash), whole);
  assert.equal(end.hash, sha256(whole));
  const { text } = result!;
  assert.ok(text.startsWith("1\n2\n3\n") && text.endsWith("9999\n10000\n\nExit code 0"), text);
  assert.match(
    text,
    new RegExp(`\\[\\d+ bytes are left out here; all of it: lectern blob ${end.hash.slice(0, 16)}\\]`),
  );
});

test("a call that is stopped has ended with all that it started, and so has one that takes too long", async () => {
  const { audit, directory, executor } = bench();
  const stop = new AbortController();
  const command = "echo $$ > pid; trap '' INT TERM; sleep 100 & sleep 100; echo late";
  const running = executor.run([shell("1", command)], stop.signal);
  await until(() => existsSync(join(directory, "pid")));
  stop.abort();
  const [stopped] = await running;
  assert.deepEqual([stopped?.failed, stopped?.text], [true, "It was stopped"]);
  const [late] = await executor.run([shell("2", "sleep 100", { timeout_seconds: 0.05 })], never);
  assert.match(late?.text ?? "", /It was stopped after 0.05 s/);
  assert.deepEqual(
    audit.shown.filter((row) => !/allow|start/.test(row)),
    ["1 cancelled", "2 timed-out"],
  );
});

test("an id that a server uses again is another call, and a call of an earlier process is not run again", async () => {
  const { audit, directory, executor } = bench();
  await audit.append([{ type: "start", session: "s", call: "old", timeMs: 1, executor: "executor" }]);
  const [old] = await executor.run([shell("old", "touch again")], never);
  assert.match(old?.text ?? "", /started before/);
  assert.equal(existsSync(join(directory, "again")), false);
  await executor.run([shell("1", "echo a >> twice")], never);
  await executor.run([shell("1", "echo a >> twice")], never);
  assert.equal(readFileSync(join(directory, "twice"), "utf8"), "a\na\n");
  assert.deepEqual(
    audit.rows.map((row) => row.call).filter((id) => id.startsWith("1~")),
    ["1~1", "1~1", "1~1"],
  );
});

test("where the audit log cannot be written nothing runs, and what runs is waited for", async () => {
  const { audit, directory, executor } = bench();
  const append = audit.append.bind(audit);
  audit.append = async (rows) => {
    if (rows.some(({ call: id }) => id === "lost")) throw new Error("the disk is full");
    await append(rows);
  };
  const calls = [shell("lost", "touch lost"), shell("kept", "sleep 0.1; touch kept")];
  await assert.rejects(executor.run(calls, never), /the disk is full/);
  assert.deepEqual([existsSync(join(directory, "lost")), existsSync(join(directory, "kept"))], [false, true]);
  assert.deepEqual(audit.shown, ["kept allow", "kept start", "kept succeeded"]);
});

test("variables that are hidden reach no command", async () => {
  process.env["A_KEY"] = "sk-secret";
  const { executor } = bench();
  const [result] = await executor.run([shell("1", "env | grep -c SECRET_KEY; env | grep A_KEY")], never);
  delete process.env["A_KEY"];
  assert.doesNotMatch(result?.text ?? "", /sk-secret/);
});

test("files are read, written and edited, and mistakes are told", async () => {
  const { directory, executor } = bench();
  const say = async (name: string, value: object): Promise<string> =>
    (await executor.run([call(`${name}${Math.random()}`, name, value)], never))[0]?.text ?? "";
  assert.equal(await say("write_file", { path: "a/b.txt", content: "one\r\ntwo\nthree\n" }), "Wrote 15 bytes");
  assert.equal(await say("read_file", { path: "a/b.txt" }), "one\r\ntwo\nthree\n");
  assert.equal(await say("read_file", { path: "a/b.txt", from_line: 2, lines: 1 }), "two");
  assert.equal(await say("edit_file", { path: "a/b.txt", old_text: "two", new_text: "$&2" }), "Replaced 1");
  assert.equal(readFileSync(join(directory, "a/b.txt"), "utf8"), "one\r\n$&2\nthree\n");
  assert.match(await say("edit_file", { path: "a/b.txt", old_text: "e", new_text: "E" }), /is there 3 times/);
  assert.equal(await say("edit_file", { path: "a/b.txt", old_text: "e", new_text: "E", all: true }), "Replaced 3");
  assert.match(await say("edit_file", { path: "a/b.txt", old_text: "absent", new_text: "" }), /not in the file/);
  assert.equal(await say("read_file", { path: "absent" }), "There is no such file");
  assert.equal(await say("read_file", { path: "a" }), "It is a folder");
  writeFileSync(join(directory, "binary"), "a\0b");
  assert.match(await say("read_file", { path: "binary" }), /no text/);
});

test("tools of an MCP server are offered, checked and called, without our environment", async () => {
  process.env["SECRET_OF_CALLER"] = "sk-secret";
  const server = join(import.meta.dirname, "support/mcp-server.ts");
  const config = JSON.stringify({ mcpServers: { tests: { command: process.execPath, args: [server] } } });
  const options = { version: "0", workingDirectory: root, signal: never };
  await using servers = await connectMcpServers(readMcpConfig(config, "mcp.json"), options);
  delete process.env["SECRET_OF_CALLER"];
  assert.deepEqual(
    servers.tools.map(({ name }) => name),
    ["mcp__tests__add", "mcp__tests__fail"],
  );
  const { executor } = bench(openPolicy, {}, servers.tools);
  const results = await executor.run(
    [
      call("1", "mcp__tests__add", { a: 2, b: 40 }),
      call("2", "mcp__tests__add", { a: "2" }),
      call("3", "mcp__tests__fail", {}),
    ],
    never,
  );
  assert.deepEqual(
    results.map(({ text }) => text),
    ["42\n", "Refused: The arguments do not fit the tool's schema", "no secret\n\nThe tool says that it failed"],
  );
});

test("a server that is not there and a file that names none are clear errors", async () => {
  const options = { version: "0", workingDirectory: root, signal: never };
  const absent = connectMcpServers({ tests: { command: "no-such-program" } }, options);
  await assert.rejects(absent, { code: "NOT_AVAILABLE", message: /MCP server "tests"/ });
  for (const bad of ["", "{}", '{"mcpServers":{"a b":{"command":"x"}}}', '{"mcpServers":{"a":{"args":[1]}}}']) {
    assert.throws(() => readMcpConfig(bad, "mcp.json"), { code: "INVALID_INPUT", message: /mcp.json/ });
  }
});
