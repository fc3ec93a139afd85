/** The documents say what the code does. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAst } from "rolldown/parseAst";
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

test("PROTOCOL.md lists each mark with its fields, in the order of its type", () => {
  const source = readFileSync(join(import.meta.dirname, "../src/core/records.ts"), "utf8");
  const declared = parseAst(source, { lang: "ts" }).body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration" && statement.declaration !== null ? [statement.declaration] : [],
  );
  const fieldsOf = (members: readonly { readonly type: string }[]): string[] =>
    members.flatMap((member) => ("key" in member ? [(member.key as { readonly name: string }).name] : []));
  /** A mark as its kind and its fields; a union as its marks. */
  const marksOf = (name: string): string[][] => {
    for (const found of declared) {
      if (found.type === "TSInterfaceDeclaration" && found.id.name === name) return [markOf(found.body.body)];
      if (found.type !== "TSTypeAliasDeclaration" || found.id.name !== name) continue;
      assert(found.typeAnnotation.type === "TSUnionType");
      return found.typeAnnotation.types.flatMap((type) => {
        if (type.type === "TSTypeLiteral") return [markOf(type.members)];
        assert(type.type === "TSTypeReference" && type.typeName.type === "Identifier");
        return marksOf(type.typeName.name);
      });
    }
    return assert.fail(`no type "${name}"`);
  };
  const markOf = (members: readonly { readonly type: string; readonly start: number; readonly end: number }[]) => {
    const [kind = ""] = members.map(({ start, end }) => /"([a-z-]+)"/.exec(source.slice(start, end))?.[1] ?? "");
    return [kind, fieldsOf(members).slice(1).join(", ")];
  };
  const expected = marksOf("SessionEvent");
  const kinds = new Set(expected.map(([kind]) => kind));
  const listed = rows.filter(([, name = "", fields]) => kinds.has(name) && /^[a-z]\w*(?:, |$)/i.test(fields ?? ""));
  const written = listed.map(([, name = "", fields]) => [name, fields]);
  assert.deepEqual(Object.fromEntries(written), Object.fromEntries(expected));
  for (const [, name = "", , what] of listed) assert.notEqual(what, "", name);
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
