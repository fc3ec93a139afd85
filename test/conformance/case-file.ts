/** The files of cases: their form, and how they are read. */
import { globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { errorTable, type ErrorCode } from "../../src/core/errors.ts";
import { fileReader } from "../../src/core/gate/yaml-file.ts";
import type { SchemaObject } from "../../src/core/json-schema/schema-run.ts";
import { operationNames, type OperationName } from "../../src/protocol/operations.ts";
import { wayNames, type Fields, type WayName } from "./way.ts";

/** `answer`: a subset of it. `error`: the code, and texts that the message contains. */
export type Expected =
  | { readonly answer: unknown; readonly error?: undefined }
  | { readonly error: ErrorCode; readonly names?: readonly string[] };

/** Calls an operation and checks what comes back. */
export interface OperationStep {
  readonly operation: OperationName;
  readonly input?: Fields;
  /** Of a stream: reading ends with the first item that has this. */
  readonly until?: unknown;
  /** A name for later inputs, and the path of the value in the answer. */
  readonly save?: Readonly<Record<string, string>>;
  readonly expect?: Expected;
  /** What ways answer that rightly differ from the others, each with the reason. */
  readonly differs?: { readonly [Name in WayName]?: { readonly because: string; readonly expect: Expected } };
}

/** Waits, without a check of its own: for a pattern in all of the output of a session, or for its exit. */
export interface WaitStep {
  readonly waitFor: { readonly session: string; readonly output?: string; readonly exit?: true };
}

export type Step = OperationStep | WaitStep;

export interface Setup {
  /** By name, in the directory of the case, which is `$directory`. */
  readonly files?: Readonly<Record<string, string>>;
  /** A recording that a program of the name of its agent draws again: `bin/AGENT` in the directory of the case. */
  readonly recordedAgent?: {
    readonly agent: string;
    readonly cast: string;
    readonly untilS?: number;
    readonly reads?: boolean;
  };
  /** By name, the other inputs of `sessions.create`; `until`: a pattern of the output to wait for. */
  readonly sessions?: Readonly<Record<string, Fields & { readonly until?: string }>>;
}

export interface Case {
  readonly title: string;
  /** Ways that cannot run any of it, each with the reason. */
  readonly without?: { readonly [Name in WayName]?: string };
  readonly setup?: Setup;
  readonly operations: readonly Step[];
}

/** What ways do not have, as `operation`, `operation(field of the input)` or `operation.field of the answer`. */
interface Lacking {
  readonly lacks: readonly string[];
  readonly because: string;
}

export interface CaseFile {
  readonly file: string;
  readonly without: { readonly [Name in WayName]?: readonly Lacking[] };
  readonly cases: readonly Case[];
}

const text = { type: "string", minLength: 1 } as const;
const reason = { type: "string", minLength: 10 } as const;
const strict = (properties: Fields, required: readonly string[] = []): SchemaObject => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});
const byName = (value: Fields): SchemaObject => ({ type: "object", additionalProperties: value });
const byWay = (value: Fields): SchemaObject => strict(Object.fromEntries(wayNames.map((name) => [name, value])));

const expected = strict({
  answer: {},
  error: { enum: Object.keys(errorTable) },
  names: { type: "array", minItems: 1, items: text },
});

const step = strict({
  operation: { enum: operationNames },
  input: { type: "object" },
  until: { type: "object" },
  save: byName({ type: "string", pattern: "^\\w+(?:\\.\\w+)*$" }),
  expect: expected,
  differs: byWay(strict({ because: reason, expect: expected }, ["because", "expect"])),
  waitFor: strict({ session: text, output: text, exit: { const: true } }, ["session"]),
});

const setup = strict({
  files: byName({ type: "string" }),
  recordedAgent: strict({ agent: text, cast: text, untilS: { type: "number" }, reads: { type: "boolean" } }, [
    "agent",
    "cast",
  ]),
  sessions: byName({
    type: "object",
    required: ["command"],
    properties: { command: { type: "array", minItems: 1, items: text }, until: text },
  }),
});

const schema = strict(
  {
    without: byWay({
      type: "array",
      minItems: 1,
      items: strict(
        {
          lacks: {
            type: "array",
            minItems: 1,
            items: { type: "string", pattern: "^[a-z]+\\.[a-z]+(?:\\(\\w+\\)|\\.\\w+)?$" },
          },
          because: reason,
        },
        ["lacks", "because"],
      ),
    }),
    cases: {
      type: "array",
      minItems: 1,
      items: strict(
        { title: text, without: byWay(reason), setup, operations: { type: "array", minItems: 1, items: step } },
        ["title", "operations"],
      ),
    },
  },
  ["cases"],
);

type Data = Omit<CaseFile, "file" | "without"> & Partial<Pick<CaseFile, "without">>;

const read = fileReader<Data>(schema);

/** Throws an error that names the file and the line of each problem. */
export function parseCaseFile(file: string, source: string): CaseFile {
  const result = read(source);
  if (!result.ok) throw new Error(result.problems.map(({ line, message }) => `${file}:${line}: ${message}`).join("\n"));
  const { data, place } = result;
  const problems = data.cases.flatMap(({ operations, title }, index) => {
    const where = ["cases", index];
    const isRepeated = data.cases.findIndex((other) => other.title === title) < index;
    return [
      ...(isRepeated ? [{ path: [...where, "title"], message: `The title "${title}" is used twice` }] : []),
      ...operations.flatMap((each, at) =>
        stepProblems(each).map((message) => ({ path: [...where, "operations", at], message })),
      ),
    ];
  });
  if (problems.length > 0)
    throw new Error(problems.map(({ path, message }) => `${file}:${place(path).line}: ${message}`).join("\n"));
  return { file, without: data.without ?? {}, cases: data.cases };
}

/** What the schema cannot say about a step. */
function stepProblems(found: Step): string[] {
  if ("waitFor" in found) {
    const { exit, output } = found.waitFor;
    if (Object.keys(found).length > 1) return ['A step with "waitFor" has no other keys'];
    return (output === undefined) === (exit === undefined) ? ['"waitFor" needs either "output" or "exit"'] : [];
  }
  if (found.operation === undefined) return ['A step needs "operation" or "waitFor"'];
  const wanted = [found.expect, ...Object.values(found.differs ?? {}).map(({ expect }) => expect)];
  return wanted.flatMap((expect) => {
    if (expect === undefined) return [];
    if ("answer" in expect === "error" in expect) return ['"expect" needs either "answer" or "error"'];
    return "answer" in expect && "names" in expect ? ['"names" belongs to "error"'] : [];
  });
}

const folder = resolve(import.meta.dirname, "cases");

export const readCaseFiles = (): CaseFile[] =>
  globSync("*.yaml", { cwd: folder })
    .toSorted()
    .map((file) => parseCaseFile(basename(file), readFileSync(join(folder, file), "utf8")));

const readUncovered = fileReader<Readonly<Record<string, string>>>(
  strict(Object.fromEntries(operationNames.map((name) => [name, reason]))),
);

/** The operations that no case calls, each with the reason. */
export function readUncoveredOperations(): Readonly<Record<string, string>> {
  const file = "uncovered.yaml";
  const result = readUncovered(readFileSync(join(import.meta.dirname, file), "utf8"));
  if (result.ok) return result.data;
  throw new Error(result.problems.map(({ line, message }) => `${file}:${line}: ${message}`).join("\n"));
}
