import assert from "node:assert/strict";
import { test } from "node:test";
import { LastTyped } from "./last-typed.ts";

const ended = (typed: string, exit: { code?: number; signal?: string } = { code: 1 }, isRead = true): boolean => {
  const last = new LastTyped();
  last.feed(new TextEncoder().encode(typed), { isRead });
  return last.endedBy({ code: exit.code ?? null, signal: exit.signal ?? null });
};

test("LastTyped knows the lines and keys that end a program at its own prompt", () => {
  for (const line of ["exit\r", "ls\rexit 3\r", "  logout\r", "exut\u007F\u007Fit\r", "junk\u0015exit\r", "\u0004"]) {
    assert.ok(ended(line), JSON.stringify(line));
  }
  assert.ok(ended("\u001B[200~exit\u001B[201~\r"));
  assert.ok(ended("exit\r\u001B[?1;2c"), "a report of the terminal is nothing that somebody typed");
});

test("LastTyped takes nothing else for a request to end", () => {
  for (const line of ["false\r", "exit", "exit\rls\r", "echo exit\r", "\u001B[A\r", "x\u0004", "exit\u001B[D\r"]) {
    assert.ok(!ended(line), JSON.stringify(line));
  }
  assert.ok(!ended("exit\r", { code: 1 }, false), "another program reads it");
  const last = new LastTyped();
  last.feed(new TextEncoder().encode(`${"x".repeat(5000)}\rexit\r`), { isRead: true });
  assert.ok(!last.endedBy({ code: 1, signal: null }));
});

test("LastTyped counts Ctrl-C only for an exit by it", () => {
  assert.ok(ended("\u0003", { signal: "SIGINT" }, false));
  assert.ok(ended("\u0003", { code: 130 }, false));
  assert.ok(!ended("\u0003", { code: 1 }, false));
  assert.ok(!ended("\u0003", { signal: "SIGSEGV" }, false));
});
