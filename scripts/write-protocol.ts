/** Writes the tables of PROTOCOL.md from the code: marks, operations and errors. `npm run docs:protocol`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorTable } from "../src/protocol/errors.ts";
import { markSchema } from "../src/protocol/marks.ts";
import { operations } from "../src/protocol/operations.ts";
import { routes, type OperationName, type Route } from "../src/protocol/routes.ts";

const file = join(import.meta.dirname, "../PROTOCOL.md");

const operationRows = (Object.keys(routes) as OperationName[]).map((name) => {
  const { method, path, scope, kind, person }: Route = routes[name];
  const who = person === true ? `${scope}, person` : scope;
  return `| \`${name}\` | \`${method} ${path}\` | ${who} | ${kind} | ${operations[name].summary} |`;
});
const errorRows = Object.entries(errorTable).map(
  ([code, { status, exitCode, title }]) => `| \`${code}\` | ${status} | ${exitCode} | ${title} |`,
);

/** `wire-` marks are those of the gateway, which have a table of their own. */
function markRows(isOfGateway: boolean): string[] {
  return markSchema.options.flatMap(({ shape: { type, ...fields }, description = "" }) => {
    const [name] = type.values;
    if (name.startsWith("wire-") !== isOfGateway) return [];
    const names = Object.keys(fields).map((field) => `\`${field}\``);
    return [`| \`${name}\` | ${names.join(", ")} | ${description} |`];
  });
}

/** Replaces the rows that begin with a name of the given form; head and rule above them stay. */
function replaceRows(text: string, isRow: RegExp, rows: readonly string[]): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => isRow.test(line));
  if (first === -1) throw new Error(`Cannot find the table of ${isRow.source} in PROTOCOL.md`);
  const kept = lines.filter((line) => !isRow.test(line));
  kept.splice(first, 0, ...rows);
  return kept.join("\n");
}

const text = readFileSync(file, "utf8");
const withOperations = replaceRows(
  text,
  /^\| `[a-z]+\.[A-Za-z.]+`\s*\| `(?:GET|POST|PATCH|PUT|DELETE) /,
  operationRows,
);
const withErrors = replaceRows(withOperations, /^\| `[A-Z_]+`\s*\| \d{3} /, errorRows);
const withMarks = replaceRows(withErrors, /^\| `(?!wire-)[a-z-]+`\s*\| `[a-zA-Z]+`.*\|.*\|$/, markRows(false));
writeFileSync(file, replaceRows(withMarks, /^\| `wire-[a-z-]+`\s*\|/, markRows(true)));
