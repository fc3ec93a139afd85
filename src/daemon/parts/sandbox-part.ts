import type { KnownAgents } from "../agents/known-agents.ts";
import type { AgentPlaces } from "../sandbox/agent-places.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import { agentToLaunch } from "./given-agent.ts";
import type { SessionPart, StartSpec } from "./session-part.ts";

/** The walls around a program. It begins when all others have seen the command itself. */
export const sandboxPart = (sandboxes: Sandboxes, agents: KnownAgents): SessionPart => ({
  name: "sandbox",
  begin: async (spec, launch) => {
    const { entry, parent, sandbox } = spec;
    if (sandbox === undefined) return;
    const needs = sandboxNeeds(agents, spec);
    const { record, walls } = await sandboxes.begin(entry, sandbox, {
      ...launch,
      // What a session inside starts writes nothing that its parent could not write.
      agentPlaces: parent === undefined ? needs.places : { ...needs.places, write: [] },
    });
    entry.stored = { ...entry.stored, sandbox: record };
    if (walls === undefined) return;
    launch.walls = walls;
    const [program, ...words] = launch.command;
    // An agent whose own sandbox is turned off is in this one.
    launch.command = [program, ...needs.arguments, ...words];
  },
  resume: (entry) => sandboxes.resume(entry),
  end: async (entry) => await sandboxes.end(entry),
});

/** What the agent that is started needs in a sandbox, also behind `npx`; words are added only where the program is the agent itself. */
function sandboxNeeds(
  { registry: known }: KnownAgents,
  { agent: given, input: { command } }: StartSpec,
): { readonly places: AgentPlaces; readonly arguments: readonly string[] } {
  const agent = known.named(agentToLaunch(given) ?? known.anyOfArguments(command));
  const { arguments: words = [], ...places } = agent?.launch?.sandbox ?? {};
  return { places, arguments: known.ofProgram(command[0]) === agent ? words : [] };
}
