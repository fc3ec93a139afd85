/**
 * Checks the data of a file by a JSON Schema and reports every problem at its place. The data is an object, or what a reader of texts
 * (`yaml`) found.
 */
import { LecternError } from "../errors.ts";
import { parseJson } from "../json/parse-json.ts";
import { compileSchema } from "../json-schema/json-schema.ts";
import { isObject, type FoundProblem, type SchemaObject } from "../json-schema/schema-run.ts";
import { didYouMean } from "../text/nearest.ts";

/** A problem of a file, with its place. */
export interface FileProblem {
  /** Both from 1; both 0 in data that was given as an object. */
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly message: string;
  /** Of a warning: a fixed word for its kind. */
  readonly code?: string | undefined;
}

/** A place in the file, as keys and indexes from the top. */
export type FilePath = readonly (string | number)[];

export interface Place {
  readonly line: number;
  readonly column: number;
}

export type FileResult<Data> =
  | { readonly ok: true; readonly data: Data; readonly place: (path: FilePath) => Place }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** What a text contains, before a schema has checked it. */
export type ParsedFile =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly place: (path: FilePath) => Place;
      /** The position of a key, not of its value. */
      readonly placeOfKey: (path: FilePath, key: string) => Place;
    }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/** Reads the text of a file; `yaml` of `lectern/yaml` is one. */
export interface TextReader {
  readonly read: (text: string) => ParsedFile;
}

export const FILE_CHARS_MAX = 262_144;
export const FILE_DEPTH_MAX = 50;
export const FILE_PROBLEMS_MAX = 50;

/** Of each part of data that was not read from a text. */
const nowhere: Place = { line: 0, column: 0 };

/** A checker for files of one schema. The schema must be trusted: its patterns run in the native engine. */
export function fileChecker<Data>(schema: SchemaObject): (file: ParsedFile) => FileResult<Data> {
  let check: ReturnType<typeof compileSchema> | undefined;
  return (file) => {
    if (!file.ok) return file;
    check ??= compileSchema(schema, {
      dialect: "2020-12",
      pattern: (source) => new RegExp(source, "u"),
      problemsMax: FILE_PROBLEMS_MAX,
      findsAll: true,
    });
    const verdict = check(file.value);
    // The schema has just said what the data is.
    if (verdict.valid) return { ok: true, data: file.value as Data, place: file.place };
    const errors = verdict.problems.map((problem) => problemOf(problem, file));
    return { ok: false, problems: errors.toSorted((left, right) => left.line - right.line) };
  };
}

/** The data of an object, or of a text by this reader. */
export function parsedFile(source: string | object, reader: TextReader | undefined): ParsedFile {
  if (typeof source !== "string") return parsedObject(source);
  if (reader !== undefined) return reader.read(source);
  const message = 'To read a text, pass the reader: { yaml } from "lectern/yaml", which reads JSON too';
  return failedFile(nowhere, `${message}; without it, give the object that JSON.parse returns`);
}

/**
 * A copy, because the caller's object may change. What JSON does not have is refused: a condition that is undefined would be left out,
 * and the rule would match more.
 */
function parsedObject(source: object): ParsedFile {
  let odd: string | undefined;
  const refuseOdd = (key: string, value: unknown): unknown => {
    const isData = value === null || (typeof value === "number" ? Number.isFinite(value) : dataTypes.has(typeof value));
    if (!isData) odd ??= `The value of "${key}" is ${oddWord(value)}, which is not JSON`;
    return isData ? value : null;
  };
  try {
    const text = JSON.stringify(source, refuseOdd);
    if (odd !== undefined) return failedFile(nowhere, odd);
    const value = parseJson(text, { textCharsMax: FILE_CHARS_MAX, depthMax: FILE_DEPTH_MAX });
    return { ok: true, value, place: () => nowhere, placeOfKey: () => nowhere };
  } catch (error) {
    // A cycle is a TypeError, a depth that overflows the stack a RangeError.
    if (!(error instanceof LecternError || error instanceof TypeError || error instanceof RangeError)) throw error;
    return failedFile(nowhere, `The data cannot be read as JSON: ${error.message}`);
  }
}

const oddWord = (value: unknown): string => (typeof value === "number" ? String(value) : typeof value);

const dataTypes: ReadonlySet<string> = new Set(["string", "boolean", "object"]);

/** The result for a file with one error. */
export const failedFile = (
  place: Place,
  message: string,
): { readonly ok: false; readonly problems: readonly FileProblem[] } => ({
  ok: false,
  problems: [{ ...place, severity: "error", message }],
});

/** Names the place in front of a message where there is no line. */
export const placedMessage = ({ line }: Place, path: FilePath, message: string): string =>
  line === 0 && path.length > 0 ? `${path.join(".")}: ${message}` : message;

/** `"no-rm" (line 3)`; without the line where there is none. */
export const namedWithLine = (id: string, line: number): string => (line === 0 ? `"${id}"` : `"${id}" (line ${line})`);

function problemOf(problem: FoundProblem, file: Extract<ParsedFile, { readonly ok: true }>): FileProblem {
  const path = segmentsOf(problem.path);
  const isUnknownKey = problem.keyword === "additionalProperties";
  const place = isUnknownKey && problem.name !== null ? file.placeOfKey(path, problem.name) : file.place(path);
  const message = messageOf(problem, { path, data: file.value });
  return { ...place, severity: "error", message: isUnknownKey ? placedMessage(place, path, message) : message };
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

const unknownKeyMessage = (key: string, known: readonly string[]): string =>
  `Unknown key "${key}": ${didYouMean(key, known) ?? `the keys here are ${known.join(", ")}`}`;

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
