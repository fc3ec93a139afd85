import assert from "node:assert/strict";
import { test } from "node:test";
import { isHashedPath, isPagePath, isViewPath } from "./page-paths.ts";

test("isViewPath knows the addresses of the views", () => {
  for (const path of [
    "/",
    "/s/build",
    "/s/build/chat",
    "/s/build/changes",
    "/s/build/replay",
    "/search",
    "/approvals",
    "/audit",
  ]) {
    assert.ok(isViewPath(path), path);
  }
});

test("isPagePath leaves operations and unknown paths to others", () => {
  for (const path of [
    "/v1/sessions",
    "/s",
    "/s/",
    "/s/a/b",
    "/s/a/chat/b",
    "/assets/",
    "/assets/a/b.js",
    "/icon.js",
    "/x",
  ]) {
    assert.ok(!isPagePath(path), path);
  }
});

test("isHashedPath asks for a hash in the name", () => {
  assert.ok(isHashedPath("/assets/main-Ab3_x9Zk.js"));
  assert.ok(!isHashedPath("/assets/main.js"));
  assert.ok(!isHashedPath("/manifest.webmanifest"));
});
