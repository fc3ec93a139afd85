/** The page's client of the daemon, and the state of the connection. */
/** `locked`: this browser has no valid cookie. `away`: the daemon does not answer. */
import { LecternClient, type Session } from "../client.ts";
import { waits } from "../core/waits.ts";
import { LecternError } from "../core/errors.ts";
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

/** The message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
