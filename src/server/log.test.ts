import assert from "node:assert/strict";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LogFile } from "./log-file.ts";
import { createLogger } from "./log.ts";

/** What cannot be made JSON of in one way or another. */
function awkwardValues(): unknown[] {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;
  const throws = (): never => {
    throw new Error("it does not want to be logged");
  };
  const error = new Error("one of two");
  error.cause = error;
  return [
    circular,
    error,
    { big: 1n },
    { toJSON: throws },
    Object.defineProperty({}, "value", { enumerable: true, get: throws }),
    Object.defineProperty(new Error("has a getter"), "stack", { get: throws }),
    new Proxy({}, { ownKeys: throws, get: throws }),
    undefined,
    Symbol("value"),
  ];
}

test("the logger never throws, whatever it is told, and goes on", () => {
  let text = "";
  const logger = createLogger({ write: (line) => (text += line) }, "warn");
  for (const value of awkwardValues()) {
    logger.warn({ value }, "as a field");
    logger.error({ err: value }, "as an error");
    if (typeof value === "object") logger.error(value, "alone");
  }
  logger.warn("the last line");
  const lines = text.trimEnd().split("\n");
  for (const line of lines) JSON.parse(line);
  assert.match(lines.at(-1) ?? "", /the last line/);
});

test("the logger never throws, whatever became of its file", { skip: process.platform !== "linux" }, () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-log-"));
  try {
    const path = join(directory, "daemon.log");
    const removed = openSync(path, "a");
    const logger = createLogger(new LogFile(removed), "warn");
    logger.warn("before");
    rmSync(path);
    logger.warn("removed");
    mkdirSync(path);
    logger.warn("replaced by a directory");
    closeSync(removed);
    logger.warn("closed");

    // Every write there fails as on a full disk.
    const full = openSync("/dev/full", "a");
    createLogger(new LogFile(full), "warn").warn("full");
    closeSync(full);
    const readOnly = openSync(join(directory, "read-only"), "a+");
    const other = openSync(join(directory, "read-only"), "r");
    createLogger(new LogFile(other), "warn").warn("read-only");
    assert.equal(readFileSync(join(directory, "read-only"), "utf8"), "");
    closeSync(other);
    closeSync(readOnly);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
