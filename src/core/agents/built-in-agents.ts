/** The agents that are part of the package. */
import type { AgentFile } from "./agent-file.ts";
import { builtInData } from "./built-in-data.ts";
import { lazyAgent } from "./compile.ts";
import { nativePattern } from "./pattern.ts";
import { AgentRegistry } from "./registry.ts";
import { resolveFiles } from "./resolve.ts";

/** The most particular first: a general rule must not take a screen from an agent that has a narrower one. */
const order = ["generic", "claude", "codex", "gemini", "opencode", "qwen", "pi", "cline", "copilot", "continue"];

const placeOf = ({ name }: AgentFile): number => (order.includes(name) ? order.indexOf(name) : order.length);

/** Complete: what they extend is merged in. */
export const builtInFiles: readonly AgentFile[] = resolveFiles(
  Object.values(builtInData).toSorted((one, other) => placeOf(one) - placeOf(other)),
  [],
);

/** The agents of the package; `lectern agents` lists them. */
export const builtInAgents: AgentRegistry = new AgentRegistry(
  builtInFiles.map((file) => lazyAgent(file, { compile: nativePattern })),
);
