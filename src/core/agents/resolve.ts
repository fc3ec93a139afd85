/** Agent files put together: the built-in ones, what users changed of them, and users' own. */
import type { AgentFile } from "./agent-file.ts";
import { merged } from "./merge.ts";

/** How an agent is recognised belongs to it alone: one that extends another has its own. */
const ownKeys: readonly (keyof AgentFile)[] = ["name", "title", "extends", "commands", "packages", "statusApps"];
const depthMax = 8;

/**
 * Complete files in the order in which agents are asked. A file with the name of a known agent changes that one; a new agent comes before the
 * known ones, or behind them if it extends one. Throws for an agent that extends one that is not known.
 */
export function resolveFiles(known: readonly AgentFile[], own: readonly AgentFile[]): AgentFile[] {
  const names = new Set(known.map(({ name }) => name));
  const changes = new Map(own.map((file) => [file.name, file]));
  const all = [
    ...own.filter((file) => !names.has(file.name) && file.extends === undefined),
    ...known.map((file) => {
      const change = changes.get(file.name);
      return change === undefined ? file : (merged({ ...file }, { ...change }) as unknown as AgentFile);
    }),
    ...own.filter((file) => !names.has(file.name) && file.extends !== undefined),
  ];
  const byName = new Map(all.map((file) => [file.name, file]));
  return all.map((file) => extended(file, byName, 0));
}

function extended(file: AgentFile, all: ReadonlyMap<string, AgentFile>, depth: number): AgentFile {
  if (file.extends === undefined) return file;
  const base = all.get(file.extends);
  if (base === undefined) throw new Error(`Agent "${file.name}" extends "${file.extends}", which is not known`);
  if (depth >= depthMax) throw new Error(`Agent "${file.name}" extends itself`);
  const whole = extended(base, all, depth + 1);
  const shared = Object.fromEntries(Object.entries(whole).filter(([key]) => !ownKeys.some((own) => own === key)));
  return merged(shared, { ...file }) as unknown as AgentFile;
}
