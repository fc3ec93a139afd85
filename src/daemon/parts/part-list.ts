/**
 * The parts of a session, in the order in which they begin: a part sees what those before it have added to the
 * launch.
 */
import { mayLoad } from "../../core/acting/repl-loader.ts";
import { integrateShell } from "../../terminal/shell-integration.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import { ensureFilesDirectory } from "../files/session-files.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { WaysOut } from "../network/ways-out.ts";
import type { AgentPlaces } from "../sandbox/agent-places.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import { makeActDirectory, removeActDirectory } from "../sessions/act-directory.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { keepNonce } from "../sessions/shell-nonce.ts";
import { eventSchemasPart } from "./event-schemas-part.ts";
import { agentToLaunch } from "./given-agent.ts";
import type { SessionPart, StartSpec } from "./session-part.ts";

const wirePart = (wire: WireSessions): SessionPart => ({
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

/**
 * Asks an interactive shell for marks, whose nonce is kept beside the journal. Shells and REPLs get the directory in
 * which they are handed commands.
 */
const shellMarksPart: SessionPart = {
  name: "shell marks",
  begin: async ({ entry, input }, launch) => {
    if (input.mode !== "interactive") return;
    if (mayLoad(launch.command)) launch.writtenDirectories.push(makeActDirectory(entry.directory));
    if (!input.shellIntegration) return;
    const integration = integrateShell(launch.command, launch.environment, () => makeActDirectory(entry.directory));
    if (integration === undefined) return;
    await keepNonce(entry.directory, integration.nonce);
    launch.environment = integration.environment;
    launch.writtenDirectories.push(integration.actDirectory);
  },
  end: (entry) => removeActDirectory(entry.directory),
};

/** Files that are put there later are seen inside of a sandbox, because the directory is. */
const filesPart: SessionPart = {
  name: "files",
  begin: async ({ entry, sandbox }, launch) => {
    if (sandbox !== undefined) launch.neededFiles.push(await ensureFilesDirectory(entry.directory));
  },
};

/** The walls around a program. It begins when all others have seen the command itself. */
const sandboxPart = (sandboxes: Sandboxes, agents: KnownAgents): SessionPart => ({
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

/** The sockets through which a sandboxed program reaches the gateway and named hosts. */
const waysOutPart = (waysOut: WaysOut): SessionPart => ({
  name: "network of the sandbox",
  begin: async ({ entry, input }, launch) => {
    if (launch.walls === undefined) return;
    const { environment, walls } = launch;
    const approvalMs = input.wire?.approvalMs;
    launch.wayOut = await waysOut.begin(entry, { network: walls.network, approvalMs, environment });
  },
  resume: async (entry) => await waysOut.resume(entry),
  end: (entry) => waysOut.end(entry.id),
});

export interface PartOwners {
  readonly agents: KnownAgents;
  readonly config: Pick<DaemonConfig, "get">;
  readonly registry: SessionRegistry;
  readonly sandboxes: Sandboxes;
  readonly waysOut: WaysOut;
  readonly wire: WireSessions;
}

export const sessionPartsOf = ({ agents, sandboxes, waysOut, wire }: PartOwners): readonly SessionPart[] => [
  eventSchemasPart,
  wirePart(wire),
  shellMarksPart,
  filesPart,
  sandboxPart(sandboxes, agents),
  waysOutPart(waysOut),
];
