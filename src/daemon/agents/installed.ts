/** Which of the known coding agents are in a PATH. */
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { agentProfiles, type AgentProfile } from "./profiles.ts";

export interface InstalledAgent extends Pick<AgentProfile, "name" | "title" | "routes" | "notes" | "package"> {
  /** Null where it is not installed. */
  readonly path: string | null;
}

/** All that are known, in the order of the profiles. */
export const findAgents = async (path: string): Promise<InstalledAgent[]> =>
  await Promise.all(
    agentProfiles.map(async ({ name, title, routes, notes, package: packageName, programs }) => ({
      name,
      title,
      package: packageName,
      routes,
      path: await findProgram(programs, path),
      notes,
    })),
  );

async function findProgram(programs: readonly string[], path: string): Promise<string | null> {
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
