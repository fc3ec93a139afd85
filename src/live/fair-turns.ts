/**
 * Fair turns for the sessions of a thread: whoever has work gets some milliseconds of it, then the next one, so that no session waits
 * longer for another than one turn of each.
 */
export interface FairTurnsOptions<Member> {
  readonly turnMs: number;
  /** Works until `deadlineMs` of the clock `performance.now`, or a little longer. Returns whether there is more to do. */
  readonly work: (member: Member, deadlineMs: number) => boolean;
}

export class FairTurns<Member> {
  readonly #options: FairTurnsOptions<Member>;
  /** In the order of their turns. */
  readonly #waiting = new Set<Member>();
  #isPlanned = false;

  constructor(options: FairTurnsOptions<Member>) {
    this.#options = options;
  }

  /** The member has work. It is done at once if nobody waits. */
  add(member: Member): void {
    this.#waiting.add(member);
    if (!this.#isPlanned) this.#next();
  }

  /** The member has no work any more. */
  remove(member: Member): void {
    this.#waiting.delete(member);
  }

  /** One turn. Between two turns the event loop brings new messages. */
  #next(): void {
    this.#isPlanned = false;
    const [member] = this.#waiting;
    if (member === undefined) return;
    this.#waiting.delete(member);
    if (this.#options.work(member, performance.now() + this.#options.turnMs)) this.#waiting.add(member);
    if (this.#waiting.size === 0) return;
    this.#isPlanned = true;
    setImmediate(() => this.#next());
  }
}
