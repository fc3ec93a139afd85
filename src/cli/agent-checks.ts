/** What `lectern doctor` reports about agents: the releases that are installed, and conversations that may be read wrong. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { LecternClient } from "../client/client.ts";
import type { Agent } from "../core/agents/agent.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import { isNewerRelease, newerRelease } from "../core/agents/newer-release.ts";
import type { Session } from "../protocol/session.ts";
import type { Check } from "./check.ts";

/** From a program up to the directory of its package. */
const LEVELS_MAX = 8;

/** Agents in the directories of `path` that are newer than the recordings on which their rules were measured. */
export function checkReleases(path: string): Check[] {
  return builtInAgents.agents.flatMap((agent): Check[] => {
    const { recorded } = agent.file;
    const release = recorded === undefined ? null : installedRelease(agent, path);
    if (recorded === undefined || release === null || !isNewerRelease(release, recorded)) return [];
    const message = newerRelease(agent.title, release, recorded);
    return [
      { name: "agent", status: "warn", message, next: 'Compare "lectern chat" with its screen; see docs/agents.md' },
    ];
  });
}

function installedRelease({ commands, packages }: Agent, path: string): string | null {
  const places = path.split(delimiter).filter((directory) => directory.startsWith("/"));
  const program = places.flatMap((place) => commands.map((name) => join(place, name))).find((file) => existsSync(file));
  if (program === undefined) return null;
  try {
    let directory = dirname(realpathSync(program));
    for (let level = 0; level < LEVELS_MAX && directory !== dirname(directory); level += 1) {
      const file = join(directory, "package.json");
      const { name, version } = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}) as Record<
        string,
        unknown
      >;
      if (typeof name === "string" && packages.includes(name)) return typeof version === "string" ? version : null;
      directory = dirname(directory);
    }
  } catch {
    // A package that cannot be read says nothing about its release.
  }
  return null;
}

/** What speaks against the conversation of each running session as it is read. */
export async function checkConversations(client: LecternClient, sessions: readonly Session[]): Promise<Check[]> {
  const checks = sessions
    .filter(({ state }) => state === "running")
    .map(async ({ id, name }) => {
      const { messages } = await client.call("sessions.messages", {
        session: id,
        roles: ["conversation-start"],
        last: 1,
      });
      return (messages[0]?.doubts ?? []).map((doubt): Check => ({
        name: "conversation",
        status: "warn",
        message: `${name}: ${doubt}`,
        next: `Compare "lectern chat ${name}" with "lectern screen ${name}"; rules are changed as docs/agents.md says`,
      }));
    });
  return (await Promise.all(checks)).flat();
}
