/** Writes the tables of PROTOCOL.md from the code: operations and errors. `npm run docs:protocol`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorTable } from "../src/protocol/errors.ts";
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
writeFileSync(file, replaceRows(withOperations, /^\| `[A-Z_]+`\s*\| \d{3} /, errorRows));
