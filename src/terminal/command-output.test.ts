import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BlobDirectory } from "./blob-file.ts";
import { CommandOutput } from "./command-output.ts";
import { openTerminal } from "./open-terminal.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-output-"));
after(() => rmSync(root, { recursive: true, force: true }));

const long = Buffer.from("0123456789".repeat(10));
const sha256 = createHash("sha256").update(long).digest("hex");

test("a cut output stands whole in the directory, under its hash", () => {
  const directory = join(root, "kept");
  const output = new CommandOutput({ bytesMax: 20, blobs: new BlobDirectory(directory) });
  for (const byte of long) output.feed(Uint8Array.of(byte));
  const { text, omitted } = output.end();
  assert.equal(text, "0123456789\n[... 80 bytes omitted ...]\n0123456789");
  assert.deepEqual(omitted, { bytes: 80, totalBytes: 100, sha256, kept: true, path: join(directory, sha256) });
  assert.deepEqual(readFileSync(join(directory, sha256)), long);
});

test("a directory that cannot be written keeps nothing, and the output comes all the same", () => {
  const file = join(root, "no-directory");
  writeFileSync(file, "");
  const output = new CommandOutput({ bytesMax: 20, blobs: new BlobDirectory(join(file, "below")) });
  output.feed(long);
  assert.deepEqual(output.end().omitted, { bytes: 80, totalBytes: 100, sha256, kept: false, path: null });
});

test("a place that goes away before the end keeps nothing, and an output that nobody wants leaves no file", () => {
  const directory = join(root, "gone");
  const cut = new CommandOutput({ bytesMax: 20, blobs: new BlobDirectory(directory) });
  cut.feed(long);
  rmSync(directory, { recursive: true });
  assert.equal(cut.end().omitted?.kept, false);
  assert.equal(existsSync(directory), false);
  const unwanted = new CommandOutput({ bytesMax: 20, blobs: new BlobDirectory(directory) });
  unwanted.feed(long);
  unwanted.discard();
  assert.deepEqual(readdirSync(directory), []);
});

test("a tail that begins at any byte of an escape sequence shows nothing of it", () => {
  const mark = "\u001b]133;D;0;n=AbCdEfGhIjKl\u0007";
  for (let tail = 1; tail <= mark.length; tail += 1) {
    const output = new CommandOutput({ bytesMax: 2 * (tail + 2), blobs: undefined });
    output.feed(Buffer.from("x".repeat(100) + mark));
    output.feed(Buffer.from("ls"));
    assert.match(output.end().text, /omitted \.\.\.\]\nls$/);
  }
});

test("what has left the journal is a line of the output, and counts as left out", () => {
  const output = new CommandOutput({ bytesMax: 200, blobs: undefined });
  output.feed(Buffer.from("one"));
  output.gap(5000);
  output.feed(Buffer.from("two"));
  const { text, omitted } = output.end();
  assert.equal(text, "one\n[... 5000 bytes missing ...]\ntwo");
  assert.deepEqual([omitted?.totalBytes, omitted?.kept], [5006, false]);
  const cut = new CommandOutput({ bytesMax: 20, blobs: new BlobDirectory(join(root, "missing")) });
  cut.feed(long);
  cut.gap(5000);
  cut.feed(long);
  const { totalBytes, kept } = cut.end().omitted ?? {};
  assert.deepEqual([totalBytes, kept], [5200, false]);
});

test("the output of a zsh without marks keeps its last line, which has no line feed", async () => {
  await using terminal = await openTerminal(["zsh", "-f"]);
  for (const [command, wanted] of [
    ["printf x", "x"],
    ["printf 'a\\nb'", "a\nb"],
    ["echo two", "two\n"],
    ["true", ""],
  ] as const)
    assert.equal((await terminal.run(command)).output, wanted, command);
});
