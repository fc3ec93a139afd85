import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { saidIn } from "./said-files.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-said-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const header = (id: string): string => `${JSON.stringify({ type: "session", id, cwd: directory })}\n`;
const prompt = (id: string, text: string, parentId: string | null = null): string =>
  `${JSON.stringify({ type: "message", id, parentId, timestamp: 1000, message: { role: "user", content: text } })}\n`;

async function saidNow(): Promise<string[]> {
  const said = await saidIn("pi", join(directory, "*.jsonl"), { workingDirectory: directory, sinceMs: 0 });
  return said.map(({ id, prompts }) => `${id}: ${prompts.map(({ text }) => text).join(", ")}`);
}

test("of a file only what was added is read, and all of one that is replaced or became shorter", async () => {
  const file = join(directory, "a.jsonl");
  writeFileSync(file, header("one") + prompt("p", "first"));
  assert.deepEqual(await saidNow(), ["one: first"]);
  // Nobody does this: it shows that the part is not read again.
  const changed = header("one") + prompt("p", "other");
  writeFileSync(file, changed);
  appendFileSync(file, prompt("q", "second", "p").slice(0, 20));
  assert.deepEqual(await saidNow(), ["one: first"]);
  appendFileSync(file, prompt("q", "second", "p").slice(20));
  assert.deepEqual(await Promise.all([saidNow(), saidNow()]), [["one: first, second"], ["one: first, second"]]);
  writeFileSync(file, header("two"));
  assert.deepEqual(await saidNow(), ["two: "]);
  writeFileSync(`${file}.new`, header("three") + prompt("p", "a longer one that was said"));
  renameSync(`${file}.new`, file);
  assert.deepEqual(await saidNow(), ["three: a longer one that was said"]);
});

test("a file of another directory, or without a header, is not read", async () => {
  writeFileSync(join(directory, "c.jsonl"), header("one").replace(directory, "/elsewhere"));
  writeFileSync(join(directory, "b.jsonl"), prompt("p", "first"));
  assert.deepEqual(await saidNow(), ["three: a longer one that was said"]);
});

test("a conversation in two files is one, also where the file that was begun later is empty", async () => {
  writeFileSync(join(directory, "a.jsonl"), header("two") + prompt("p", "first"));
  writeFileSync(join(directory, "d.jsonl"), header("two"));
  assert.deepEqual(await saidNow(), ["two: first"]);
  writeFileSync(join(directory, "d.jsonl"), header("two") + prompt("q", "second"));
  assert.deepEqual(await saidNow(), ["two: first, second"]);
});
