/** The agents that are known with users' own files: the built-in ones, changed by them, and new ones. */
import type { Agent } from "./agent.ts";
import type { AgentFile } from "./agent-file.ts";
import { builtInAgents, builtInFiles } from "./built-in-agents.ts";
import { compileAgent } from "./compile.ts";
import { linearPattern } from "./linear-pattern.ts";
import { nativePattern, type CompilePattern } from "./pattern.ts";
import { AgentRegistry } from "./registry.ts";
import { resolveFiles } from "./resolve.ts";

/** Texts of the built-in files, each of which is known to end as a pattern. */
let known: ReadonlySet<string> | undefined;

/** A pattern of the built-in files runs on the native engine, any other on the one that always ends. Throws for one that is not valid. */
export const userPattern: CompilePattern = (source) => {
  known ??= new Set(builtInFiles.flatMap(textsIn));
  return known.has(source) ? nativePattern(source) : linearPattern(source);
};

function textsIn(data: unknown): string[] {
  if (typeof data === "string") return [data];
  return typeof data === "object" && data !== null ? Object.values(data).flatMap(textsIn) : [];
}

/** The built-in agents with the given files, which change them or add to them. The files must be valid: see `readAgentFiles`. */
export function registryWith(files: readonly AgentFile[]): AgentRegistry {
  if (files.length === 0) return builtInAgents;
  return new AgentRegistry(resolveFiles(builtInFiles, files).map((file) => builtIn(file) ?? compiled(file)));
}

const compiled = (file: AgentFile): Agent =>
  compileAgent(file, { compile: userPattern, isChanged: builtInAgents.named(file.name) !== undefined });

/** What no file changed is not compiled again. */
function builtIn(file: AgentFile): Agent | undefined {
  const agent = builtInAgents.named(file.name);
  return agent?.file === file ? agent : undefined;
}
