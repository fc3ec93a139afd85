import { mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isNoSpace } from "../../core/no-space.ts";
import { isWriterLocked } from "../../journal/writer-lock.ts";
import { branchFileName } from "../../protocol/names.ts";
import { recordedOf } from "../../protocol/session-options.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { SpawnRequest } from "../../host/messages.ts";
import { SESSION_VARIABLE } from "../../host/tagged-processes.ts";
import type { Session } from "../../protocol/session.ts";
import { cleanEnvironment } from "../../pty/environment.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SessionStart } from "../callers/child-sessions.ts";
import { HostPool } from "../hosts/host-pool.ts";
import type { LecternPaths } from "../paths.ts";
import type { Prompts } from "../acting/prompts.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import { whatIsFull } from "../../disk/what-is-full.ts";
import { demandDescriptors } from "../../pty/free-descriptors.ts";
import { currentOptions, type StoredSession } from "../store/stored-session.ts";
import type { SessionViews } from "../views/session-views.ts";
import { givenAgent, type GivenAgent } from "./given-agent.ts";
import { removeUnstarted, type UnstartedOwners } from "./remove-unstarted.ts";
import type { ProgramLaunch } from "./session-part.ts";
import { isShellProgram } from "../../core/agents/command-line.ts";
import { promptText } from "../../core/acting/box-text.ts";

const RETAIN_BYTES_MAX = 1024 * 1024 * 1024;

export interface SessionStarter extends UnstartedOwners {
  readonly agents: KnownAgents;
  readonly hosts: HostPool;
  readonly paths: LecternPaths;
  readonly sandboxes: Sandboxes;
  readonly views: SessionViews;
  readonly prompts: Prompts;
  readonly features: { created(entry: SessionEntry): void };
}

/** `carried`: what the session has from the one that it continues. */
export async function createSession(
  daemon: SessionStarter,
  input: SessionStart,
  carried: Carried = {},
): Promise<Session> {
  const { hosts, parts, registry, sandboxes, views } = daemon;
  demandDescriptors("start a session");
  const agent = input.agent === undefined ? null : givenAgent(input.agent, daemon);
  const parent = input.parent === undefined ? undefined : registry.get(input.parent);
  const sandbox =
    (parent === undefined ? undefined : sandboxes.inherited(parent)) ??
    (await sandboxes.wanted(input.sandbox, input.wire?.policy));
  const entry = freshEntry(daemon, input, { agent, carried });
  const added = registry.add(entry);
  try {
    await added;
    views.prepare();
    await mkdir(entry.directory, { mode: 0o700 });
    const host = await hosts.acquire();
    const launch = launchOf(entry, input, host);
    await parts.begin({ entry, input, agent, parent, sandbox }, launch);
    entry.stored = { ...entry.stored, host: HostPool.nameOf(host) };
    await registry.save(entry, { needsFile: true });
    const info = await host.call("spawn", spawnRequestOf(entry, input, launch));
    // A program that ends at once has been reported as ended before the answer to "spawn" is read.
    if (entry.live) entry.settle(host, info);
    else entry.leaderPid = info.pid;
  } catch (error) {
    // The answer got lost: the program runs, and its host is found again.
    if (isWriterLocked(entry.directory)) views.follow(entry, { isNew: true });
    else await removeUnstarted(daemon, entry);
    throw isNoSpace(error) ? noSpaceFor(entry, error) : error;
  }
  views.follow(entry, { isNew: true });
  // The end of one that has ended already is saved after its parts have ended.
  if (entry.live) await registry.save(entry);
  else registry.announce(entry);
  daemon.features.created(entry);
  if (input.prompt !== undefined) await acceptFirstPrompt(daemon, entry, input.prompt);
  return { ...entry.view, options: currentOptions(entry.stored) };
}

function launchOf(
  entry: SessionEntry,
  { command: [program, ...words], environment }: SessionStart,
  host: HostClient,
): ProgramLaunch {
  const givenEnvironment = environment ?? process.env;
  return {
    host,
    givenEnvironment,
    command: [program, ...words],
    environment: cleanEnvironment(givenEnvironment, { extra: sessionVariables(entry.id) }),
    neededFiles: [],
    writtenDirectories: [],
    events: [],
    needsDaemon: false,
    walls: undefined,
    launchers: [],
    wayOut: null,
  };
}

function spawnRequestOf(
  { directory, id, stored }: SessionEntry,
  { columns, mode, retainBytesMax, rows }: SessionStart,
  { command, environment, events, launchers, needsDaemon, walls, wayOut }: ProgramLaunch,
): SpawnRequest {
  return {
    session: id,
    directory,
    command,
    environment,
    ...(walls !== undefined && { wrapper: walls.wrapper(wayOut) }),
    launcher: launchers.flatMap((launcher) => launcher(command)),
    workingDirectory: stored.workingDirectory,
    timeZone: timeZoneOf(environment),
    columns,
    rows,
    mode,
    retainBytesMax: retainBytesMax ?? RETAIN_BYTES_MAX,
    events,
    needsDaemon,
  };
}

type Carried = Pick<StoredSession, "continues" | "conversation" | "worktree">;

/** Throws `NAME_TAKEN`. */
function freshEntry(
  daemon: SessionStarter,
  input: SessionStart,
  { agent, carried }: { readonly agent: GivenAgent | null; readonly carried: Carried },
): SessionEntry {
  const { registry, paths } = daemon;
  const { command, worktree } = input;
  const name = input.name ?? registry.freeNameFor(worktree === undefined ? command : [branchFileName(worktree.name)]);
  registry.assertNameFree(name);
  return SessionEntry.fresh(
    {
      id: registry.freshId(),
      name,
      command: input.command,
      agent: agent?.name ?? daemon.agents.registry.ofArguments(input.command),
      workingDirectory: directoryOf(input.workingDirectory),
      labels: input.labels,
      columns: input.columns,
      rows: input.rows,
      options: recordedOf(input),
      parent: input.parent,
      ...carried,
    },
    paths.sessionsDirectory,
  );
}

/** A client on another machine does not know where the home directory here is. */
function directoryOf(given: string | undefined): string {
  if (given === undefined) return process.cwd();
  return given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given;
}

/** In which a program of this environment writes times; a value that is not a name of a zone is that of the system. */
function timeZoneOf({ TZ = "" }: Readonly<Record<string, string>>): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return /^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*$/.test(TZ) ? TZ : timeZone;
}

const noSpaceFor = ({ stored: { name }, directory }: SessionEntry, cause: unknown): LecternError =>
  new LecternError(
    "JOURNAL_WRITE_FAILED",
    `Cannot start session "${name}": ${whatIsFull(dirname(directory))}; make room, for example with "lectern rm"`,
    { cause },
  );

/** What a program is told: its session, and where `lectern` finds this daemon where it is not in the usual place. */
function sessionVariables(id: string): Record<string, string> {
  const home = process.env["LECTERN_HOME"];
  return { [SESSION_VARIABLE]: id, ...(home && { LECTERN_HOME: home }) };
}

const FIRST_PROMPT_KEY = "first";

/** It is typed when the program is at its prompt: what it asks before that is for a person. */
async function acceptFirstPrompt(
  { prompts }: { readonly prompts: Prompts },
  entry: SessionEntry,
  text: string,
): Promise<void> {
  try {
    const prompt = {
      key: FIRST_PROMPT_KEY,
      text: promptText(text),
      whenEmpty: true,
      isLiteral: false,
      isForced: false,
      // Whoever starts a shell with a prompt means the shell.
      isForShell: isShellProgram(entry.stored.command[0] ?? ""),
      isFirst: true,
    };
    await prompts.accept(entry, prompt);
  } catch (error) {
    // A program that has ended at once takes no prompt, which its exit shows.
    if (entry.live) throw error;
  }
}
