/** What a program is started with: its command, its environment, and the words in front of them. */
import type { HostClient } from "../../host/host-client.ts";
import type { SpawnRequest } from "../../host/messages.ts";
import { SESSION_VARIABLE } from "../../host/tagged-processes.ts";
import { cleanEnvironment } from "../../pty/environment.ts";
import { integrateShell } from "../../terminal/shell-integration.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { SessionStart } from "../callers/child-sessions.ts";
import { ensureFilesDirectory } from "../files/session-files.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { WaysOut } from "../network/ways-out.ts";
import { keepTraceParent } from "../otlp/position-file.ts";
import type { AgentPlaces } from "../sandbox/agent-places.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { keepNonce } from "../sessions/shell-nonce.ts";
import { agentToLaunch, type GivenAgent } from "./given-agent.ts";

export interface ProgramParts {
  readonly agents: KnownAgents;
  readonly registry: SessionRegistry;
  readonly sandboxes: Sandboxes;
  readonly waysOut: WaysOut;
  readonly wire: WireSessions;
}

/**
 * The command and the environment of the program: with `wire` it is pointed at the gateway, a shell at which somebody types is asked for marks,
 * and at last, when all of them have seen the command itself, it is put into its sandbox.
 */
export async function beginProgram(
  daemon: ProgramParts,
  entry: SessionEntry,
  input: SessionStart & { readonly given: GivenAgent | null; readonly host: HostClient },
): Promise<Pick<SpawnRequest, "command" | "environment" | "wrapper">> {
  const { registry, sandboxes, waysOut, wire } = daemon;
  const [program, ...words] = input.command;
  const command = [program, ...words] as const;
  const given = input.environment ?? process.env;
  keepTraceParent(entry.directory, input.environment?.["TRACEPARENT"]);
  const extra = sessionVariables(entry.id);
  const launch =
    input.wire === undefined
      ? undefined
      : await wire.begin(entry, input.wire, { command, environment: given, agent: agentToLaunch(input.given) });
  const environment = cleanEnvironment(given, { extra: { ...extra, ...launch?.environment } });
  const begun = await integrated(entry, { command: launch?.command ?? command, environment }, input);
  const parent = input.parent === undefined ? undefined : registry.get(input.parent);
  const wanted =
    (parent === undefined ? undefined : sandboxes.inherited(parent)) ??
    (await sandboxes.wanted(input.sandbox, input.wire?.policy));
  if (wanted === undefined) return begun;
  const neededFiles = [
    // Files that are put there later are seen inside, because the directory is.
    await ensureFilesDirectory(entry.directory),
    ...(launch === undefined ? [] : [wire.filesDirectoryOf(entry)]),
  ];
  const needs = sandboxNeeds(daemon, input.given, command);
  const { record, wrapper } = await sandboxes.begin(entry, wanted, {
    ...begun,
    // What a session inside starts writes nothing that its parent could not write.
    agentPlaces: parent === undefined ? needs.places : { ...needs.places, write: [] },
    host: input.host,
    neededFiles,
    wayOut: (network) =>
      waysOut.begin(entry, { network, approvalMs: input.wire?.approvalMs, environment: begun.environment }),
  });
  entry.stored = { ...entry.stored, sandbox: record };
  await registry.save(entry);
  const [begunProgram, ...begunWords] = begun.command;
  // An agent whose own sandbox is turned off is in this one.
  const added = record.backend === "none" ? [] : needs.arguments;
  return { ...begun, command: [begunProgram, ...added, ...begunWords], wrapper };
}

/** What the agent that is started needs in a sandbox, also behind `npx`; words are added only where the program is the agent itself. */
function sandboxNeeds(
  { agents: { registry: known } }: Pick<ProgramParts, "agents">,
  given: GivenAgent | null,
  command: readonly [string, ...string[]],
): { readonly places: AgentPlaces; readonly arguments: readonly string[] } {
  const agent = known.named(agentToLaunch(given) ?? known.anyOfArguments(command));
  const { arguments: words = [], ...places } = agent?.launch?.sandbox ?? {};
  return { places, arguments: known.ofProgram(command[0]) === agent ? words : [] };
}

/** Asks a shell at which somebody types for marks. */
async function integrated(
  entry: SessionEntry,
  begun: Pick<SpawnRequest, "command" | "environment">,
  { mode, shellIntegration }: Pick<SessionStart, "mode" | "shellIntegration">,
): Promise<Pick<SpawnRequest, "command" | "environment">> {
  if (!shellIntegration || mode !== "interactive") return begun;
  const integration = integrateShell(begun.command, begun.environment);
  if (integration === undefined) return begun;
  await keepNonce(entry.directory, integration.nonce);
  return { command: begun.command, environment: integration.environment };
}

/** What a program is told: its session, and where `lectern` finds this daemon where it is not in the usual place. */
function sessionVariables(id: string): Record<string, string> {
  const home = process.env["LECTERN_HOME"];
  return { [SESSION_VARIABLE]: id, ...(home && { LECTERN_HOME: home }) };
}
