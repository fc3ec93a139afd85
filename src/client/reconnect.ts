/** When and how often to reconnect. */
import type { ErrorCode, LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";

/** Errors that a retry can fix; any other ends the attachment. */
const passing: ReadonlySet<ErrorCode> = new Set([
  "DAEMON_UNREACHABLE",
  "DRAINING",
  "HOST_UNREACHABLE",
  "LIMIT_EXCEEDED",
  "MACHINE_AWAY",
  "INTERNAL",
]);

export const isPassing = (error: LecternError): boolean => passing.has(error.code);

/** Doubles from 50 ms up to `delayMsMax`; `random` (0 to 1) subtracts up to half, so that many clients do not reconnect at once. */
export function reconnectDelayMs(attempt: number, delayMsMax: number, random: number): number {
  const full = Math.min(delayMsMax, waits.pollMs * 2 ** Math.min(attempt, 30));
  return full * (1 - random / 2);
}

/** Resolves after the delay, or at once when the signal is aborted. */
export function delay(delayMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const finish = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", finish);
    resolve();
  };
  const timer = setTimeout(finish, delayMs);
  if (signal.aborted) finish();
  else signal.addEventListener("abort", finish, { once: true });
  return promise;
}
