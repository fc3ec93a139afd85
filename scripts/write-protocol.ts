/**
 * Writes the projections of the tables of operations and errors that are files: the tables of PROTOCOL.md and
 * `src/protocol/endpoints.ts`. `npm run docs:protocol`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errorTable } from "../src/core/errors.ts";
import { operationNames, operations, type Operation } from "../src/protocol/operations.ts";

const root = join(import.meta.dirname, "..");

const operationRows = operationNames.map((name) => {
  const { endpoint, scope, person, stream, cli = [], mcp = [], summary }: Operation = operations[name];
  const who = person === true ? `${scope}, person` : scope;
  const answer = (stream?.transports ?? ["json"]).join(", ");
  return `| \`${name}\` | \`${endpoint}\` | ${who} | ${answer} | ${cli.join(", ")} | ${mcp.join(", ")} | ${summary} |`;
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

const file = join(root, "PROTOCOL.md");
const text = readFileSync(file, "utf8");
const withOperations = replaceRows(text, /^\| `[a-z]+\.[a-z]+`\s*\| `(?:GET|POST|PATCH|DELETE) /, operationRows);
writeFileSync(file, replaceRows(withOperations, /^\| `[A-Z_]+`\s*\| \d{3} /, errorRows));

const endpoints = operationNames.map((name) => `  "${name}": "${operations[name].endpoint}",`);
const otherBodies = operationNames.flatMap((name) => {
  const { stream, upload }: Operation = operations[name];
  return stream === undefined && upload === undefined ? [] : [`  "${name}",`];
});
writeFileSync(
  join(root, "src/protocol/endpoints.ts"),
  [
    "/**",
    " * The endpoints of the operation table, for clients that load no schema library. Written by `npm run docs:protocol`;",
    " * the compiler checks that they are those of the table.",
    " */",
    'import type { JsonOperation, OperationName, operations } from "./operations.ts";',
    "",
    "export const endpoints = {",
    ...endpoints,
    '} as const satisfies { readonly [Name in OperationName]: (typeof operations)[Name]["endpoint"] };',
    "",
    "/** The operations whose request or response is not one JSON document: they stream, or take a file. */",
    "export const streamingNames = [",
    ...otherBodies,
    "] as const satisfies readonly Exclude<OperationName, JsonOperation>[];",
    "",
  ].join("\n"),
);
