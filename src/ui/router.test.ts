import assert from "node:assert/strict";
import { test } from "node:test";
import { isViewPath } from "../protocol/page-paths.ts";
import { parseRoute, sessionPath } from "./router.ts";

const query = new URLSearchParams();

test("parseRoute finds the session and its tab", () => {
  assert.deepEqual(parseRoute("/s/build", query), { view: "session", session: "build", tab: "terminal", query });
  assert.deepEqual(parseRoute("/s/a%20b/chat", query), { view: "session", session: "a b", tab: "chat", query });
});

test("a session on another machine has an address of one part, whatever its name is", () => {
  assert.equal(sessionPath("box/chat", "replay"), "/s/box:chat/replay");
  for (const session of ["box/chat", "box/job", "job"]) {
    const route = parseRoute(sessionPath(session, "chat"), query);
    assert.deepEqual(route, { view: "session", session, tab: "chat", query });
  }
});

test("parseRoute takes the list for what it does not know", () => {
  assert.deepEqual(parseRoute("/nothing", query), { view: "sessions" });
});

test("parseRoute finds the dry run with its session", () => {
  const session = new URLSearchParams("session=work");
  assert.deepEqual(parseRoute("/policy", session), { view: "policy", query: session });
  assert.ok(isViewPath("/policy"));
});

test("every address that the page makes is one that the server answers", () => {
  for (const tab of ["terminal", "chat", "replay"] as const) assert.ok(isViewPath(sessionPath("a/b?c", tab)), tab);
});
