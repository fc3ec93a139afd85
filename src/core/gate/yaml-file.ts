/**
 * Reads a YAML (or JSON) file by a JSON Schema and reports every problem with its line and column.
 *
 * Only plain data is accepted: one document, no aliases, anchors, tags, merge keys or repeated keys, so that a file means what it
 * shows.
 */
import { isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document } from "yaml";
import { compileSchema, type SchemaVerdict } from "../json-schema/json-schema.ts";
import { isObject, type FoundProblem, type SchemaObject } from "../json-schema/schema-run.ts";
import { didYouMean } from "../text/nearest.ts";

/** A problem of a file, with its place. */
export interface FileProblem {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** Of a warning: a fixed word for its kind. */
  readonly code?: string | undefined;
}

/** A place in the file, as keys and indexes from the top. */
export type FilePath = readonly (string | number)[];

export type FileResult<Data> =
  | { readonly ok: true; readonly data: Data; readonly place: (path: FilePath) => Place }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

export interface Place {
  readonly line: number;
  readonly column: number;
}

const fileCharsMax = 1_048_576;
const problemsMax = 50;
/** Found before they are sorted by line. */
const foundMax = 10_000;
const depthMax = 50;

/** A reader for files of one schema. The schema must be trusted: its patterns run in the native engine. */
export function fileReader<Data>(schema: SchemaObject): (text: string) => FileResult<Data> {
  let check: Check | undefined;
  return (text) => {
    check ??= compileSchema(schema, {
      dialect: "2020-12",
      pattern: (source) => new RegExp(source, "u"),
      problemsMax: foundMax,
      findsAll: true,
    });
    return readFile(text, check);
  };
}

type Check = (data: unknown) => SchemaVerdict;

function readFile<Data>(text: string, check: Check): FileResult<Data> {
  if (text.length > fileCharsMax) {
    return failed({ line: 1, column: 1 }, `The file has ${text.length} characters, the limit is ${fileCharsMax}`);
  }
  const deep = tooDeepAt(text);
  if (deep !== undefined) return failed(deep, `The file is deeper than ${depthMax} levels`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: "1.2", schema: "core" });
  const problems = [...syntaxProblems(document, lines), ...plainProblems(document, lines)];
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, problemsMax) };
  const data: unknown = document.toJS({ maxAliasCount: 0 });
  const place = (path: FilePath): Place => placeOf(document, lines, path);
  const verdict = check(data);
  // The schema has just said what the data is.
  if (verdict.valid) return { ok: true, data: data as Data, place };
  const errors = verdict.problems.map((problem) => problemOf(problem, { data, document, lines }));
  return { ok: false, problems: errors.slice(0, problemsMax).toSorted((left, right) => left.line - right.line) };
}

const failed = (place: Place, message: string): { readonly ok: false; readonly problems: readonly FileProblem[] } => ({
  ok: false,
  problems: [{ ...place, severity: "error", message }],
});

/** The parser is recursive: thousands of brackets would overflow the stack. */
function tooDeepAt(text: string): Place | undefined {
  let depth = 0;
  let line = 1;
  let lineStart = 0;
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === "\n") {
      line += 1;
      lineStart = at + 1;
      const indent = /^(?:[ ]|[-?:][ ])*/.exec(text.slice(lineStart, lineStart + 1_000))?.[0].length ?? 0;
      if (indent > depthMax * 8) return { line, column: 1 };
    } else if (letter === "[" || letter === "{") depth += 1;
    else if (letter === "]" || letter === "}") depth = Math.max(0, depth - 1);
    if (depth > depthMax) return { line, column: at - lineStart + 1 };
  }
  return undefined;
}

function syntaxProblems(document: Document.Parsed, lines: LineCounter): readonly FileProblem[] {
  return [...document.errors, ...document.warnings].map((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    return { line, column: col, severity: "error", message: sentence(error.message) };
  });
}

const sentence = (text: string): string => (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\.$/, "");

function plainProblems(document: Document.Parsed, lines: LineCounter): readonly FileProblem[] {
  const problems: FileProblem[] = [];
  const add = (offset: number | undefined, message: string): void => {
    const { line, col } = lines.linePos(offset ?? 0);
    problems.push({ line, column: col, severity: "error", message });
  };
  visit(document, {
    Alias: (_key, node) => add(node.range?.[0], `Aliases are not read: write "*${node.source}" out`),
    Node: (_key, node) => {
      if (!isAlias(node) && node.anchor !== undefined) {
        add(node.range?.[0], `Anchors are not read: remove "&${node.anchor}"`);
      }
      if (!isAlias(node) && node.tag !== undefined && !node.tag.startsWith("tag:yaml.org,2002:")) {
        add(node.range?.[0], `Tags are not read: remove "${node.tag}"`);
      }
    },
    Pair: (_key, pair) => {
      if (!isScalar(pair.key) || typeof pair.key.value !== "string") {
        add(isNode(pair.key) ? pair.key.range?.[0] : 0, "A key must be a plain word");
      } else if (pair.key.value === "<<")
        add(pair.key.range?.[0], 'Merge keys are not read: write the keys out instead of "<<"');
    },
  });
  return problems;
}

function placeOf(document: Document.Parsed, lines: LineCounter, path: FilePath): Place {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const offset = isNode(node) ? node.range?.[0] : undefined;
    if (offset !== undefined) {
      const { line, col } = lines.linePos(offset);
      return { line, column: col };
    }
  }
  return { line: 1, column: 1 };
}

/** The position of a key, not of its value. */
function placeOfKey(source: Source, path: FilePath, key: string): Place {
  const map: unknown = path.length === 0 ? source.document.contents : source.document.getIn(path, true);
  const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  const offset = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  if (offset === undefined) return placeOf(source.document, source.lines, path);
  const { line, col } = source.lines.linePos(offset);
  return { line, column: col };
}

interface Source {
  readonly data: unknown;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

function problemOf(problem: FoundProblem, source: Source): FileProblem {
  const path = segmentsOf(problem.path);
  const place =
    problem.keyword === "additionalProperties" && problem.name !== null
      ? placeOfKey(source, path, problem.name)
      : placeOf(source.document, source.lines, path);
  return { ...place, severity: "error", message: messageOf(problem, { path, data: source.data }) };
}

const segmentsOf = (pointer: string): FilePath =>
  pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((segment) => (/^\d+$/.test(segment) ? Number(segment) : segment));

function messageOf(problem: FoundProblem, at: { readonly path: FilePath; readonly data: unknown }): string {
  const name = at.path.length === 0 ? "The file" : `"${at.path.join(".")}"`;
  const { wanted } = problem;
  switch (problem.keyword) {
    case "additionalProperties":
      return unknownKeyMessage(problem.name ?? "", knownKeys(problem.schema));
    case "required":
      return `${name} lacks the key "${problem.name}"`;
    case "enum":
      return valueMessage(name, valueAt(at.data, at.path), wanted as readonly unknown[]);
    case "type":
      return `${name} must be ${typeWords(wanted)}`;
    case "const":
      return `${name} must be ${JSON.stringify(wanted)}`;
    default:
      return `${name} ${problem.message}`;
  }
}

const typeNames: Readonly<Record<string, string>> = {
  object: "a map of keys",
  array: "a list",
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

/** Null, which takes a key away in some files, is not offered. */
function typeWords(type: unknown): string {
  const types = (Array.isArray(type) ? type : [type]).map(String).filter((each) => each !== "null");
  return types.map((each) => typeNames[each] ?? each).join(" or ");
}

function unknownKeyMessage(key: string, known: readonly string[]): string {
  return `Unknown key "${key}": ${didYouMean(key, known) ?? `the keys here are ${known.join(", ")}`}`;
}

function valueMessage(name: string, value: unknown, allowed: readonly unknown[]): string {
  const words = allowed.filter((each) => each !== null).map(String);
  const hint = typeof value === "string" ? didYouMean(value, words) : undefined;
  return `${name} is ${JSON.stringify(value)}, wanted one of ${words.join(", ")}${hint === undefined ? "" : `: ${hint}`}`;
}

const valueAt = (data: unknown, path: FilePath): unknown =>
  path.reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>> | undefined)?.[key], data);

/** The known keys beside an unknown one. */
const knownKeys = ({ properties }: SchemaObject): readonly string[] =>
  isObject(properties) ? Object.keys(properties) : [];
