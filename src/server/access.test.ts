import assert from "node:assert/strict";
import { test } from "node:test";
import { LecternError } from "../core/errors.ts";
import type { OperationName, Scope } from "../protocol/operations.ts";
import { authorize } from "./access.ts";

const names: Readonly<Record<string, string>> = { build: "id1", id1: "id1", other: "id2" };
function resolve(reference: string): string {
  const id = names[reference];
  if (id === undefined) throw new LecternError("SESSION_NOT_FOUND", "Cannot find it");
  return id;
}

const service = { resolve, permit: () => undefined };

test("a token for one session works by name, and the id goes on in place of it", () => {
  const request = {
    caller: { scope: "write", session: "id1" },
    name: "sessions.input",
    input: { session: "build", text: "x" },
  } as const;
  assert.deepEqual(authorize(request, service), { session: "id1", text: "x" });
});

test("another session and one that does not exist are refused alike", () => {
  for (const session of ["other", "nobody"]) {
    const request = {
      caller: { scope: "admin", session: "id1" },
      name: "sessions.get",
      input: { session },
    } as const;
    assert.throws(() => authorize(request, service), { code: "FORBIDDEN" });
  }
});

function may(scope: Scope, name: OperationName): boolean {
  try {
    authorize({ caller: { scope, session: null }, name, input: {} }, service);
    return true;
  } catch (error) {
    assert.equal((error as LecternError).code, "FORBIDDEN");
    return false;
  }
}

test("each scope includes the ones before it", () => {
  const table = (["sessions.list", "sessions.create", "daemon.stop"] as const).map((name) =>
    (["read", "write", "admin"] as const).filter((scope) => may(scope, name)).join(" "),
  );
  assert.deepEqual(table, ["read write admin", "write admin", "admin"]);
});
