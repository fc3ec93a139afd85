/** The daemon, as the page sees it: one client, and whether the daemon lets this browser in. */
import { fetchTransport, LecternClient } from "../client.ts";
import { LecternError } from "../core/errors.ts";
import { ValueStore } from "./store.ts";

/** `locked`: this browser has no cookie that is still good. `away`: the daemon does not answer. */
export type ConnectionState = "connecting" | "online" | "away" | "locked";

export const connection = new ValueStore<ConnectionState>("connecting");

let shared: LecternClient | undefined;

/** Made when it is first used: tests of pure parts have no address. */
export const daemon = (): LecternClient => (shared ??= new LecternClient(fetchTransport({ url: location.origin })));

/** What an error says about the connection; undefined where it says nothing. */
export function connectionOf(error: unknown): ConnectionState | undefined {
  if (!(error instanceof LecternError)) return undefined;
  if (error.code === "UNAUTHENTICATED") return "locked";
  return error.code === "DAEMON_UNREACHABLE" ? "away" : undefined;
}

/** The time between two attempts to follow changes; longer while the page is hidden. */
export const retryDelayMs = (): number => (document.visibilityState === "visible" ? 1000 : 5000);

/** What went wrong, for people. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
