/** Loads agent files for commands: from the data directory, from given folders, and a single file to test. */
import { resolve } from "node:path";
import type { AgentFile } from "../core/agents/agent-file.ts";
import { readAgentFiles, type AgentFileProblem } from "../core/agents/agent-reader.ts";
import type { AgentRegistry } from "../core/agents/registry.ts";
import { registryWith } from "../core/agents/user-agents.ts";
import { LecternError } from "../core/errors.ts";
import { readAgentFolders } from "../daemon/agents/agent-folders.ts";
import type { CliContext } from "./context.ts";
import { nameHint } from "../core/agents/name-hint.ts";
import { readTextFile } from "./policy-file.ts";
import { problemLine } from "./problem-line.ts";

export interface LoadedAgents {
  readonly agents: AgentRegistry;
  readonly problems: readonly AgentFileProblem[];
  /** Users' own files that are used, by path. */
  readonly files: ReadonlyMap<string, AgentFile>;
  /** The name of the agent in the tested file; null if there is no such file or it is invalid. */
  readonly tried: string | null;
}

const PROBLEMS_SHOWN_MAX = 5;

/** Of each file the first problems. */
export function noteProblems(problems: readonly AgentFileProblem[], context: CliContext): void {
  for (const [file, own] of Map.groupBy(problems, (problem) => problem.file)) {
    for (const problem of own.slice(0, PROBLEMS_SHOWN_MAX))
      context.note(problemLine(file, problem, context.errorStyle));
    if (own.length > PROBLEMS_SHOWN_MAX) context.note(`${file}: and ${own.length - PROBLEMS_SHOWN_MAX} more`);
  }
}

export interface AgentSources {
  readonly folders: readonly string[];
  /** Replaces a file for the same agent in one of the folders. */
  readonly file?: string | undefined;
}

/** Throws `NOT_FOUND` for a file that does not exist. */
export async function loadAgents({ folders, file }: AgentSources, context: CliContext): Promise<LoadedAgents> {
  const places = folders.map((folder) => resolve(context.workingDirectory, folder));
  const texts = await readAgentFolders([context.paths.agentsDirectory, ...places]);
  const own = file === undefined ? null : { path: file, text: await readTextFile(file, context) };
  const tried = own === null ? null : (readAgentFiles([own]).files.get(own.path)?.name ?? null);
  const others = readAgentFiles(texts);
  const replaced = [...others.files].find(([, { name }]) => name === tried)?.[0];
  const wanted = texts.filter(({ path }) => path !== replaced);
  const { files, problems } = readAgentFiles(own === null ? wanted : [...wanted, own]);
  return { agents: registryWith([...files.values()]), problems, files, tried };
}

/** `NOT_FOUND` with the nearest known name. */
export function unknownAgent(name: string, known: readonly string[]): LecternError {
  return new LecternError("NOT_FOUND", `Cannot find the agent "${name}": ${nameHint(name, known)}`);
}
