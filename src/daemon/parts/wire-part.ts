import type { WireSessions } from "../gateway/wire-sessions.ts";
import { agentToLaunch } from "./given-agent.ts";
import type { SessionPart } from "./session-part.ts";

/** The session at the gateway, to which the program is pointed. */
export const wirePart = (wire: WireSessions): SessionPart => ({
  name: "gateway",
  begin: async ({ agent, entry, input }, launch) => {
    if (input.wire === undefined) return;
    const { command, givenEnvironment } = launch;
    const begun = await wire.begin(entry, input.wire, {
      command,
      environment: givenEnvironment,
      agent: agentToLaunch(agent),
    });
    launch.command = begun.command;
    launch.environment = { ...launch.environment, ...begun.environment };
    launch.neededFiles.push(wire.filesDirectoryOf(entry));
    launch.needsDaemon = true;
  },
  resume: async (entry) => await wire.resume(entry),
  end: async (entry) => await wire.end(entry),
});
