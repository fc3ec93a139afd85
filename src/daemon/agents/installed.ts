/** Which of the known coding agents are in a PATH. */
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { AgentRegistry } from "../../core/agents/registry.ts";

export interface InstalledAgent {
  readonly name: string;
  readonly title: string;
  /** The name under which a package runner starts it; null if it has none. */
  readonly package: string | null;
  /** The model servers of the gateway that it uses; empty if it cannot be watched, or that is not known. */
  readonly routes: readonly string[];
  /** Null if it is not installed. */
  readonly path: string | null;
  readonly notes: string;
}

/** All that are known, in the order of the registry. */
export const findAgents = async (registry: AgentRegistry, path: string): Promise<InstalledAgent[]> =>
  await Promise.all(
    registry.agents.map(async ({ commands, launch, name, packages, title }) => ({
      name,
      title,
      package: packages[0] ?? null,
      routes: launch?.routes ?? [],
      path: await findProgram(commands, path),
      notes: launch?.notes ?? "",
    })),
  );

/** A name with an argument (`q chat`) is that of a program of another kind, too: its file alone shows nothing. */
async function findProgram(commands: readonly string[], path: string): Promise<string | null> {
  const programs = commands.filter((command) => !command.includes(" "));
  for (const directory of path.split(delimiter).filter((each) => each !== "")) {
    for (const program of programs) {
      const file = join(directory, program);
      const isProgram = await access(file, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isProgram) return file;
    }
  }
  return null;
}
