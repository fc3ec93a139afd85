/** What daemon and pty host say to each other in JSON frames. */
import type { ErrorCode, ErrorDetails } from "../core/errors.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { SessionEvent } from "../core/records.ts";

/**
 * Changes when an older peer would misunderstand; `hello` and `drain` never change.
 * - 2: `mark`, keyed input, events at the spawn. A daemon goes on with hosts of 1, without these.
 */
export const HOST_PROTOCOL_VERSION = 2;
export const HOST_PROTOCOL_OLDEST = 1;

/** A `mark` that comes from outside, as JSON; a larger one is refused. */
export const MARK_BYTES_MAX = 1024 * 1024;

/** The host's first frame. */
export interface Hello {
  readonly protocol: number;
  /** Version of the package that the host runs. */
  readonly version: string;
  readonly pid: number;
  readonly backend: string;
  readonly draining: boolean;
}

export interface SpawnRequest {
  readonly session: string;
  /** The journal's directory; it exists and is empty. */
  readonly directory: string;
  readonly command: readonly [string, ...string[]];
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  readonly mode: "interactive" | "exec";
  readonly retainBytesMax: number;
  /** Marks that stand directly behind `session-start`. */
  readonly events?: readonly SessionEvent[];
}

/** A running session as its host knows it. */
export interface HostedInfo {
  /** Number that stands for the session in the frames of this host. */
  readonly handle: number;
  readonly session: string;
  readonly pid: number;
  /** End of the journal. */
  readonly end: number;
  /** End of the last input record, 0 where nothing was typed. */
  readonly inputEnd: number;
  readonly columns: number;
  readonly rows: number;
  /** Why the journal cannot be written now, null where it can. */
  readonly degraded: string | null;
}

/** Each request by its method: what goes in and what comes back. */
export interface HostMethods {
  spawn: { parameters: SpawnRequest; result: HostedInfo };
  list: { parameters: Record<string, never>; result: { readonly sessions: readonly HostedInfo[] } };
  follow: { parameters: { readonly handle: number; readonly on: boolean }; result: { readonly end: number } };
  resize: { parameters: { readonly handle: number; readonly columns: number; readonly rows: number }; result: Written };
  signal: { parameters: { readonly handle: number; readonly signal: string }; result: Record<string, never> };
  /** Appends an event to the journal. Throws `TOO_LARGE` above `MARK_BYTES_MAX`. */
  mark: { parameters: { readonly handle: number; readonly event: SessionEvent }; result: Written };
  /** Answers when the session has ended. */
  kill: { parameters: { readonly handle: number; readonly graceMs: number }; result: Record<string, never> };
}

export type HostMethod = keyof HostMethods;

/** Where something that was written stands in the journal. */
export interface Written {
  readonly offset: number;
  readonly next: number;
  /** Input with this key was typed before, and this is where it stands: now nothing was typed. */
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

/** What the host says unasked. `exit` comes after the journal is closed: `end` is its last word. */
export type Notice =
  | { readonly type: "exit"; readonly session: string; readonly end: number; readonly exit: ExitStatus }
  | { readonly type: "degraded"; readonly session: string; readonly message: string | null };
