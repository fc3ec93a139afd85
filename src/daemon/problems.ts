/** Current problems with the daemon's own files: listed by `daemon.info` and `lectern doctor`, and logged once when they begin. */

export class DaemonProblems {
  readonly #current = new Map<string, string>();
  readonly #log: (line: string) => void;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  get all(): string[] {
    return [...this.#current.values()];
  }

  /** `part` is what is affected; null if it works again. */
  set(part: string, problem: string | null): void {
    const before = this.#current.get(part);
    if (problem === null) {
      if (this.#current.delete(part)) this.#log(`${part}: works again`);
      return;
    }
    this.#current.set(part, problem);
    if (before === undefined) this.#log(problem);
  }

  /** Logs something that was repaired at the start. */
  note(line: string): void {
    this.#log(line);
  }
}
