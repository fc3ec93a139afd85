import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf } from "./address.ts";

test("the input of a GET goes into path and query, lists joined and undefined left out", () => {
  const input = { session: "a b", from: 3, types: ["mark", "exit"], bytesMax: undefined };
  assert.deepEqual(addressOf("sessions.records", input), {
    method: "GET",
    path: "/v1/sessions/a%20b/records?from=3&types=mark%2Cexit",
  });
  assert.deepEqual(addressOf("sessions.list", {}), { method: "GET", path: "/v1/sessions" });
});

test("the input of a POST goes into path and body", () => {
  assert.deepEqual(addressOf("sessions.resize", { session: "a", columns: 1, rows: 2 }), {
    method: "POST",
    path: "/v1/sessions/a/resize",
    body: '{"columns":1,"rows":2}',
  });
  assert.equal(addressOf("hosts.drain", {}).body, "{}");
});

test("a session on another machine has the machine in front of its path, also where it is no part of the path", () => {
  assert.deepEqual(addressOf("sessions.logs", { session: "box/job", from: 3 }), {
    method: "GET",
    path: "/v1/machines/box/sessions/job/logs?from=3",
  });
  assert.equal(
    addressOf("sessions.search", { session: "box/job", words: "a" }).path,
    "/v1/machines/box/search?session=job&words=a",
  );
  assert.deepEqual(addressOf("sessions.keys", { session: "box/job", keys: ["Enter"] }), {
    method: "POST",
    path: "/v1/machines/box/sessions/job/keys",
    body: '{"keys":["Enter"]}',
  });
});
