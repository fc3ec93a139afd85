/** Begins scheduled prompts whose time has come. Which ones are scheduled is in their receipts, and nowhere else. */
import type { Receipt } from "../../core/acting/receipt.ts";

/** A prompt begins at most so long after its time, or after the end of the limit that it waits for. */
const POLL_MS = 1000;

interface ScheduledPromptsOptions {
  readonly list: () => readonly Receipt[];
  readonly mayBegin: (receipt: Receipt) => boolean;
  /** Never rejects. Of one session one after the other, in the order of their times. One that stays scheduled is looked at again. */
  readonly begin: (receipt: Receipt) => Promise<void>;
  readonly stop: AbortSignal;
}

export class ScheduledPrompts {
  readonly #options: ScheduledPromptsOptions;
  /** Sessions of which a prompt begins: no other session waits for it. */
  readonly #beginning = new Set<string>();
  #isWatching = false;

  constructor(options: ScheduledPromptsOptions) {
    this.#options = options;
  }

  /** Looks once a second while something is scheduled. */
  async watch(): Promise<void> {
    if (this.#isWatching) return;
    this.#isWatching = true;
    const { list, mayBegin, stop } = this.#options;
    while (list().length > 0) {
      await new Promise((resolve) => void setTimeout(resolve, POLL_MS).unref());
      if (stop.aborted) return;
      const due = list().filter((receipt) => !this.#beginning.has(receipt.session) && mayBegin(receipt));
      const ordered = due.toSorted((one, two) => (one.dueUs ?? 0) - (two.dueUs ?? 0));
      for (const [session, own] of Map.groupBy(ordered, (receipt) => receipt.session))
        void this.#beginAll(session, own);
    }
    this.#isWatching = false;
  }

  async #beginAll(session: string, receipts: readonly Receipt[]): Promise<void> {
    this.#beginning.add(session);
    for (const receipt of receipts) await this.#options.begin(receipt);
    this.#beginning.delete(session);
  }
}
