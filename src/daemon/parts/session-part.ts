/** What a session consists of beside its program: each part is one record with the same three steps, in the list of `part-list.ts`. */
import type { SessionEvent } from "../../core/records.ts";
import type { WayOut } from "../../core/sandbox/plan.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { SessionStart } from "../callers/child-sessions.ts";
import type { WantedSandbox, Walls } from "../sandbox/sandboxes.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { GivenAgent } from "./given-agent.ts";

export interface StartSpec {
  /** Its directory exists, and its row is in the state `starting`. */
  readonly entry: SessionEntry;
  readonly input: SessionStart;
  readonly agent: GivenAgent | null;
  /** The session that it is started from. */
  readonly parent: SessionEntry | undefined;
  /** Undefined without a sandbox. */
  readonly sandbox: WantedSandbox | undefined;
}

/** How the program is started. Parts add to it, in the order of the list. */
export interface ProgramLaunch {
  readonly host: HostClient;
  /** The environment as it was given; `environment` is what the program gets. */
  readonly givenEnvironment: Readonly<Record<string, string | undefined>>;
  command: readonly [string, ...string[]];
  environment: Readonly<Record<string, string>>;
  /** Files in the directory of the session that the program needs inside of a sandbox. */
  readonly neededFiles: string[];
  /** The same of directories in which it writes. */
  readonly writtenDirectories: string[];
  /** Marks that the journal begins with. */
  readonly events: SessionEvent[];
  /** The host starts a daemon that was killed again. */
  needsDaemon: boolean;
  walls: Walls | undefined;
  /** Words before the command, which start another program of the session before it or beside it; each is made of the whole command. */
  readonly launchers: ((command: readonly string[]) => readonly string[])[];
  wayOut: WayOut | null;
}

/**
 * Law: what `end` needs is in the directory of the session, or in its row, before `begin` has an effect outside of them. So a start that fails,
 * one whose daemon is killed, and a session that has ended are all ended by the same `end`.
 */
export interface SessionPart {
  /** As in "Cannot end the worktree of session ...". */
  readonly name: string;
  /** Before the program starts. */
  readonly begin: (spec: StartSpec, launch: ProgramLaunch) => Promise<void> | void;
  /** In the next daemon, while the program runs. Absent if nothing of it is in memory. */
  readonly resume?: (entry: SessionEntry) => Promise<void> | void;
  /**
   * The program has ended, or was not started: then the session is in the state `starting`. Also called if `begin` was not, or has failed half
   * way, and again by the next daemon. Absent if the directory of the session has all of it.
   */
  readonly end?: (entry: SessionEntry) => Promise<void> | void;
}
