import { nameHint } from "../../core/agents/name-hint.ts";
import { LecternError } from "../../core/errors.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { LecternPaths } from "../paths.ts";

export interface GivenAgent {
  readonly name: string;
  /** Its screen looks like that of the agent, and nothing more is known. */
  readonly isLike: boolean;
}

interface Agents {
  readonly agents: Pick<KnownAgents, "registry">;
  readonly paths: Pick<LecternPaths, "agentsDirectory">;
}

/** Throws `INVALID_INPUT` with the nearest known name. */
export function givenAgent(text: string, { agents: { registry: agents }, paths }: Agents): GivenAgent {
  const isLike = text.startsWith("like:");
  const name = isLike ? text.slice("like:".length) : text;
  if (agents.named(name) !== undefined) return { name, isLike };
  const hint = /[./\\]/.test(name)
    ? `a name is wanted; files are read from "${paths.agentsDirectory}", see "lectern agents check"`
    : nameHint(name, agents.names);
  throw new LecternError("INVALID_INPUT", `Unknown agent "${name}": ${hint}`);
}

/** Undefined: by its program. */
export const agentToLaunch = (given: GivenAgent | null): string | undefined =>
  given === null || given.isLike ? undefined : given.name;
