/** The viewer's terminal in raw mode, put back on every way out: return, error, signal, crash. */
import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { ViewerFilter } from "../../core/text/viewer-filter.ts";
import type { ViewerMode } from "../../core/text/viewer-policy.ts";
import { ChangedModes } from "../../core/vt/changed-modes.ts";
import type { CliContext } from "../context.ts";

/** Written at once: the process may end before a stream gets to it. */
const STDOUT = 1;

export class RawTerminal implements Disposable {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #isRaw: boolean;
  readonly #modes = new ChangedModes();
  readonly #filter: ViewerFilter;
  #restored = false;

  /** Raw only where standard input is a terminal; output is followed where it goes to one. */
  constructor({ stdin, stdout }: Pick<CliContext, "stdin" | "stdout">, mode: ViewerMode) {
    this.#filter = new ViewerFilter({ mode });
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#isRaw = stdin.isTTY;
    if (this.#isRaw) enterRawMode(stdin);
    // Also after an exception that nobody caught. Only SIGKILL cannot be answered.
    process.once("exit", this.restore);
  }

  get isRaw(): boolean {
    return this.#isRaw;
  }

  get inAlternateScreen(): boolean {
    return this.#modes.isAlternateScreen;
  }

  /** Output is missing here. */
  gap(): void {
    this.#filter.gap();
  }

  /** Output as this terminal may have it. A pipe gets the bytes as they are: what reads them is no terminal. */
  admit(bytes: Uint8Array): Uint8Array {
    if (!this.#stdout.isTTY) return bytes;
    const safe = this.#filter.feed(bytes);
    this.#modes.feed(safe);
    return safe;
  }

  readonly restore = (): void => {
    if (this.#restored) return;
    this.#restored = true;
    process.off("exit", this.restore);
    try {
      if (this.#stdout.isTTY) writeSync(STDOUT, this.#modes.restore());
      if (this.#isRaw) this.#stdin.setRawMode(false);
    } catch {
      // The terminal has gone (hang-up): there is nothing to put back.
    }
  };

  [Symbol.dispose](): void {
    this.restore();
  }
}

/**
 * Node's raw mode leaves the translation of line feeds on (libuv sets ONLCR), which would move the cursor to column 0 where a
 * full-screen program only wants the next row. Where there is no stty(1), that is what happens.
 */
function enterRawMode(stdin: NodeJS.ReadStream): void {
  stdin.setRawMode(true);
  spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
}
