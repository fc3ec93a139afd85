/**
 * Reads the text of a YAML (or JSON) file; each part has its line and column.
 *
 * Only plain data is accepted: one document, no aliases, anchors, tags, merge keys or repeated keys, so that a file means what it
 * shows.
 */
import { isAlias, isMap, isNode, isScalar, LineCounter, parseDocument, visit, type Document, type YAMLMap } from "yaml";
import type { SchemaObject } from "../json-schema/schema-run.ts";
import {
  failedFile,
  FILE_CHARS_MAX,
  FILE_DEPTH_MAX,
  FILE_PROBLEMS_MAX,
  fileChecker,
  type FilePath,
  type FileProblem,
  type FileResult,
  type ParsedFile,
  type Place,
  type TextReader,
} from "./data-file.ts";

/**
 * Reads texts in YAML 1.2, and so in JSON: one document of plain data, without aliases, anchors, tags, merge keys and repeated keys.
 *
 * @example
 * ```ts
 * checkPolicy("version: 1\ndefault: deny", { yaml });
 * ```
 */
export const yaml: TextReader = { read: parseYaml };

/** A reader for files of one schema. The schema must be trusted: its patterns run in the native engine. */
export function fileReader<Data>(schema: SchemaObject): (text: string) => FileResult<Data> {
  const check = fileChecker<Data>(schema);
  return (text) => check(yaml.read(text));
}

function parseYaml(text: string): ParsedFile {
  if (text.length > FILE_CHARS_MAX)
    return failedFile({ line: 1, column: 1 }, `The file has ${text.length} characters, the limit is ${FILE_CHARS_MAX}`);
  const deep = tooDeepAt(text);
  if (deep !== undefined) return failedFile(deep, `The file is deeper than ${FILE_DEPTH_MAX} levels`);
  const lines = new LineCounter();
  const document = parseDocument(text, { ...parserOptions, lineCounter: lines });
  const problems = [...syntaxProblems(document, lines), ...plainProblems(document, lines)];
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, FILE_PROBLEMS_MAX) };
  return {
    ok: true,
    value: document.toJS({ maxAliasCount: 0 }),
    place: (path) => placeOf(document, lines, path),
    placeOfKey: (path, key) => placeOfKey({ document, lines }, path, key),
  };
}

/** The parser compares every key of a map with every other one, which takes seconds for 10,000 keys; `plainProblems` has a set of them. */
const parserOptions = { prettyErrors: false, version: "1.2", schema: "core", uniqueKeys: false } as const;

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
      if (indent > FILE_DEPTH_MAX * 8) return { line, column: 1 };
    } else if (letter === "[" || letter === "{") depth += 1;
    else if (letter === "]" || letter === "}") depth = Math.max(0, depth - 1);
    if (depth > FILE_DEPTH_MAX) return { line, column: at - lineStart + 1 };
  }
  return undefined;
}

function syntaxProblems(document: Document.Parsed, lines: LineCounter): readonly FileProblem[] {
  return [...document.errors, ...document.warnings].map((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    const message = error.code === "MULTIPLE_DOCS" ? "A second document begins here: only one is read" : error.message;
    return { line, column: col, severity: "error", message: sentence(message) };
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
      if (!isAlias(node) && node.anchor !== undefined)
        add(node.range?.[0], `Anchors are not read: remove "&${node.anchor}"`);
      if (!isAlias(node) && node.tag !== undefined && !node.tag.startsWith("tag:yaml.org,2002:"))
        add(node.range?.[0], `Tags are not read: remove "${node.tag}"`);
    },
    Map: (_key, map) => {
      for (const offset of repeatedKeys(map)) add(offset, "Map keys must be unique");
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

/** The offsets of keys that the map already has. */
function repeatedKeys({ items }: YAMLMap): number[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key)) return [];
    const isRepeated = seen.has(key.value);
    seen.add(key.value);
    return isRepeated ? [key.range?.[0] ?? 0] : [];
  });
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

function placeOfKey(source: Source, path: FilePath, key: string): Place {
  const map: unknown = path.length === 0 ? source.document.contents : source.document.getIn(path, true);
  const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined;
  const offset = isScalar(pair?.key) ? pair.key.range?.[0] : undefined;
  if (offset === undefined) return placeOf(source.document, source.lines, path);
  const { line, col } = source.lines.linePos(offset);
  return { line, column: col };
}

interface Source {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}
