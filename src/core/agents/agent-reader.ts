/** Reads agent files: every problem with its file, line and key, and what can be used of them all together. */
import { LecternError } from "../errors.ts";
import { nearestWord } from "../gate/nearest.ts";
import { fileReader, type FilePath, type FileProblem, type Place } from "../gate/yaml-file.ts";
import type { AgentFile } from "./agent-file.ts";
import { agentSchema } from "./agent-schema.ts";
import { builtInFiles } from "./built-in-agents.ts";
import { compileAgent } from "./compile.ts";
import { missingKeys } from "./missing-keys.ts";
import { nativePattern, type Pattern } from "./pattern.ts";
import { resolveFiles } from "./resolve.ts";
import { unfittedExamples } from "./rule-examples.ts";
import { userPattern } from "./user-agents.ts";

export interface AgentFileText {
  readonly path: string;
  readonly text: string;
}

/** In which file a problem is, and what it is. */
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
 * problems[0]?.message; // Unknown key "titel": did you mean "title"
 * ```
 */
export function readAgentFiles(
  texts: readonly AgentFileText[],
  before: ReadonlyMap<string, AgentFile> = new Map(),
): AgentFiles {
  const problems: AgentFileProblem[] = [];
  const found: ReadFile[] = [];
  for (const { path, text } of texts.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    const result = read(text);
    if (result.ok) found.push({ path, file: result.data, place: result.place });
    else problems.push(...result.problems.map((problem) => ({ ...problem, file: path })));
  }
  const all = new Map(found.map(({ file }) => [file.name, file]));
  const good = found.filter((one) => {
    const own = [...repeatedName(one, found), ...problemsOf(one, all)];
    problems.push(...own.map((problem) => ({ ...problem, file: one.path })));
    return !own.some(({ severity }) => severity === "error");
  });
  const files = new Map(good.map(({ path, file }) => [path, file]));
  for (const { path } of texts) {
    const old = files.has(path) ? undefined : before.get(path);
    if (old !== undefined && ![...files.values()].some(({ name }) => name === old.name)) files.set(path, old);
  }
  return { files, problems };
}

function repeatedName({ file, path, place }: ReadFile, all: readonly ReadFile[]): FileProblem[] {
  const first = all.find((other) => other.file.name === file.name);
  if (first === undefined || first.path === path) return [];
  return [errorAt(place(["name"]), `Two files for the agent "${file.name}": "${first.path}" and "${path}"`)];
}

const errorAt = (place: Place, message: string): FileProblem => ({ ...place, severity: "error", message });

/** What is wrong with a file whose form is right: what it extends, keys that lack, patterns, marks and keys. */
function problemsOf({ file, place }: ReadFile, own: ReadonlyMap<string, AgentFile>): FileProblem[] {
  const names = [...builtInFiles, ...own.values()].map(({ name }) => name);
  if (file.extends !== undefined && !names.includes(file.extends)) {
    const nearest = nearestWord(file.extends, names);
    const hint = nearest === undefined ? `the agents are ${names.join(", ")}` : `did you mean "${nearest}"`;
    return [errorAt(place(["extends"]), `Unknown agent "${file.extends}": ${hint}`)];
  }
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
    const whole = resolveFiles(builtInFiles, [...own.values()]).find(({ name }) => name === file.name) ?? file;
    const missing = missingKeys(whole).map(({ path, message }) => errorAt(place(path), message));
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
