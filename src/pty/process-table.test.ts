import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { foregroundGroupOf, groupsOnTerminalOf, parseProcessTable, processTable } from "./process-table.ts";

/** As the `ps` of a Mac prints it: 400 is a shell with the job 410 in the foreground and 420 behind, 500 has another terminal. */
const table = parseProcessTable(`
    1     0     1     0 ??
  ${process.pid} 1 ${process.pid} ${process.pid} ttys001
  400   300   400   410 ttys003
  410   400   410   410 ttys003
  411   410   410   410 ttys003
  420   400   420   410 ttys003
  500   300   500   500 ttys004
  600   300   300     0 ??
  700   300   700     ${process.pid} ttys001
`);

test("the groups of a terminal are found by its name", () => {
  assert.deepEqual(groupsOnTerminalOf(400, table), [400, 410, 420]);
  assert.deepEqual(groupsOnTerminalOf(500, table), [500]);
  assert.equal(foregroundGroupOf(400, table), 410);
});

test("a program without a terminal of its own has no group but its own", () => {
  assert.deepEqual(groupsOnTerminalOf(600, table), [600]);
  assert.deepEqual(groupsOnTerminalOf(999, table), [999]);
  assert.equal(foregroundGroupOf(999, table), undefined);
});

test("no process of the terminal that this process itself has is reached", () => {
  assert.deepEqual(groupsOnTerminalOf(700, table), [700]);
  assert.equal(foregroundGroupOf(700, table), undefined);
});

test("lines of another form are no processes", () => {
  assert.deepEqual(parseProcessTable("PID PPID\n1 2 3\n1 2 3 4 tty more\n"), []);
  assert.deepEqual(parseProcessTable(null), []);
});

test("the real table has this process, and a child of it", () => {
  const own = processTable().find(({ pid }) => pid === process.pid);
  assert.equal(own?.parent, process.ppid);
  assert.equal(processTable(), processTable());
  const groups = execFileSync("ps", ["-o", "pgid=", "-p", String(process.pid)], { encoding: "utf8" });
  assert.equal(own.group, Number(groups));
});
