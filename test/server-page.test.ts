/** The files of the web page: to whom they are given, with which headers. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startMemoryServer } from "./support/memory-server.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-page-"));
mkdirSync(join(directory, "assets"));
writeFileSync(join(directory, "index.html"), "<!doctype html>");
writeFileSync(join(directory, "assets/main-Ab12Cd34.js"), `export const text = "${"x".repeat(4000)}";`);
writeFileSync(join(directory, "secret.txt"), "not a file of the page");

const memory = await startMemoryServer({ pageDirectory: directory });
after(async () => {
  await memory[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(memory.url + path, { headers, redirect: "manual" });

test("each view is the same document, without a token and never cached", async () => {
  for (const path of ["/", "/s/build", "/s/build/replay?at=12", "/search"]) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    assert.equal(await answer.text(), "<!doctype html>");
    assert.equal(answer.headers.get("cache-control"), "no-cache");
  }
});

test("the policy of the page allows its own scripts only", async () => {
  const policy = (await get("/")).headers.get("content-security-policy") ?? "";
  assert.match(policy, /default-src 'none'; script-src 'self';/);
  assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'/);
  assert.doesNotMatch(policy, /unsafe-eval|script-src[^;]*unsafe/);
});

test("a file with a hash in its name is kept for ever, and sent compressed where that is understood", async () => {
  const plain = await get("/assets/main-Ab12Cd34.js", { "accept-encoding": "identity" });
  assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(plain.headers.get("content-encoding"), null);
  const small = await get("/assets/main-Ab12Cd34.js", { "accept-encoding": "gzip" });
  assert.equal(small.headers.get("content-encoding"), "gzip");
  assert.ok(Number(small.headers.get("content-length")) < 200);
  assert.equal(await small.text(), await plain.text());
});

test("a document that has not changed is not sent again", async () => {
  const etag = (await get("/")).headers.get("etag") ?? "";
  assert.equal((await get("/", { "if-none-match": etag })).status, 304);
});

test("nothing else of the directory is given out", async () => {
  for (const path of ["/secret.txt", "/assets/..%2fsecret.txt", "/assets/nothing-Ab12Cd34.js"]) {
    assert.ok([400, 401, 404].includes((await get(path)).status), path);
  }
});

test("a page that is not built says so", async () => {
  await using bare = await startMemoryServer({ pageDirectory: join(directory, "nowhere") });
  const answer = await fetch(bare.url);
  assert.equal(answer.status, 404);
  assert.match(await answer.text(), /build:ui/);
});

test("a page of another site cannot load it", async () => {
  assert.equal((await get("/", { origin: "https://evil.example" })).status, 403);
});
