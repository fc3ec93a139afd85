import assert from "node:assert/strict";
import { test } from "node:test";
import { mayHold } from "./hidden-below.ts";

test("a home or a project in the folder makes it hold what is hidden anywhere", () => {
  const session = { workingDirectory: "/tmp/users/me/project", home: "/tmp/users/me" };
  for (const folder of ["/", "/tmp", "/tmp/users/me", "/tmp/users/me/other", "/srv"])
    assert.equal(mayHold(folder, "tree", session), true, folder);
  for (const folder of ["/tmp/users/me/project", "/tmp/users/me/project/a", "/tmp/x", "/usr/share"])
    assert.equal(mayHold(folder, "tree", session), false, folder);
  assert.equal(mayHold("/tmp/users/me/other", "unknown", session), false);
  assert.equal(mayHold("/tmp/users/me", "unknown", session), true);
  assert.equal(mayHold("/users/me", "tree", { workingDirectory: "/users/me", home: "/users/me" }), true);
});
