/** Terminals that start before their commands are known: as a rule the shell is at its prompt when the call has been decided. */
import { openTerminal, type Terminal, type TerminalOptions } from "lectern";

interface ReadyTerminal {
  readonly terminal: Terminal;
  readonly startedMs: number;
  readonly readyMs: number;
}

/** Each call has a terminal of its own, so nothing of one call is left in the next. */
export class WarmTerminals implements AsyncDisposable {
  readonly #options: TerminalOptions;
  /** Started and not taken yet: at most one for each call of a turn. */
  readonly #starts: Promise<ReadyTerminal>[] = [];

  constructor(options: TerminalOptions) {
    this.#options = options;
  }

  /** Starts terminals until `count` are waiting. */
  warm(count: number): void {
    while (this.#starts.length < count) this.#starts.push(this.#start());
  }

  /** The caller closes the terminal. `savedMs`: how much longer it takes to start one only now. */
  async take(): Promise<{ readonly terminal: Terminal; readonly savedMs: number }> {
    const neededMs = performance.now();
    const { readyMs, startedMs, terminal } = await (this.#starts.shift() ?? this.#start());
    return { terminal, savedMs: Math.max(0, Math.min(readyMs, neededMs) - startedMs) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const starts = await Promise.allSettled(this.#starts.splice(0));
    for (const start of starts) if (start.status === "fulfilled") await start.value.terminal.close();
  }

  #start(): Promise<ReadyTerminal> {
    const startedMs = performance.now();
    const ready = openTerminal(["bash", "--norc", "--noprofile"], this.#options).then(async (terminal) => {
      await terminal.readUntilReady();
      return { terminal, startedMs, readyMs: performance.now() };
    });
    // The call that takes it gets the error.
    ready.catch(() => undefined);
    return ready;
  }
}
