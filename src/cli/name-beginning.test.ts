import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session } from "../protocol/session.ts";
import { loadAll } from "./commands.ts";
import { listNames, sessionBeginning } from "./name-beginning.ts";

const session = (name: string, state: Session["state"] = "running", id = name) => ({ id, name, state });

test("a beginning means the only session that begins so, a running one before ended ones", () => {
  const sessions = [session("work"), session("build"), session("worm", "exited")];
  assert.equal(sessionBeginning("wo", sessions)?.name, "work");
  assert.equal(sessionBeginning("worm", sessions)?.name, "worm");
  assert.equal(sessionBeginning("x", sessions), undefined);
  assert.equal(
    sessionBeginning("old", [session("old-1", "exited", "new"), session("old-1", "exited", "former")])?.id,
    "new",
  );
});

test("a beginning of several names is refused with the names", () => {
  assert.throws(() => sessionBeginning("w", [session("work"), session("web"), session("x")]), {
    code: "CONFLICT",
    message: '"w" is the beginning of 2 names: work, web; type more of it',
  });
  assert.equal(listNames(["a", "b", "c", "d", "e", "f", "g"]), "a, b, c, d, e, 2 more");
});

test("only commands that show a session take a beginning", async () => {
  const taking = (await loadAll()).filter((command) => command.arguments.some(({ takesBeginning }) => takesBeginning));
  assert.deepEqual(
    taking.map(({ name }) => name),
    ["attach", "logs", "screen", "status", "chat"],
  );
});
