/** The page's client of the daemon, and the state of the connection. */
/** `locked`: this browser has no valid cookie. `away`: the daemon does not answer. */
import { LecternClient, type Session } from "../client.ts";
import { delay, isPassing } from "../client/reconnect.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { sessionOn } from "../protocol/machine-updates.ts";
import { splitAddress } from "../protocol/session-address.ts";
import { ValueStore } from "./store.ts";

export type ConnectionState = "connecting" | "online" | "away" | "locked";

export const connection = new ValueStore<ConnectionState>("connecting");

let shared: LecternClient | undefined;

/** Created on first use, because tests of pure parts have no `location`. */
export const daemon = (): LecternClient => (shared ??= new LecternClient({ url: location.origin }));

/** The client of a machine; `undefined` is the one of this page. */
export const daemonOn = (machine: string | undefined): LecternClient =>
  machine === undefined ? daemon() : daemon().on(machine);

/** A session as it was answered to a request, with the id and the name that it has on this page. */
export const sessionFrom = (machine: string | undefined, answer: Session): Session =>
  machine === undefined ? answer : sessionOn(machine, answer);

/** The session of a reference. */
export const askSession = async (reference: string): Promise<Session> =>
  sessionFrom(splitAddress(reference).machine, await daemon().call("sessions.get", { session: reference }));

/** The state of the connection that an error indicates; undefined if none. */
export function connectionOf(error: unknown): ConnectionState | undefined {
  if (!(error instanceof LecternError)) return undefined;
  if (error.code === "UNAUTHENTICATED") return "locked";
  return error.code === "DAEMON_UNREACHABLE" ? "away" : undefined;
}

/** The time between two attempts to follow changes; longer while the page is hidden. */
export const retryDelayMs = (): number =>
  document.visibilityState === "visible" ? waits.retryMs : waits.hiddenRetryMs;

export interface Asking {
  readonly signal: AbortSignal;
  /** Gets the message of each failure that passes. */
  readonly report?: (message: string) => void;
}

/**
 * The answer to a request, which is repeated while it fails for a reason that passes, such as a daemon that does not answer. Rejects
 * with any other error, and when `signal` is aborted.
 */
export async function answerTo<Value>(ask: () => Promise<Value>, asking: Asking): Promise<Value> {
  const { report, signal } = asking;
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted || !(error instanceof LecternError && isPassing(error))) throw error;
    report?.(error.message);
  }
  await delay(retryDelayMs(), signal);
  return await answerTo(ask, asking);
}

/** The message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
