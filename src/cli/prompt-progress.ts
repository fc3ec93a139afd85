/** The progress of a prompt for whoever waits at a terminal: one line, replaced every second and removed at the end. */
import { setTimeout as delay } from "node:timers/promises";
import type { Receipt } from "../core/acting/receipt.ts";
import type { SessionStatus } from "../core/status/status.ts";
import { oneLine } from "../core/text/one-line.ts";
import { truncateToWidth } from "../core/text/width.ts";
import { waits } from "../core/waits.ts";
import type { CliContext } from "./context.ts";
import { formatAge } from "./quantities.ts";

const ERASE_LINE = "\r\u001B[K";
const COLUMNS = 80;

/** Resolves when `signal` is aborted. Does nothing if standard error is not a terminal. */
export async function showProgress(
  { client, stderr }: Pick<CliContext, "client" | "stderr">,
  { session, key, signal }: { readonly session: string; readonly key: string; readonly signal: AbortSignal },
): Promise<void> {
  if (!stderr.isTTY) return;
  const startMs = Date.now();
  while (!signal.aborted) {
    // A daemon that does not answer, or does not know the prompt yet, has nothing to show.
    const text = await progressOf(await client(), { session, key, signal }).catch(() => null);
    if (signal.aborted) break;
    const line = `${formatAge(startMs, Date.now())}  ${text ?? ""}`;
    if (text !== null) stderr.write(ERASE_LINE + truncateToWidth(line, (stderr.columns || COLUMNS) - 1));
    await delay(waits.activityMs, undefined, { signal }).catch(() => undefined);
  }
  stderr.write(ERASE_LINE);
}

async function progressOf(
  client: Awaited<ReturnType<CliContext["client"]>>,
  { session, key, signal }: { readonly session: string; readonly key: string; readonly signal: AbortSignal },
): Promise<string> {
  const [receipt, { status }] = await Promise.all([
    client.call("sessions.receipt", { session, key }, { signal }),
    client.call("sessions.status", { session }, { signal }),
  ]);
  return progressText(receipt, status);
}

/** `accepted: waits until ...`, `working  Working (12s)`. */
export function progressText(
  { state, reason }: Pick<Receipt, "state" | "reason">,
  status: Pick<SessionStatus, "state" | "summary"> | null,
): string {
  if (reason !== null) return `${state}: ${oneLine(reason)}`;
  const isTyped = state === "submitted" || state === "working";
  return isTyped && status !== null ? `${status.state}  ${oneLine(status.summary)}` : state;
}
