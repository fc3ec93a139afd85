/** When a notice of a session went to a channel last: what keeps a flood of changes from being a flood of notices. */
/** After one that was withdrawn before it was sent: long enough that a flood of questions does not fill the outbox. */
const NOT_SENT_GAP_MS = 1000;

export class LastNotices {
  readonly #gapMs: number;
  /** By session, then by channel, in milliseconds since the Unix epoch. */
  readonly #times = new Map<string, Map<string, number>>();

  constructor(gapMs: number) {
    this.#gapMs = gapMs;
  }

  /** Null before the first. */
  of(session: string, channel: string): number | null {
    return this.#times.get(session)?.get(channel) ?? null;
  }

  made(session: string, channel: string, nowMs: number): void {
    const times = this.#times.get(session) ?? new Map<string, number>();
    this.#times.set(session, times.set(channel, nowMs));
  }

  /** The one that was made at this time was not sent, so the next one waits for a short gap only. One that was made later stays. */
  notSent(session: string, channel: string, madeMs: number): void {
    if (this.of(session, channel) === madeMs) this.made(session, channel, madeMs - this.#gapMs + NOT_SENT_GAP_MS);
  }

  /** The session is gone, or its next notice need not wait. */
  forget(session: string): void {
    this.#times.delete(session);
  }
}
