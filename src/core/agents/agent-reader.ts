/** Reads agent files: every problem with its file, line and key, and what can be used of them all together. */
import type { DataProblem } from "../json-schema/typed-form.ts";
import { LecternError } from "../errors.ts";
import type { FilePath, FileProblem, Place } from "../gate/data-file.ts";
import { fileReader } from "../gate/yaml-file.ts";
import { agentSchema, type AgentFile } from "./agent-file.ts";
import { builtInFiles } from "./built-in-agents.ts";
import { compileAgent } from "./compile.ts";
import { missingKeys } from "./missing-keys.ts";
import { nativePattern, type Pattern, type CompilePattern } from "./pattern.ts";
import { resolveFiles } from "./resolve.ts";
import { userPattern } from "./user-agents.ts";
import { nameHint } from "./name-hint.ts";
import { homePlaces } from "../sandbox/executed-later.ts";

interface UnfittedExample {
  readonly path: readonly string[];
  readonly example: string;
}

interface TestedRule {
  readonly pattern?: string;
  readonly text?: string;
  readonly not?: string;
  readonly test?: string | readonly string[];
}

/** `~/.name...`, or a variable with what it is if it is not set, and what is below that. */
const form = /^(?:~\/\.|\{[A-Z][A-Z0-9_]*:~(?:\/\.[^{}]+)?\}\/)(?:[^{}]|\{project\})*$/;
const kinds = ["private", "fresh", "write"] as const;

/** The text of a file, or why it cannot be read. */
export type AgentFileText =
  | { readonly path: string; readonly text: string }
  | { readonly path: string; readonly error: string };

export interface AgentFileProblem extends FileProblem {
  readonly file: string;
}

export interface AgentFiles {
  /** What is used, by path: of a file with an error the version before, if there was one. */
  readonly files: ReadonlyMap<string, AgentFile>;
  readonly problems: readonly AgentFileProblem[];
}

interface ReadFile {
  readonly path: string;
  readonly file: AgentFile;
  readonly place: (path: FilePath) => Place;
}

const read = fileReader<AgentFile>(agentSchema);

/**
 * Reads the texts of agent files. A problem has its file, line and column; an unknown key names the nearest known one. `before` is the
 * result of the last reading: a file that now has an error keeps its last good version.
 *
 * @example
 * ```ts
 * const { problems } = readAgentFiles([{ path: "mine.yaml", text: "name: mine\ntitel: Mine" }]);
 * problems[0]?.message; // Unknown key "titel": did you mean "title"?
 * ```
 */
export function readAgentFiles(
  texts: readonly AgentFileText[],
  before: ReadonlyMap<string, AgentFile> = new Map(),
): AgentFiles {
  const problems: AgentFileProblem[] = [];
  const found: ReadFile[] = [];
  for (const given of texts.toSorted((one, other) => compare(one.path, other.path))) {
    const { path } = given;
    const result = "error" in given ? unreadable(given.error) : read(given.text);
    const first = result.ok ? found.find(({ file }) => file.name === result.data.name) : undefined;
    if (!result.ok) problems.push(...result.problems.map((problem) => ({ ...problem, file: path })));
    else if (first === undefined) found.push({ path, file: result.data, place: result.place });
    else problems.push(...repeatedName(first, { path, file: result.data, place: result.place }));
  }
  const kept = texts.flatMap(({ path }): ReadFile[] => {
    const file = before.get(path);
    return file === undefined ? [] : [{ path, file, place: () => start }];
  });
  const files = new UsableFiles(found, kept);
  for (const one of found) files.use(one.file.name);
  for (const { file } of kept) files.use(file.name);
  problems.push(...files.problems);
  return { files: new Map([...files.byPath].toSorted(byPath)), problems: problems.toSorted(byFile) };
}

const byPath = ([one]: readonly [string, AgentFile], [other]: readonly [string, AgentFile]): number =>
  compare(one, other);
const byFile = (one: AgentFileProblem, other: AgentFileProblem): number => compare(one.file, other.file);
const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

const start: Place = { line: 1, column: 1 };

const unreadable = (message: string): { readonly ok: false; readonly problems: readonly FileProblem[] } => ({
  ok: false,
  problems: [errorAt(start, message)],
});

/** The first file is used. */
const repeatedName = (first: ReadFile, second: ReadFile): AgentFileProblem[] => {
  const message = `Two files for the agent "${first.file.name}": "${first.path}", which is used, and "${second.path}"`;
  return [
    { ...first.place(["name"]), severity: "warning", message, file: first.path },
    { ...errorAt(second.place(["name"]), message), file: second.path },
  ];
};

const errorAt = (place: Place, message: string): FileProblem => ({ ...place, severity: "error", message });

/** Takes each file after the one that it extends, so that an error stays with the file that has it. */
class UsableFiles {
  readonly byPath = new Map<string, AgentFile>();
  readonly problems: AgentFileProblem[] = [];
  readonly #found: ReadonlyMap<string, ReadFile>;
  readonly #kept: ReadonlyMap<string, ReadFile>;
  readonly #asked = new Set<string>();

  /** `kept`: the last good versions. */
  constructor(found: readonly ReadFile[], kept: readonly ReadFile[]) {
    this.#found = new Map(found.map((one) => [one.file.name, one]));
    this.#kept = new Map(kept.map((one) => [one.file.name, one]));
  }

  /** Takes the file of an agent, or its last good version if it has an error. */
  use(name: string): void {
    if (this.#asked.has(name)) return;
    this.#asked.add(name);
    const now = this.#found.get(name);
    if (now !== undefined) {
      const own = this.#problemsOf(now);
      this.problems.push(...own.map((problem) => ({ ...problem, file: now.path })));
      if (!isError(own)) return void this.byPath.set(now.path, now.file);
    }
    const old = this.#kept.get(name);
    if (old === undefined || this.byPath.has(old.path) || isError(this.#problemsOf(old))) return;
    this.byPath.set(old.path, old.file);
  }

  #problemsOf(one: ReadFile): FileProblem[] {
    const base = one.file.extends;
    if (base !== undefined) {
      if (this.#extendsItself(one.file)) return [errorAt(one.place(["extends"]), extendsItself(one.file))];
      this.use(base);
    }
    const usable = [...this.byPath.values()].filter(({ name }) => name !== one.file.name);
    const isKnown = base === undefined || [...builtInFiles, ...usable].some(({ name }) => name === base);
    if (isKnown) return problemsOf(one, usable);
    const isFound = this.#found.has(base);
    return [
      errorAt(
        one.place(["extends"]),
        isFound ? unusableBase(base) : `Unknown agent "${base}": ${nameHint(base, this.#names)}`,
      ),
    ];
  }

  #extendsItself(file: AgentFile): boolean {
    const seen = new Set<string>();
    let base = file.extends;
    while (base !== undefined && base !== file.name && !seen.has(base)) {
      seen.add(base);
      base = this.#found.get(base)?.file.extends;
    }
    return base === file.name;
  }

  get #names(): string[] {
    return [...new Set([...builtInFiles.map(({ name }) => name), ...this.#found.keys()])];
  }
}

const isError = (problems: readonly FileProblem[]): boolean => problems.some(({ severity }) => severity === "error");

const extendsItself = ({ name, extends: base }: AgentFile): string =>
  `Agent "${name}" extends itself${base === name ? "" : `, through "${base}"`}`;

const unusableBase = (base: string): string => `The agent "${base}" cannot be used: its own file has an error`;

/** What is wrong with a file whose form and base are right: keys that lack, patterns, marks and keys. `usable`: the others. */
function problemsOf({ file, place }: ReadFile, usable: readonly AgentFile[]): FileProblem[] {
  const problems: FileProblem[] = [];
  const add = (error: unknown, value: string): void => {
    problems.push(errorAt(place(pathOf(file, value) ?? []), error instanceof Error ? error.message : String(error)));
  };
  const compile = (source: string): Pattern => {
    try {
      return userPattern(source);
    } catch (error) {
      add(error, source);
      return nativePattern("^$");
    }
  };
  try {
    const whole = resolveFiles(builtInFiles, [...usable, file]).find(({ name }) => name === file.name) ?? file;
    const missing = [...missingKeys(whole), ...wrongPlaces(file)].map(({ path, message }) =>
      errorAt(place(path), message),
    );
    if (missing.length > 0) return missing;
    compileAgent(whole, { compile });
    problems.push(
      ...unfittedExamples(file, compile).map(({ path, example }) => ({
        ...place(path),
        severity: "warning" as const,
        message: `"${path.slice(0, -1).join(".")}" does not fit its own test "${example}"`,
      })),
    );
  } catch (error) {
    add(error, error instanceof LecternError ? String(error.details["value"] ?? "") : "");
  }
  return problems;
}

/** Where a text is in a file. */
function pathOf(data: unknown, text: string): FilePath | undefined {
  if (data === text) return [];
  if (typeof data !== "object" || data === null) return undefined;
  for (const [key, value] of Object.entries(data)) {
    const path = pathOf(value, text);
    if (path !== undefined) return [Array.isArray(data) ? Number(key) : key, ...path];
  }
  return undefined;
}

/** Places of `launch.sandbox` that cannot be used. They are looked for in the complete file, since a file names only what it changes. */
export function wrongPlaces({ launch }: AgentFile): DataProblem[] {
  return kinds.flatMap((kind) =>
    (launch?.sandbox?.[kind] ?? []).flatMap((entry, index) => {
      const reason = reasonAgainst(entry, kind);
      if (reason === undefined) return [];
      const path = ["launch", "sandbox", kind, index];
      return [{ path, message: `Cannot use "${entry}" under "launch.sandbox.${kind}": ${reason}` }];
    }),
  );
}

function reasonAgainst(entry: string, kind: (typeof kinds)[number]): string | undefined {
  const parts = entry.split("/");
  if (!form.test(entry) || parts.some((part) => /^\.{1,2}\}?$/.test(part)))
    return 'wanted a place in the home directory whose name begins with a dot, such as "~/.mine/", or "{VARIABLE:~/.mine}/" if a variable can name another one';
  if (kind === "private") return undefined;
  if (!entry.endsWith("/")) return "wanted a directory, with a slash at the end";
  const usual = entry.replace(/^\{\w+:([^}]*)\}/, "$1").replace(/^~\//, "");
  const executed = homePlaces.find((place) => usual.startsWith(place) || place.startsWith(usual));
  if (kind === "fresh" || executed === undefined) return undefined;
  return `what is written in "~/${executed}" is executed later; put it under "private" or "fresh"`;
}

/** Only texts are compared: an example has no colours. */
export function unfittedExamples(file: AgentFile, compile: CompilePattern = nativePattern): UnfittedExample[] {
  const places: readonly (readonly [readonly string[], Readonly<Record<string, TestedRule | null>> | undefined])[] = [
    [["titles"], file.titles],
    [["screen"], file.screen],
    [["limits"], file.limits],
    [["chat", "rows"], file.chat?.rows],
  ];
  return places.flatMap(([path, rules = {}]) =>
    // Null takes a rule away.
    Object.entries(rules).flatMap(([name, rule]) =>
      examplesOf(rule ?? {})
        .filter((example) => !fits(rule ?? {}, example, compile))
        .map((example) => ({ path: [...path, name, "test"], example })),
    ),
  );
}

const examplesOf = ({ test = [] }: TestedRule): readonly string[] => (typeof test === "string" ? [test] : test);

const fits = ({ pattern, text = pattern, not }: TestedRule, example: string, compile: CompilePattern): boolean =>
  (text === undefined || compile(text).test(example)) && (not === undefined || !compile(not).test(example));
