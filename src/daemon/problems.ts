/** What is wrong with the daemon's own files now: listed by `daemon.info` and `lectern doctor`, and logged once when it begins. */

export class DaemonProblems {
  readonly #current = new Map<string, string>();
  readonly #log: (line: string) => void;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  get all(): string[] {
    return [...this.#current.values()];
  }

  /** `part` is what is affected; null says that it works again. */
  set(part: string, problem: string | null): void {
    const before = this.#current.get(part);
    if (problem === null) {
      if (this.#current.delete(part)) this.#log(`${part}: works again`);
      return;
    }
    this.#current.set(part, problem);
    if (before === undefined) this.#log(problem);
  }

  /** Something that was mended at the start: one line of the log. */
  note(line: string): void {
    this.#log(line);
  }
}
