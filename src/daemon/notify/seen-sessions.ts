/** Who is there: a page that shows a session in front, or a keyboard that typed into it. */
import type { SessionEntry } from "../sessions/session-entry.ts";

export class SeenSessions {
  /** By session: when a page had it in front last. */
  readonly #inFront = new Map<string, number>();

  /** A page shows the session to a person now. */
  see(session: string, nowMs: number): void {
    this.#inFront.set(session, nowMs);
  }

  /** When a person was last there, milliseconds since the Unix epoch; null if nobody was since the daemon started. */
  seenMs({ id, lease }: SessionEntry): number | null {
    return Math.max(this.#inFront.get(id) ?? 0, lease.typedMs) || null;
  }

  forget(session: string): void {
    this.#inFront.delete(session);
  }
}
