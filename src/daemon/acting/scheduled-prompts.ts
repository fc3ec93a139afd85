/** Watches the clock and the status for prompts that are scheduled. What becomes of one is told once. */
import type { Receipt } from "../../core/acting/receipt.ts";
import { scheduleStep, type ScheduleStep } from "../../core/acting/schedule.ts";
import type { SessionStatus } from "../../core/status/status.ts";

/** The end of a limit of usage is looked for so often, while a prompt waits for it. */
const LIMIT_POLL_MS = 1000;
/** A clock that was set, or a machine that has slept, is noticed within this time. */
const CLOCK_POLL_MS = 60_000;

type Ended = Exclude<ScheduleStep, { readonly step: "wait" }>;

interface ScheduledPromptsOptions {
  /** Null where it is not known. */
  readonly statusOf: (session: string) => Pick<SessionStatus, "state" | "limit"> | null;
  /** It is not watched any more. Of one session one after the other, in the order of their times. */
  readonly onEnd: (receipt: Receipt, end: Ended) => Promise<void>;
}

export class ScheduledPrompts {
  readonly #options: ScheduledPromptsOptions;
  readonly #watched = new Set<Receipt>();
  /** The last one of each session whose end is told. */
  readonly #told = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ScheduledPromptsOptions) {
    this.#options = options;
  }

  add(receipt: Receipt): void {
    this.#watched.add(receipt);
    this.#wait();
  }

  remove({ session, key }: Pick<Receipt, "session" | "key">): void {
    for (const each of this.#watched) if (each.session === session && each.key === key) this.#watched.delete(each);
    this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#watched.size === 0) return;
    const nowMs = Date.now();
    let ms = CLOCK_POLL_MS;
    for (const { dueUs } of this.#watched)
      ms = Math.min(ms, dueUs === undefined ? LIMIT_POLL_MS : Math.max(0, Math.ceil(dueUs / 1000 - nowMs)));
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const nowUs = Date.now() * 1000;
    for (const receipt of [...this.#watched].toSorted((one, two) => (one.dueUs ?? 0) - (two.dueUs ?? 0))) {
      const now = scheduleStep(receipt, { nowUs, status: this.#options.statusOf(receipt.session) });
      if (now.step === "wait") continue;
      this.#watched.delete(receipt);
      this.#tell(receipt, now);
    }
    this.#wait();
  }

  #tell(receipt: Receipt, end: Ended): void {
    const { session } = receipt;
    const before = this.#told.get(session) ?? Promise.resolve();
    const told = before
      .then(async () => await this.#options.onEnd(receipt, end))
      .finally(() => {
        if (this.#told.get(session) === told) this.#told.delete(session);
      });
    this.#told.set(session, told);
  }
}
