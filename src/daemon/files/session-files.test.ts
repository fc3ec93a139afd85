import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { listSessionFiles, putSessionFile, removeSessionFile, numberedName, safeFileName } from "./session-files.ts";

const MIB = 1024 * 1024;

function sessionDirectory(context: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "lectern-files-"));
  context.after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

async function* bodyOf(...parts: readonly (string | number)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === "string" ? Buffer.from(part) : Buffer.alloc(part);
}

const namesIn = (directory: string): string[] => readdirSync(join(directory, "files")).toSorted();

test("a name that is taken gets a number, and what is not a name is none", async (context) => {
  const directory = sessionDirectory(context);
  const names: string[] = [];
  for (const given of ["plan.txt", "plan.txt", "../../plan.txt"])
    names.push((await putSessionFile(directory, given, bodyOf("text"))).name);
  assert.deepEqual(namesIn(directory), names.toSorted());
  assert.equal(new Set(names).size, 3);
  const [first] = await listSessionFiles(directory);
  await removeSessionFile(directory, first?.name ?? "");
  await assert.rejects(removeSessionFile(directory, "../meta.json"), { code: "NOT_FOUND" });
  assert.equal(namesIn(directory).length, 2);
});

test("a file that is too large, or whose body breaks off, leaves nothing", async (context) => {
  const directory = sessionDirectory(context);
  const large = Array.from({ length: 51 }, () => MIB);
  await assert.rejects(putSessionFile(directory, "large", bodyOf(...large)), { code: "TOO_LARGE" });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("half");
    throw new Error("the connection is gone");
  }
  await assert.rejects(putSessionFile(directory, "half", broken()), /connection is gone/);
  assert.deepEqual(namesIn(directory), []);
});

test("the files of a session have a limit of their number and one of their bytes, also where several come at once", async (context) => {
  const directory = sessionDirectory(context);
  mkdirSync(join(directory, "files"));
  const big = join(directory, "files", "big");
  writeFileSync(big, "");
  truncateSync(big, 499 * MIB);
  const put = async (name: string) => await putSessionFile(directory, name, bodyOf(MIB - 1, 1));
  const results = await Promise.allSettled([put("one"), put("two"), put("three")]);
  assert.ok(results.filter(({ status }) => status === "fulfilled").length <= 1);
  for (const result of results)
    if (result.status === "rejected") assert.equal((result.reason as { code: string }).code, "LIMIT_EXCEEDED");
  const files = await listSessionFiles(directory);
  assert.ok(files.reduce((sum, { bytes }) => sum + bytes, 0) <= 500 * MIB);
  rmSync(big);
  for (let count = files.length; count < 201; count += 1) writeFileSync(join(directory, "files", `small${count}`), "");
  await assert.rejects(putSessionFile(directory, "more", bodyOf("text")), { code: "LIMIT_EXCEEDED" });
});

test("a link in the place of the directory or of a file is not followed", async (context) => {
  const directory = sessionDirectory(context);
  const outside = join(directory, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(directory, "files"));
  await assert.rejects(putSessionFile(directory, "plan.txt", bodyOf("text")), { code: "CONFLICT" });
  rmSync(join(directory, "files"));
  mkdirSync(join(directory, "files"));
  symlinkSync(join(outside, "made"), join(directory, "files", "plan.txt"));
  const { name } = await putSessionFile(directory, "plan.txt", bodyOf("text"));
  assert.notEqual(name, "plan.txt");
  assert.equal(existsSync(join(outside, "made")), false);
});

test("a name keeps what is safe, and nothing leads out of its directory", () => {
  const names: Readonly<Record<string, string>> = {
    "screen shot (1).png": "screen-shot-1-.png",
    "../../etc/passwd": "passwd",
    "C:\\Users\\me\\a.txt": "a.txt",
    ".bashrc": "bashrc",
    "-rf": "rf",
    "..": "file",
    "": "file",
    "a\u202eb\u0000c\n.txt": "a-b-c-.txt",
    "$(touch x).sh": "touch-x-.sh",
    "Größe.pdf": "Größe.pdf",
  };
  for (const [given, wanted] of Object.entries(names)) assert.equal(safeFileName(given), wanted, given);
});

test("a long name is cut before its extension", () => {
  const name = safeFileName(`${"x".repeat(300)}.png`);
  assert.deepEqual([name.length, name.endsWith(".png")], [100, true]);
});

test("a second file of a name gets a number", () => {
  assert.deepEqual(
    [numberedName("a.tar.gz", 1), numberedName("a.png", 2), numberedName("README", 3)],
    ["a.tar.gz", "a-2.png", "README-3"],
  );
});
