/** Sessions come and go. */
import { waits } from "../../core/waits.ts";
import { mkdir, rm, truncate } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isNoSpace } from "../../core/no-space.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { SpawnRequest } from "../../host/messages.ts";
import { SESSION_VARIABLE } from "../../host/tagged-processes.ts";
import { isWriterLocked } from "../../journal/writer-lock.ts";
import { listFiles } from "../../journal/segments.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { Session } from "../../protocol/session.ts";
import { cleanEnvironment } from "../../pty/environment.ts";
import { isRunning } from "../../pty/is-running.ts";
import { integrateShell } from "../../terminal/shell-integration.ts";
import { startFor, type SessionStart } from "../callers/child-sessions.ts";
import type { AgentPlaces } from "../sandbox/agent-places.ts";
import { HostPool } from "../hosts/host-pool.ts";
import { keepStart } from "../resume/start-file.ts";
import type { StoredSession } from "../store/schema.ts";
import { writeMeta } from "../sessions/write-meta.ts";
import { ensureFilesDirectory } from "../files/session-files.ts";
import { keepNonce } from "../sessions/shell-nonce.ts";
import type { Caller, Handlers } from "../service.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import { endPrograms } from "../sessions/end-programs.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { keepTraceParent } from "../otlp/position-file.ts";
import type { Daemon } from "./context.ts";
import { schemaEvents } from "./schema-events.ts";
import { signalName } from "./signal-name.ts";
import { acceptFirstPrompt, enterWorktree, leaveWorktree } from "./starting-tasks.ts";
import { endLeftovers } from "../../host/tagged-processes.ts";
import { nameHint } from "../../core/agents/name-hint.ts";

const RETAIN_BYTES_MAX = 1024 * 1024 * 1024;

type LifecycleHandlers = Pick<
  Handlers,
  | "sessions.list"
  | "sessions.create"
  | "sessions.get"
  | "sessions.update"
  | "sessions.remove"
  | "sessions.kill"
  | "sessions.signal"
>;

export function lifecycleHandlers(daemon: Daemon): LifecycleHandlers {
  const { registry } = daemon;
  return {
    "sessions.list": async (input, { caller }) => ({ sessions: await listSessions(registry, input, caller) }),
    "sessions.create": async (input, { caller }) => await createSession(daemon, startFor(input, caller, daemon)),
    "sessions.get": async ({ session }) => {
      const entry = registry.resolve(session);
      await entry.refresh();
      // Where the journal begins is known when it is open, and changes when it is trimmed. One that cannot be opened says so to who reads it.
      const feed = await entry.feed().catch(() => undefined);
      feed?.reader.refreshStart();
      return entry.view;
    },
    "sessions.update": async ({ session, name, labels }, { caller }) => {
      const entry = registry.resolve(session);
      if (labels !== undefined) daemon.callers.permitLabels(caller, entry);
      if (name !== undefined) registry.assertNameFree(name, entry);
      entry.stored = {
        ...entry.stored,
        name: name ?? entry.stored.name,
        labels: mergeLabels(entry.stored.labels, labels ?? {}),
      };
      await registry.save(entry);
      // On a full disk the registry keeps the change until there is space; this file is only read if the registry is lost.
      await writeMeta(entry).catch(ignoreNoSpace);
      return entry.view;
    },
    "sessions.remove": async ({ session, force }) => {
      const entry = registry.resolve(session);
      if (entry.live && !force && !isWaitingForSpace(entry)) {
        const { name } = entry.stored;
        throw new LecternError(
          "SESSION_RUNNING",
          `Cannot remove session "${name}": it is running; end it with "lectern kill ${name}" or use "lectern rm --force ${name}"`,
        );
      }
      if (entry.live && !(await endPrograms(entry, waits.forcedGraceMs))) await freeJournal(entry);
      await daemon.views.forget(entry);
      await daemon.prompts.forget(entry.id);
      await entry.close();
      registry.unlink(entry.stored.continues);
      await registry.remove(entry.id);
      await rm(entry.directory, { recursive: true, force: true });
      return { id: entry.id };
    },
    "sessions.kill": async ({ session, graceMs }) => {
      const entry = registry.resolve(session);
      // Programs that ignore the hang-up outlive their session.
      if (!entry.live && (await endLeftovers(entry.id, daemon.paths, graceMs))) return entry.view;
      entry.requireSeat();
      await endPrograms(entry, graceMs);
      return entry.view;
    },
    "sessions.signal": async ({ session, signal }) => {
      const entry = registry.resolve(session);
      const { client, handle } = entry.requireSeat();
      await client.call("signal", { handle, signal: signalName(signal) });
      return entry.view;
    },
  };
}

/** The newest first; those that the caller may see. */
export async function listSessions(
  registry: SessionRegistry,
  { state, label }: ParsedInputOf<"sessions.list">,
  caller: Caller,
): Promise<Session[]> {
  const entries = [...registry.all].filter(
    (entry) =>
      (caller.session === null || caller.session === entry.id) &&
      (state === undefined || entry.stored.state === state) &&
      (label === undefined || hasLabel(entry.stored.labels, label)),
  );
  await Promise.all(entries.map((entry) => entry.refresh()));
  const newestFirst = entries.toSorted((a, b) => (a.stored.createdAt < b.stored.createdAt ? 1 : -1));
  return newestFirst.map((entry) => entry.view);
}

/** A client on another machine does not know where the home directory here is. */
function directoryOf(given: string | undefined): string {
  if (given === undefined) return process.cwd();
  return given === "~" || given.startsWith("~/") ? join(homedir(), given.slice(1)) : given;
}

/** `carried`: what the session has from the one that it continues. */
export async function createSession(daemon: Daemon, input: SessionStart, carried: Carried = {}): Promise<Session> {
  const { registry, hosts } = daemon;
  const given = input.agent === undefined ? null : givenAgent(input.agent, daemon);
  const entry = freshEntry(daemon, input, { given, carried });
  const { name } = entry.stored;
  const added = registry.add(entry);
  try {
    await added;
    daemon.views.prepare();
    await mkdir(entry.directory, { mode: 0o700 });
    await keepStart(entry.directory, input);
    await enterWorktree(daemon, entry, input.worktree);
    const host = await hosts.acquire();
    entry.stored = { ...entry.stored, host: HostPool.nameOf(host) };
    await registry.save(entry);
    await writeMeta(entry);
    const begun = await beginProgram(daemon, entry, { ...input, given, host });
    const info = await host.call("spawn", {
      session: entry.id,
      directory: entry.directory,
      ...begun,
      workingDirectory: entry.stored.workingDirectory,
      timeZone: timeZoneOf(begun.environment),
      columns: input.columns,
      rows: input.rows,
      mode: input.mode,
      retainBytesMax: input.retainBytesMax ?? RETAIN_BYTES_MAX,
      events: await schemaEvents(input.eventSchemas ?? {}),
      needsDaemon: input.wire !== undefined,
    });
    // A program that ends at once has been reported as ended before the answer to "spawn" is read.
    if (entry.live) entry.settle(host, info);
    else entry.leaderPid = info.pid;
    daemon.views.follow(entry, { isNew: true });
    await registry.save(entry);
    if (input.onBlocked !== undefined) daemon.notify.configured();
    if (input.prompt !== undefined) await acceptFirstPrompt(daemon, entry, input.prompt);
    return entry.view;
  } catch (error) {
    // The answer got lost: the program runs, and its host is found again.
    if (isWriterLocked(entry.directory)) {
      daemon.views.follow(entry, { isNew: true });
      throw error;
    }
    daemon.sandboxes.abandon(entry);
    daemon.waysOut.end(entry.id);
    await registry.remove(entry.id);
    if (input.worktree !== undefined) await leaveWorktree(entry);
    await rm(entry.directory, { recursive: true, force: true });
    throw isNoSpace(error) ? noSpaceFor(name, error) : error;
  }
}

type Carried = Pick<StoredSession, "continues" | "conversation" | "worktree">;

/** Throws `NAME_TAKEN`. */
function freshEntry(
  daemon: Daemon,
  input: SessionStart,
  { given, carried }: { readonly given: GivenAgent | null; readonly carried: Carried },
): SessionEntry {
  const { registry, paths } = daemon;
  const name = input.name ?? registry.freeNameFor(input.worktree === undefined ? input.command : [input.worktree.name]);
  registry.assertNameFree(name);
  return SessionEntry.fresh(
    {
      id: registry.freshId(),
      name,
      command: input.command,
      agent: given?.name ?? daemon.agents.registry.ofArguments(input.command),
      workingDirectory: directoryOf(input.workingDirectory),
      labels: input.labels,
      columns: input.columns,
      rows: input.rows,
      ...(input.mine && { isMine: true }),
      ...(input.parent !== undefined && { parent: input.parent }),
      ...(input.trustText && { trustsText: true }),
      ...(input.eventTag !== undefined && { eventTag: input.eventTag }),
      ...(input.summaries && { summaries: true }),
      ...(input.onBlocked !== undefined && { onBlocked: input.onBlocked }),
      ...carried,
    },
    paths.sessionsDirectory,
  );
}

/** In which a program of this environment writes times; a value that is not a name of a zone is that of the system. */
function timeZoneOf({ TZ = "" }: Readonly<Record<string, string>>): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return /^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)*$/.test(TZ) ? TZ : timeZone;
}

interface GivenAgent {
  readonly name: string;
  /** Its screen looks like that of the agent, and nothing more is known. */
  readonly isLike: boolean;
}

/** Throws `INVALID_INPUT` with the nearest known name. */
function givenAgent(text: string, { agents: { registry: agents }, paths }: Daemon): GivenAgent {
  const isLike = text.startsWith("like:");
  const name = isLike ? text.slice("like:".length) : text;
  if (agents.named(name) !== undefined) return { name, isLike };
  const hint = /[./\\]/.test(name)
    ? `a name is wanted; files are read from "${paths.agentsDirectory}", see "lectern agents check"`
    : nameHint(name, agents.names);
  throw new LecternError("INVALID_INPUT", `Unknown agent "${name}": ${hint}`);
}

/** Undefined: by its program. */
const agentToLaunch = (given: GivenAgent | null): string | undefined =>
  given === null || given.isLike ? undefined : given.name;

function ignoreNoSpace(error: unknown): void {
  if (!isNoSpace(error)) throw error;
}

const noSpaceFor = (name: string, cause: unknown): LecternError =>
  new LecternError(
    "JOURNAL_WRITE_FAILED",
    `Cannot start session "${name}": the disk is full; make room, for example with "lectern rm"`,
    { cause },
  );

/**
 * The command and the environment of the program: with `wire` it is pointed at the gateway, a shell at which somebody types is asked for marks,
 * and at last, when all of them have seen the command itself, it is put into its sandbox.
 */
async function beginProgram(
  daemon: Daemon,
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
  await writeMeta(entry);
  const [begunProgram, ...begunWords] = begun.command;
  // An agent whose own sandbox is turned off is in this one.
  const added = record.backend === "none" ? [] : needs.arguments;
  return { ...begun, command: [begunProgram, ...added, ...begunWords], wrapper };
}

/** What the agent that is started needs in a sandbox, also behind `npx`; words are added only where the program is the agent itself. */
function sandboxNeeds(
  { agents: { registry: known } }: Daemon,
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

/** Its program has ended, and its journal waits for space to record that. */
function isWaitingForSpace({ degraded, stored: { pid } }: SessionEntry): boolean {
  return degraded !== null && pid !== null && !isRunning(pid);
}

/**
 * Gives the space of a session that is about to be removed back at once: its host has the files open and tries to write the end, so
 * removing them would free nothing.
 */
async function freeJournal(entry: SessionEntry): Promise<void> {
  for (const { path } of listFiles(entry.directory)) await truncate(path);
  await entry.untilEnd(AbortSignal.timeout(waits.answerMs));
}

function hasLabel(labels: Readonly<Record<string, string>>, wanted: string): boolean {
  const [key = "", ...value] = wanted.split("=");
  return value.length === 0 ? Object.hasOwn(labels, key) : labels[key] === value.join("=");
}

function mergeLabels(
  labels: Readonly<Record<string, string>>,
  changes: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const merged = new Map(Object.entries(labels));
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) merged.delete(key);
    else merged.set(key, value);
  }
  return Object.fromEntries(merged);
}

/** What a program is told: its session, and where `lectern` finds this daemon where it is not in the usual place. */
function sessionVariables(id: string): Record<string, string> {
  const home = process.env["LECTERN_HOME"];
  return { [SESSION_VARIABLE]: id, ...(home && { LECTERN_HOME: home }) };
}
