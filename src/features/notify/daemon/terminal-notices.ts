/** Notices for the terminals that are attached to sessions. They go to the client, as a message of its connection, and never into a pty. */
import type { NoticeSource, TerminalNotice } from "../../../daemon/service.ts";
import type { OutgoingNotice } from "../core/notice.ts";

export class TerminalNotices implements NoticeSource {
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
