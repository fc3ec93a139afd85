import assert from "node:assert/strict";
import { test } from "node:test";
import { headerOf, pairsOf, requestHeaders, responseHeaders } from "./headers.ts";

test("requestHeaders keeps what is for the server, and drops what is for one connection or for the gateway", () => {
  const raw = ["Host", "127.0.0.1:1", "Authorization", "Bearer k", "Connection", "keep-alive, X-Hop", "X-Hop", "1"];
  const more = ["Content-Length", "5", "x-lectern-wire", "secret", "Accept-Encoding", "gzip, deflate, BR;q=0.5"];
  assert.deepEqual(requestHeaders([...raw, ...more]), ["authorization", "Bearer k", "accept-encoding", "gzip, br"]);
  assert.deepEqual(requestHeaders([]), ["accept-encoding", "identity"]);
});

test("responseHeaders drops what says how the body was packed, and keeps doubled headers", () => {
  const pairs = pairsOf(["Content-Type", "a/b", Buffer.from("Set-Cookie"), Buffer.from("a"), "Set-Cookie", "b"]);
  const packed = pairsOf(["Content-Encoding", "br", "Content-Length", "3", "Transfer-Encoding", "chunked"]);
  assert.deepEqual(responseHeaders([...pairs, ...packed]), [
    "content-type",
    "a/b",
    "set-cookie",
    "a",
    "set-cookie",
    "b",
  ]);
  assert.equal(headerOf(pairs, "content-type"), "a/b");
  assert.equal(headerOf(pairs, "missing"), undefined);
});
