/** The documents say what the code does. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { errorTable } from "../src/core/errors.ts";
import { operationNames, operations, type Operation } from "../src/protocol/operations.ts";

const protocol = readFileSync(join(import.meta.dirname, "../PROTOCOL.md"), "utf8");
/** The table rows that begin with a name in code style, as cells. */
const rows = protocol
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));

test("PROTOCOL.md lists each operation as it is in the table", () => {
  const listed = rows.filter(([, name]) => name?.includes(".") && Object.hasOwn(operations, name));
  const expected = operationNames.map((name) => {
    const { endpoint, scope, person, stream, cli = [], mcp = [], summary }: Operation = operations[name];
    const who = person === true ? `${scope}, person` : scope;
    const answer = (stream?.transports ?? ["json"]).join(", ");
    return [name, endpoint, who, answer, cli.join(", "), mcp.join(", "), summary.replaceAll("`", "")];
  });
  assert.deepEqual(
    listed.map((cells) => cells.slice(1, 8)),
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
