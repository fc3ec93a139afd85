/** The viewer's terminal in raw mode, restored after return, error, signal and crash. */
import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { ViewerFilter } from "../../core/text/viewer-filter.ts";
import type { ViewerMode } from "../../core/text/viewer-policy.ts";
import { ChangedModes } from "../../core/vt/changed-modes.ts";
import type { CliContext } from "../context.ts";

/** Written synchronously, because the process may end before a stream is flushed. */
const STDOUT = 1;

export class RawTerminal implements Disposable {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #isRaw: boolean;
  readonly #modes = new ChangedModes();
  readonly #filter: ViewerFilter;
  #restored = false;

  /** Raw only if standard input is a terminal; output is filtered only if it goes to one. */
  constructor({ stdin, stdout }: Pick<CliContext, "stdin" | "stdout">, mode: ViewerMode) {
    this.#filter = new ViewerFilter({ mode });
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#isRaw = stdin.isTTY;
    if (this.#isRaw) enterRawMode(stdin);
    // Also after an uncaught exception; only SIGKILL cannot be handled.
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

  /** Filters output for this terminal. A pipe gets the bytes unchanged. */
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
      // The terminal was closed (hang-up), so there is nothing to restore.
    }
  };

  [Symbol.dispose](): void {
    this.restore();
  }
}

/**
 * Node's raw mode leaves output processing on (libuv sets ONLCR), so a line feed would also move the cursor to column 0, although a
 * full-screen program only wants the next row. Without stty(1), output stays like that.
 */
function enterRawMode(stdin: NodeJS.ReadStream): void {
  stdin.setRawMode(true);
  spawnSync("stty", ["-opost"], { stdio: ["inherit", "ignore", "ignore"] });
}
