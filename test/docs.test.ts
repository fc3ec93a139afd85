/** The documents say what the code does. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { errorTable } from "../src/protocol/errors.ts";
import { operations } from "../src/protocol/operations.ts";
import { routes, type Route } from "../src/protocol/routes.ts";

const protocol = readFileSync(join(import.meta.dirname, "../PROTOCOL.md"), "utf8");
/** The table rows that begin with a name in code style, as cells. */
const rows = protocol
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));

test("PROTOCOL.md lists each operation with its address, scope, kind and summary", () => {
  const listed = rows.filter(([, name]) => name?.includes(".") && Object.hasOwn(routes, name));
  const expected = Object.entries<Route>(routes).map(([name, route]) => [
    name,
    `${route.method} ${route.path}`,
    route.person === true ? `${route.scope}, person` : route.scope,
    route.kind,
    operations[name as keyof typeof operations].summary.replaceAll("`", ""),
  ]);
  assert.deepEqual(
    listed.map((cells) => cells.slice(1, 6)),
    expected,
  );
});

test("PROTOCOL.md lists each error code with its status, exit code and title", () => {
  const listed = rows.filter(([, name]) => name !== undefined && /^[A-Z_]+$/.test(name));
  const expected = Object.entries(errorTable).map(([code, row]) => [
    code,
    String(row.status),
    String(row.exitCode),
    row.title,
  ]);
  assert.deepEqual(
    listed.map((cells) => cells.slice(1, 5)),
    expected,
  );
});
