/** Notices for the terminals that are attached to sessions. They go to the client, as a message of its connection, and never into a pty. */
import type { OutgoingNotice } from "../../core/notify/notice.ts";

export interface TerminalNotice extends Pick<OutgoingNotice, "title" | "body"> {
  /** Id of the session that it is about; null for a machine or a test. */
  readonly session: string | null;
}

export class TerminalNotices {
  readonly #listeners = new Set<(notice: TerminalNotice) => void>();

  subscribe(listener: (notice: TerminalNotice) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** The number of terminals. */
  show({ body, session, title }: OutgoingNotice): number {
    for (const listener of this.#listeners) listener({ title, body, session: session?.id ?? null });
    return this.#listeners.size;
  }
}
