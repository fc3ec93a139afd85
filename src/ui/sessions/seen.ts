/** Reports to the daemon that a person has a session in front, so that no notice of it goes to their phone. */
import { connection, daemon } from "../api.ts";
import { findListed } from "./attention.ts";
import { isLive } from "./session-actions.ts";
import { sessionList } from "./session-list.ts";

/** Less than a person is taken to be there after the last report, `PRESENT_MS`. */
const REPORT_MS = 20_000;

/** Reports until the returned function is called. `reference`: id or name, as in the address of the page. */
export function reportSeen(reference: string): () => void {
  const report = (): void => {
    if (document.visibilityState !== "visible" || !document.hasFocus() || connection.get() !== "online") return;
    const { views } = sessionList.get();
    const found = findListed(views, reference)?.session;
    // A notice too many is no harm.
    if (found !== undefined && isLive(found))
      daemon()
        .call("sessions.seen", { session: found.id })
        .catch(() => undefined);
  };
  report();
  const timer = setInterval(report, REPORT_MS);
  addEventListener("focus", report);
  return () => {
    clearInterval(timer);
    removeEventListener("focus", report);
  };
}
