/** Starts sessions. */
import { mkdir, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { isNoSpace } from "../../core/no-space.ts";
import { isWriterLocked } from "../../journal/writer-lock.ts";
import { recordedOf } from "../../protocol/session-options.ts";
import type { Session } from "../../protocol/session.ts";
import type { SessionStart } from "../callers/child-sessions.ts";
import { HostPool } from "../hosts/host-pool.ts";
import type { Notify } from "../notify/notify.ts";
import type { LecternPaths } from "../paths.ts";
import type { Prompts } from "../prompts/prompts.ts";
import { SessionEntry } from "../sessions/session-entry.ts";
import type { StoredSession } from "../store/stored-session.ts";
import type { SessionViews } from "../views/session-views.ts";
import { beginProgram, type ProgramParts } from "./begin-program.ts";
import { givenAgent, type GivenAgent } from "./given-agent.ts";
import { schemaEvents } from "./schema-events.ts";
import { acceptFirstPrompt, enterWorktree, leaveWorktree } from "./starting-tasks.ts";

const RETAIN_BYTES_MAX = 1024 * 1024 * 1024;

/** What a daemon starts sessions with. */
export interface SessionStarter extends ProgramParts {
  readonly paths: LecternPaths;
  readonly hosts: HostPool;
  readonly views: SessionViews;
  readonly prompts: Prompts;
  readonly notify: Notify;
}

/** `carried`: what the session has from the one that it continues. */
export async function createSession(
  daemon: SessionStarter,
  input: SessionStart,
  carried: Carried = {},
): Promise<Session> {
  const { registry, hosts } = daemon;
  const given = input.agent === undefined ? null : givenAgent(input.agent, daemon);
  const entry = freshEntry(daemon, input, { given, carried });
  const { name } = entry.stored;
  const added = registry.add(entry);
  try {
    await added;
    daemon.views.prepare();
    await mkdir(entry.directory, { mode: 0o700 });
    await enterWorktree(daemon, entry, input.worktree);
    const host = await hosts.acquire();
    entry.stored = { ...entry.stored, host: HostPool.nameOf(host) };
    await registry.save(entry, { needsFile: true });
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
  daemon: SessionStarter,
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

const noSpaceFor = (name: string, cause: unknown): LecternError =>
  new LecternError(
    "JOURNAL_WRITE_FAILED",
    `Cannot start session "${name}": the disk is full; make room, for example with "lectern rm"`,
    { cause },
  );
