import { waits } from "../../core/waits.ts";
import { within } from "../../timers/within.ts";
import type { SessionEntry } from "./session-entry.ts";

/** Ends its programs. False if they have ended and the journal cannot be written: its end is recorded when there is space. */
export async function endPrograms(entry: SessionEntry, graceMs: number): Promise<boolean> {
  const { client, handle } = entry.requireSeat();
  const ended = client.call("kill", { handle, graceMs }).then(async () => await entry.untilEnd());
  // The programs have their time to end first.
  for (let waitMs = graceMs + waits.checkMs; (await within(waitMs, ended)) !== true; waitMs = waits.checkMs) {
    if (entry.degraded === null) continue;
    // It ends with the session, whenever that is.
    ended.catch(() => undefined);
    return false;
  }
  return true;
}
