/**
 * Writes what the Python client has of the operation table: its types and one method for each operation. Part of `npm run docs:protocol`.
 * `--check` writes nothing and fails if the files are not current.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { errorTable } from "../src/core/errors.ts";
import { PROTOCOL_VERSION } from "../src/protocol/routes.ts";
import { namedTypes } from "../src/protocol/type-names.ts";
import { describeOperations, type OperationDescription } from "../src/server/openapi.ts";
import type { JsonSchema } from "../src/server/schema-examples.ts";
import { isKeyword, literal, pascalCase, PythonTypes } from "./python-types.ts";

const folder = join(import.meta.dirname, "../clients/python/src/lectern");

const schemaOf = (type: z.ZodType): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: "output", unrepresentable: "any" });
  return schema;
};

const types = new PythonTypes(
  Object.fromEntries(Object.entries<z.ZodType>(namedTypes).map(([name, type]) => [name, schemaOf(type)])),
);

/** An argument of a method; `wire` is its name in the request. */
interface Argument {
  readonly name: string;
  readonly wire: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly note: string;
}

const snakeCase = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const argumentName = (wire: string): string => (isKeyword(wire) ? `${wire}_` : snakeCase(wire));

function argumentsOf({ name, parameters, body }: OperationDescription): Argument[] {
  const required = new Set((body?.["required"] ?? []) as readonly string[]);
  const inBody = Object.entries((body?.["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>);
  const all = [
    ...parameters.map((parameter) => [parameter.name, parameter.schema, parameter.required] as const),
    ...inBody.map(([key, schema]) => [key, schema, required.has(key)] as const),
  ];
  return all.map(([wire, schema, isRequired]) => ({
    name: argumentName(wire),
    wire,
    type: types.of(schema, `${pascalCase(name)}${pascalCase(wire)}`),
    isRequired,
    note: "default" in schema ? `default ${literal(schema["default"])}` : "",
  }));
}

/** A caller may give any sequence or mapping. */
const accepted = (type: string): string =>
  type.replaceAll(/\bList\[/g, "Sequence[").replaceAll(/\bDict\[/g, "Mapping[");

/** Types of the other module are named through it: a method such as `list` hides nothing then. */
const qualified = (type: string): string =>
  type.replaceAll(/"[^"]*"|\b[A-Z]\w*/g, (word) =>
    word.startsWith('"') || TYPING.has(word) ? word : `_types.${word}`,
  );
const TYPING: ReadonlySet<string> = new Set([
  "Any",
  "Dict",
  "List",
  "Literal",
  "Mapping",
  "None",
  "Optional",
  "Sequence",
  "True",
  "False",
  "Union",
]);

/** What a method calls, and what that gives; undefined for a WebSocket, which the client has by hand. */
function callOf(operation: OperationDescription): { call: string; result: string; content: boolean } | undefined {
  const { name, row, output } = operation;
  const result = (suffix: string): string => qualified(types.of(output ?? {}, pascalCase(name) + suffix));
  if (row.upload !== undefined) return { call: "upload", result: result("Result"), content: true };
  if (row.stream === undefined) return { call: "call", result: result("Result"), content: false };
  if (row.stream.item === "frames") return undefined;
  if (row.stream.item === "bytes") return { call: "read_bytes", result: "Iterator[bytes]", content: false };
  return { call: "read_items", result: `Iterator[${result("Item")}]`, content: false };
}

function methodOf(operation: OperationDescription): string[] {
  const { name, row } = operation;
  const called = callOf(operation);
  if (called === undefined) return [];
  const given = argumentsOf(operation);
  const required = given.filter((argument) => argument.isRequired);
  const optional = given.filter((argument) => !argument.isRequired);
  const signature = [
    "self",
    ...required.map((argument) => `${argument.name}: ${qualified(accepted(argument.type))}`),
    ...(called.content ? ["content: Union[bytes, Iterable[bytes]]"] : []),
    ...(optional.length === 0 ? [] : ["*"]),
    ...optional.map((argument) => `${argument.name}: ${qualified(accepted(optionalOf(argument.type)))} = None`),
  ];
  const notes = optional
    .filter(({ note }) => note !== "")
    .map((argument) => `\`\`${argument.name}\`\`: ${argument.note}`);
  const input = given.map((argument) => `${JSON.stringify(argument.wire)}: ${argument.name}`);
  const method = argumentName(name.slice(name.indexOf(".") + 1));
  const passed = [JSON.stringify(name), `{${input.join(", ")}}`, ...(called.content ? ["content"] : [])];
  return [
    [
      ...wrapped(`    def ${method}(`, signature, `) -> ${called.result}:`),
      `        """${row.summary.replaceAll("`", "``")}.`,
      "",
      ...(notes.length === 0 ? [] : [`        ${notes.join(", ")}.`, ""]),
      `        Needs the scope "${row.scope}"${row.person === true ? " and a caller outside of all sessions" : ""}.`,
      '        """',
      ...wrapped(`        result: ${called.result} = self._client.${called.call}(`, passed, ")"),
      "        return result",
    ].join("\n"),
  ];
}

const LINE_CHARS_MAX = 120;

/** On one line, or with one part on each. */
function wrapped(before: string, parts: readonly string[], after: string): string[] {
  const line = before + parts.join(", ") + after;
  if (line.length <= LINE_CHARS_MAX) return [line];
  const indent = /^ */.exec(before)?.[0] ?? "";
  return [before, ...parts.map((part) => (part === "*" ? `${indent}    *,` : `${indent}    ${part},`)), indent + after];
}

const optionalOf = (type: string): string => (type.startsWith("Optional[") ? type : `Optional[${type}]`);

const WAITS = ["timeoutMs", "waitMs", "graceMs"];

function rowOf({ name, row, route, parameters, body }: OperationDescription): string {
  const properties = (body?.["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const inQuery = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema]));
  const wait = WAITS.find((field) => field in properties || field in inQuery);
  const schema = wait === undefined ? {} : (properties[wait] ?? inQuery[wait] ?? {});
  const values = [route.method, route.path, row.scope, wait ?? null, schema["default"] ?? 0];
  return `    ${JSON.stringify(name)}: Operation(${values.map(literal).join(", ")}),`;
}

function groupOf(group: string, rows: readonly OperationDescription[]): string {
  const methods = rows.flatMap(methodOf);
  return [
    `class ${pascalCase(group)}Operations:`,
    `    """The operations \`\`${group}.*\`\`."""`,
    "",
    "    def __init__(self, client: Caller) -> None:",
    "        self._client = client",
    "",
    methods.join("\n\n"),
  ].join("\n");
}

const head = (what: string): string =>
  `"""${what}\n\nWritten by \`\`npm run docs:protocol\`\` (scripts/write-python.ts): do not edit.\n"""\n\nfrom __future__ import annotations\n\n`;

const CALLER = [
  "class Caller(Protocol):",
  '    """What the methods need of the client."""',
  "",
  "    def call(self, name: str, given: Mapping[str, Any]) -> Any: ...",
  "",
  "    def upload(self, name: str, given: Mapping[str, Any], content: Union[bytes, Iterable[bytes]]) -> Any: ...",
  "",
  "    def read_bytes(self, name: str, given: Mapping[str, Any]) -> Iterator[bytes]: ...",
  "",
  "    def read_items(self, name: str, given: Mapping[str, Any]) -> Iterator[Any]: ...",
].join("\n");

function operationsModule(): string {
  const all = describeOperations();
  const groups = Map.groupBy(all, ({ name }) => name.split(".", 1)[0] ?? "");
  const members = [...groups.keys()].map((group) => `        self.${group} = ${pascalCase(group)}Operations(client)`);
  const classes = [...groups].map(([group, rows]) => groupOf(group, rows));
  return (
    head("One method for each operation of the daemon; ``attach`` is in the client.") +
    "from typing import Any, Dict, Iterable, Iterator, Literal, Mapping, NamedTuple, Optional, Protocol, Sequence, Union\n\n" +
    "from . import _types\n\n\n" +
    `${CALLER}\n\n\n` +
    [
      "class Operation(NamedTuple):",
      '    """A row of the operation table. ``wait``: the field that says how long the daemon may wait, with its default."""',
      "",
      "    method: str",
      "    path: str",
      "    scope: str",
      "    wait: Optional[str]",
      "    wait_ms: int",
    ].join("\n") +
    `\n\n\nOPERATIONS: Mapping[str, Operation] = {\n${all.map(rowOf).join("\n")}\n}\n\n\n` +
    `${classes.join("\n\n\n")}\n\n\n` +
    `class Groups:\n    """All operations, by group."""\n\n    def __init__(self, client: Caller) -> None:\n${members.join("\n")}\n`
  );
}

/** After the operations: they define the types. */
function typesModule(): string {
  const codes = Object.keys(errorTable).map((code) => `    ${JSON.stringify(code)},`);
  return (
    head("The values that go to the daemon and come from it, as they are in JSON.") +
    "from typing import TYPE_CHECKING, Any, Dict, List, Literal, Optional, TypedDict, Union\n\n" +
    "if TYPE_CHECKING:\n    from typing_extensions import NotRequired\n\n" +
    `PROTOCOL_VERSION = ${PROTOCOL_VERSION}\n\n` +
    `ErrorCode = Literal[\n${codes.join("\n")}\n]\n\n\n` +
    `${types.definitions.join("\n\n\n")}\n`
  );
}

const isCheck = process.argv.includes("--check");
for (const [name, text] of [
  ["_operations.py", operationsModule()],
  ["_types.py", typesModule()],
] as const) {
  const path = join(folder, name);
  if (!isCheck) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) throw new Error(`${name} is not current: run "npm run docs:protocol"`);
}
