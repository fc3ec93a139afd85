import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { BlobStore, type BlobStoreOptions } from "./blobs.ts";

const root = mkdtempSync(join(tmpdir(), "lectern-blobs-"));
after(() => rmSync(root, { recursive: true, force: true }));
let directories = 0;

const newStore = (options: BlobStoreOptions = {}): { store: BlobStore; directory: string } => {
  const directory = join(root, `blobs${directories++}`);
  return { store: new BlobStore(directory, options), directory };
};

function put(store: BlobStore, ...chunks: string[]): ReturnType<ReturnType<BlobStore["open"]>["end"]> {
  const writer = store.open();
  for (const chunk of chunks) writer.write(Buffer.from(chunk));
  return writer.end();
}

const textOf = async (store: BlobStore, hash: string): Promise<string> =>
  Buffer.concat(await Array.fromAsync(store.find(hash).chunks)).toString();

/** Of "hello". */
const helloHash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";

test("a blob is found by its hash, and by the beginning of it", async () => {
  const { store } = newStore();
  assert.deepEqual(put(store, "hel", "lo"), { hash: helloHash, bytes: 5, kept: true });
  assert.equal(await textOf(store, helloHash), "hello");
  assert.equal(await textOf(store, helloHash.slice(0, 8)), "hello");
  assert.equal(put(store, "hello").hash, helloHash);
});

test("what is not there, too short or no hash is not found, and nothing outside is read", () => {
  const { store } = newStore();
  put(store, "hello");
  for (const wrong of ["0".repeat(64), helloHash.slice(0, 7), "../../etc/passwd", helloHash.toUpperCase()]) {
    assert.throws(() => store.find(wrong), { code: "NOT_FOUND" });
  }
});

test("a blob over the limit is not kept, has its hash all the same, and leaves no file", () => {
  const { store, directory } = newStore({ blobBytesMax: 4 });
  assert.deepEqual(put(store, "hel", "lo"), { hash: helloHash, bytes: 5, kept: false });
  assert.throws(() => store.find(helloHash), { code: "NOT_FOUND" });
  assert.deepEqual(readdirSync(directory), []);
});

test("the blobs unused for longest make room", async () => {
  const { store, directory } = newStore({ totalBytesMax: 10 });
  const hashes = ["aaaa", "bbbb"].map((text) => put(store, text).hash);
  for (const [age, hash] of hashes.entries()) {
    const time = new Date(Date.now() - 10_000 + age);
    utimesSync(join(directory, hash.slice(0, 2), hash), time, time);
  }
  await textOf(store, hashes[0]!);
  put(store, "cccc");
  assert.equal(await textOf(store, hashes[0]!), "aaaa");
  assert.throws(() => store.find(hashes[1]!), { code: "NOT_FOUND" });
});
