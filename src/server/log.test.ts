import assert from "node:assert/strict";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LogFile, createLogger } from "./log.ts";

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

/** A file on a disk with so many bytes of space. */
function smallDisk(space: number): {
  write: (descriptor: number, bytes: Uint8Array) => number;
  text: string;
  space: number;
} {
  const disk = {
    text: "",
    space,
    write: (_: number, bytes: Uint8Array): number => {
      if (disk.space === 0) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
      const count = Math.min(disk.space, bytes.length);
      disk.text += Buffer.from(bytes.subarray(0, count)).toString();
      disk.space -= count;
      return count;
    },
  };
  return disk;
}

test("LogFile never throws on a full disk, and counts what it dropped when there is space again", () => {
  const disk = smallDisk(8);
  const log = new LogFile(1, disk.write);
  for (const line of ["first\n", "second\n", "third\n"]) log.write(line);
  disk.space = 1000;
  log.write("fourth\n");
  log.write("fifth\n");
  const [first, torn, note = "", ...rest] = disk.text.split("\n");
  assert.deepEqual([first, torn, rest], ["first", "se", ["fourth", "fifth", ""]]);
  assert.match((JSON.parse(note) as { msg: string }).msg, /^2 log lines could not be written: ENOSPC$/);
});

test("LogFile never throws where nothing can be written", () => {
  const log = new LogFile(1, () => {
    throw new Error("EIO");
  });
  for (let count = 0; count < 1000; count++) log.write("line\n");
});
