import assert from "node:assert/strict";
import { test } from "node:test";
import { shareLabel, shareLink } from "./share.ts";

test("a share link has its token where a browser sends it to nobody", () => {
  const { hash, pathname, search } = new URL(shareLink("http://127.0.0.1:7433", "abc"));
  assert.deepEqual([pathname, search, hash], ["/login", "", "#abc"]);
});

test("the label of a share fits a token, whatever the name", () => {
  assert.equal(shareLabel("work"), "share work");
  assert.equal(shareLabel("x".repeat(64)).length, 64);
});
