import type { ErrorCode, ErrorDetails } from "../core/errors.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { TargetProcess } from "../core/acting/target.ts";
import type { ProtocolMark, SessionEvent } from "../core/records.ts";
import type { CommandRequest } from "../pty/command.ts";
import type { DaemonRestart } from "./daemon-keeper.ts";
import type { HostTotals } from "./host-counters.ts";

/**
 * Raised for changes that an older peer would misread; `hello` and `drain` never change.
 * - 2: `mark`, keyed input, events at the spawn. A daemon still works with hosts of version 1, without these.
 * - 3: `wrapper`. An older host would start the program without its sandbox, so the daemon does not ask it.
 */
export const HOST_PROTOCOL_VERSION = 3;
export const HOST_PROTOCOL_OLDEST = 1;

/** Limit of the JSON of a `mark` from outside of the host; a larger one is refused. */
export const MARK_BYTES_MAX = 1024 * 1024;

/** Limit of the key of a `mark`; a longer one is refused. */
export const MARK_KEY_CHARS_MAX = 512;

/** The host's first frame. */
export interface Hello {
  readonly protocol: number;
  /** Version of the package that the host runs. */
  readonly version: string;
  readonly pid: number;
  readonly backend: string;
  readonly draining: boolean;
  /** It knows `InputConditions`. Missing in older hosts. */
  readonly knowsConditions?: true;
  /** It knows the mode `acp` and the method `speak`. Missing in older hosts. */
  readonly knowsPipes?: true;
}

export interface SpawnRequest extends CommandRequest {
  readonly session: string;
  /** The journal's directory, which exists and is empty. */
  readonly directory: string;
  /** Words before the command, which start it in a sandbox; the journal has the command alone. */
  readonly wrapper?: readonly string[];
  /** Words between the two, which start another program of the session and become the command; an older host starts the command alone. */
  readonly launcher?: readonly string[];
  /** The time zone in which the program writes times. */
  readonly timeZone?: string;
  readonly columns: number;
  readonly rows: number;
  /** `acp`: on pipes instead of a terminal, for `speak`. */
  readonly mode: "interactive" | "exec" | "acp";
  readonly retainBytesMax: number;
  /** Marks to append directly after `session-start`. */
  readonly events?: readonly SessionEvent[];
  /** Its agent reaches its model through the daemon: the host starts a daemon again that was killed. */
  readonly needsDaemon?: boolean;
}

/** A running session as its host knows it. */
export interface HostedInfo {
  /** Identifies the session in the frames of this host. */
  readonly handle: number;
  readonly session: string;
  readonly pid: number;
  readonly end: number;
  /** End of the last input record, 0 if nothing was typed. */
  readonly inputEnd: number;
  readonly columns: number;
  readonly rows: number;
  /** Why the journal cannot be written at the moment; null if it can. */
  readonly degraded: string | null;
}

/** Parameters and result of each request by its method. */
export interface HostMethods {
  spawn: { parameters: SpawnRequest; result: HostedInfo };
  list: { parameters: Record<string, never>; result: { readonly sessions: readonly HostedInfo[] } };
  /** Missing in older hosts. */
  totals: { parameters: Record<string, never>; result: HostTotals };
  follow: { parameters: { readonly handle: number; readonly on: boolean }; result: { readonly end: number } };
  resize: { parameters: { readonly handle: number; readonly columns: number; readonly rows: number }; result: Written };
  signal: { parameters: { readonly handle: number; readonly signal: string }; result: Record<string, never> };
  /**
   * Appends an event to the journal. Throws `TOO_LARGE` above `MARK_BYTES_MAX`. One with a `key` is appended once; older hosts append it
   * each time.
   */
  mark: {
    parameters: { readonly handle: number; readonly event: SessionEvent; readonly key?: string };
    result: Written;
  };
  /**
   * Writes to the standard input of a program on pipes. With a `key` the same bytes are written once. A message may come in pieces; if its
   * connection is closed before the last one, the host ends the line. `recorded` is what the journal has instead; "" leaves it out. Throws
   * `CONFLICT` for other bytes with this key, for a session on a terminal, and, with `unfinished` in the details, while another connection
   * is in a message; `LIMIT_EXCEEDED` while the program does not read.
   */
  speak: {
    parameters: { readonly handle: number; readonly key?: string; readonly recorded?: string } & Pick<
      ProtocolMark,
      "text" | "encoding"
    >;
    result: Written;
  };
  /**
   * Reads at once what the foreground waits for, and writes it into the journal if it has changed. Not `isCurrent`: between two jobs, or where the
   * journal cannot take it, the last report in the journal is an older one; absent in older hosts. The method is missing in still older ones.
   */
  probe: {
    parameters: { readonly handle: number };
    result: { readonly end: number; readonly isCurrent?: boolean };
  };
  /**
   * How to start the daemon again if this connection is lost while a session needs it; null before the daemon ends as it should. Missing in
   * older hosts.
   */
  supervise: { parameters: { readonly restart: DaemonRestart | null }; result: Record<string, never> };
  /** Answers when the session has ended. */
  kill: { parameters: { readonly handle: number; readonly graceMs: number }; result: Record<string, never> };
}

export type HostMethod = keyof HostMethods;

/** Without these nothing is typed. Older hosts type all the same. */
export interface InputConditions {
  /** For whom the bytes are: this process is in the foreground. */
  readonly reader?: TargetProcess | undefined;
  /** They act by themselves, as Enter does: the program has read what was typed before, for which the host waits up to 5 s. Default false. */
  readonly acts?: boolean;
  /** They answer what was output before this offset: the process group that was in the foreground then still is. */
  readonly asked?: number;
}

/** How bytes are typed. */
export interface InputOptions extends InputConditions {
  /** Masked in the journal. Default false. */
  readonly secret?: boolean;
  /** With a key the bytes are typed at most once per session; see `Written.already`. */
  readonly key?: string | undefined;
}

/** The offsets of a record that was appended to the journal. */
export interface Written {
  readonly offset: number;
  readonly next: number;
  /** A record with this key was appended before, at these offsets; nothing was appended now. */
  readonly already?: true;
}

export type HostRequest = {
  [Method in HostMethod]: { readonly id: number; readonly method: Method } & HostMethods[Method]["parameters"];
}[HostMethod];

export interface HostError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: ErrorDetails;
}

export type HostResponse =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: HostError };

/** Sent by the host without a request. `end` of `exit` is the final end of the journal. */
export type Notice =
  | { readonly type: "exit"; readonly session: string; readonly end: number; readonly exit: ExitStatus }
  | { readonly type: "degraded"; readonly session: string; readonly message: string | null };
