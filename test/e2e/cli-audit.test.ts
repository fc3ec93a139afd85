import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { InputOf } from "../../src/protocol/operations.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

type Rows = InputOf<"audit.append">["rows"];

const rowsOf = (session: string, call: string): Rows => [
  {
    type: "decision",
    session,
    call,
    timeMs: 1_700_000_000_000,
    requester: "me",
    tool: "bash",
    source: "anthropic",
    provenance: "wire",
    argumentsHash: "a".repeat(64),
    effect: "allow",
    decidedBy: "list",
    line: 3,
    policyHash: null,
    evidence: "ls -a",
  },
  { type: "start", session, call, timeMs: 1_700_000_000_001, executor: "executor" },
];

test("lectern audit shows rows of all sessions, of one, as JSON and as they come", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "work", "--", "cat");
  const { id } = await home.client.call("sessions.get", { session: "work" });
  await home.client.call("audit.append", { rows: [...rowsOf(id, "1"), ...rowsOf("elsewhere", "2")] });
  const text = await home.ok("audit");
  assert.equal(text.split("\n").length, 5);
  assert.ok(text.startsWith(`1 2023-11-14T22:13:20.000Z ${id} 1 bash allow by list (line 3): ls -a\n`), text);
  assert.equal((await home.ok("audit", "--session", "work")).split("\n").length, 3);
  assert.equal((await home.ok("audit", "-s", "elsewhere", "-n", "1")).split(" ")[0], "4");
  assert.equal(
    await home.fails("audit", "-s", "nope"),
    '3 lectern: Cannot find session "nope": list all with "lectern ls -a"',
  );
  const rows = (await home.ok("audit", "--json", "--all")).trimEnd().split("\n");
  assert.equal(JSON.parse(rows[3]!).row.executor, "executor");
  const follow = home.onTerminal(["audit", "-f"]);
  await follow.until("elsewhere 2 started");
  await home.client.call("audit.append", { rows: rowsOf(id, "later") });
  await follow.until(`${id} later started`);
  // More than one page.
  const many = Array.from({ length: 998 }, (_, index) => rowsOf("elsewhere", `many${index}`)[0]!);
  for (let at = 0; at < many.length; at += 100)
    await home.client.call("audit.append", { rows: many.slice(at, at + 100) });
  const last = (await home.ok("audit", "--all")).trimEnd().split("\n").at(-1);
  assert.match(last ?? "", /^1004 .* many997 /);
});

test("lectern audit open and verify survive a killed daemon, and verify names a row that was changed", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--", "true");
  await home.client.call("audit.append", { rows: rowsOf("s1", "1") });
  await home.crashDaemon();
  const open = await home.ok("audit", "open");
  assert.match(open, /^unfinished +s1 +1 +bash /m);
  const found = await home.client.call("audit.find", { session: "s1", call: "1" });
  assert.equal(found.call?.stage, "unfinished");
  const whole = await home.ok("audit", "verify");
  assert.match(whole, /^The audit log is intact: 2 rows, head 2:[0-9a-f]{64}$/m);
  const head = whole.trim().split(" ").at(-1) ?? "";
  assert.equal((await home.run(["audit", "verify", "--head", head])).code, 0);
  const file = join(home.paths.auditDirectory, "rows.jsonl");
  writeFileSync(file, readFileSync(file, "utf8").replace("executor", "executer"));
  assert.match(
    await home.fails("audit", "verify"),
    /^1 lectern: The audit row 2 was changed\nKeep a copy of "\/.*\/audit" as evidence/,
  );
  const { stdout } = await home.run(["audit", "verify", "--json"]);
  assert.deepEqual(JSON.parse(stdout), {
    intact: false,
    problem: "changed",
    at: 1,
    sequence: 2,
    message: "The audit row 2 was changed",
    rows: 1,
    keptHeads: 0,
  });
});

test("lectern audit show has all of one call: its arguments, each part, and what the agent did with the decision", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--", "true");
  const [decision, start] = rowsOf("s1", "call_1");
  assert.ok(decision?.type === "decision" && start !== undefined);
  const part = (text: string, decidedBy: string, line: number) => ({ text, effect: "allow", decidedBy, line }) as const;
  const command = "mkdir -p out && printf 'sk-ant-api03-AAAABBBBCCCCDDDD' | tee out/marker.txt";
  const subject = { session: "s1", call: "call_1", timeMs: decision.timeMs };
  const parts = [part("mkdir -p out", "folders", 7), part("tee out/marker.txt", "writes", 9)];
  const rows: Rows = [
    { ...decision, arguments: JSON.stringify({ command, timeout: 5 }), parts, partsLeftOut: 2 },
    { type: "answer", ...subject, effect: "allow", approver: "ada" },
    start,
    { type: "outcome", ...subject, result: "refused", evidence: "claude@2 rejected", outcomeHash: null },
    ...rowsOf("s2", "call_2"),
  ];
  await home.client.call("audit.append", { rows });
  const text = await home.ok("audit", "show", "call_1");
  assert.equal(
    text,
    `bash call_1 in session s1: deny by the agent; before it, allow by ada
command: mkdir -p out && printf '•••' | tee out/marker.txt
timeout: 5
allow mkdir -p out (folders, line 7)
allow tee out/marker.txt (writes, line 9)
and 2 more parts
1 2023-11-14T22:13:20.000Z s1 call_1 bash allow by list (line 3): ls -a
2 2023-11-14T22:13:20.000Z s1 call_1 answered allow by ada
3 2023-11-14T22:13:20.001Z s1 call_1 started by executor
4 2023-11-14T22:13:20.000Z s1 call_1 refused by the agent (claude@2 rejected)
`,
  );
  const json = JSON.parse(await home.ok("audit", "show", "call_1", "--json"));
  assert.deepEqual([json.final.effect, json.outcome.result, json.rows.length], ["deny", "refused", 4]);
  assert.deepEqual(json.decision.parts, parts);
  const log = readFileSync(join(home.paths.auditDirectory, "rows.jsonl"), "utf8");
  assert.doesNotMatch(log, /sk-ant/);
  assert.match(await home.ok("audit", "verify"), /intact: 6 rows/);
  assert.match(await home.fails("audit", "show", "call_9"), /Cannot find the call "call_9" in the audit log/);
  assert.match(await home.fails("audit", "show"), /^2 lectern: Name one call, and only with show/);
  assert.match(await home.fails("audit", "open", "call_1"), /^2 lectern: Name one call, and only with show/);
});

test("lectern audit refuses what it does not know", async () => {
  await using home = new CliHome();
  assert.match(await home.fails("audit", "verify", "--head", "12"), /^2 lectern: Cannot read the head "12"/);
  assert.match(
    await home.fails("audit", "--head", "12:ab"),
    /^2 lectern: Cannot use --head here: .*"lectern audit verify"/,
  );
  assert.match(await home.fails("audit", "remove"), /^2 lectern: ACTION must be one of ls, show, open, verify/);
});

test("a refusal, a question and an answer are anchored in the journal, so an emptied or a cut log is not intact", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "work", "--wire", "--", "cat");
  const { id } = await home.client.call("sessions.get", { session: "work" });
  const [decision] = rowsOf(id, "1");
  assert.ok(decision?.type === "decision");
  const heads = async (): Promise<number> => (await home.client.call("audit.verify", {})).keptHeads;
  await home.client.call("audit.append", { rows: [{ ...decision, effect: "allow" }] });
  await home.client.call("audit.append", { rows: [{ ...decision, call: "2", effect: "deny" }] });
  await until(async () => (await heads()) === 1, "the refusal is anchored");
  await home.client.call("audit.append", { rows: [{ ...decision, call: "3", effect: "ask" }] });
  await until(async () => (await heads()) === 2, "the question is anchored");
  const answer = {
    type: "answer",
    session: id,
    call: "3",
    timeMs: decision.timeMs,
    effect: "deny",
    approver: "me",
  } as const;
  await home.client.call("audit.append", { rows: [answer] });
  await until(async () => (await heads()) === 3, "the answer is anchored");
  assert.match(await home.ok("audit", "verify"), /intact: 4 rows.*\nIt agrees with 3 heads/);
  await home.crashDaemon();
  const { auditDirectory } = home.paths;
  const head = readFileSync(join(auditDirectory, "head"));
  rmSync(join(auditDirectory, "head"));
  assert.match(
    await home.fails("audit", "verify"),
    /The file "head".*was removed: audit rows from 5 on may be missing/,
  );
  await home.crashDaemon();
  writeFileSync(join(auditDirectory, "head"), head);
  assert.match(await home.ok("audit", "verify"), /intact: 4 rows/);
  await home.crashDaemon();
  for (const name of readdirSync(auditDirectory)) rmSync(join(auditDirectory, name), { recursive: true });
  assert.match(await home.fails("audit", "verify"), /was removed: session .* recorded that there were 4 rows/);
});

test("a refusal is anchored in a session without the gateway, too", async () => {
  await using home = new CliHome();
  await home.ok("run", "-d", "--name", "work", "--", "cat");
  const { id } = await home.client.call("sessions.get", { session: "work" });
  const [decision] = rowsOf(id, "1");
  assert.ok(decision?.type === "decision");
  await home.client.call("audit.append", { rows: [{ ...decision, effect: "deny" }] });
  await until(async () => (await home.client.call("audit.verify", {})).keptHeads === 1, "the refusal is anchored");
  await home.crashDaemon();
  const { auditDirectory } = home.paths;
  for (const name of readdirSync(auditDirectory)) rmSync(join(auditDirectory, name), { recursive: true });
  assert.match(await home.fails("audit", "verify"), /was removed: session .* recorded that there were 1 rows/);
});
