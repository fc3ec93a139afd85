/**
 * Types a line and enters it.
 *
 * Law: Enter is written only after the screen has shown the whole text, and nothing else, where it was typed. Otherwise the line is cleared.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LineScreen } from "../core/acting/line-screen.ts";
import { carryOut } from "../core/acting/plan.ts";
import { LecternError } from "../core/errors.ts";
import { escapeForDisplay } from "../core/text/escape.ts";
import { waits } from "../core/waits.ts";
import type { TypedCommand } from "./command-file.ts";
import { Movement } from "./movement.ts";
import type { TypedTerminal } from "./terminal-state.ts";
import { probedNow } from "./terminal-source.ts";
import { notTyped } from "./run-command.ts";

/** Late output may come into the line while it is typed. */
const ATTEMPTS_MAX = 3;
/** Between two looks at a program that is about to read. */
const BUSY_MS = 1;
const SHOWN_CHARS_MAX = 200;
/** What is drawn between Enter and the end of the line. */
const ECHO_BYTES_MAX = 64 * 1024;
const NOTHING = new Uint8Array(0);
const encoder = new TextEncoder();

export class EnteredLine implements Disposable {
  readonly #command: TypedCommand;
  readonly #terminal: TypedTerminal;
  #echo: LineScreen | undefined;
  /** What came since Enter, until the line is left. */
  #entered: Uint8Array[] | undefined;
  #enteredBytes = 0;
  #hasMoved = false;
  #hasEnded = false;
  readonly #movement = new Movement();

  constructor(command: TypedCommand, terminal: TypedTerminal) {
    this.#command = command;
    this.#terminal = terminal;
  }

  /** Resolves once the line is entered. Throws `CONFLICT` where it was not, `CANCELLED`, and what `write` throws. */
  async run(write: (bytes: Uint8Array) => Promise<void>, signal?: AbortSignal): Promise<void> {
    signal?.addEventListener("abort", this.#movement.come, { once: true });
    const { plan } = this.#command;
    const { line } = plan;
    try {
      for (let attempt = 1; ; attempt++) {
        this.#echo?.[Symbol.dispose]();
        const { tail: output, openLine: prompt } = this.#terminal.state;
        const echo = (this.#echo = new LineScreen(line, { ...this.#terminal.source.size, output, prompt }));
        const end = await carryOut(plan, {
          isShown: async () => await this.#isWhole(echo, signal),
          type: async ({ bytes, proof }) => {
            if (proof === "shown") this.#entered = [];
            if (proof === "shown") await write(bytes).catch(withLeft);
            else if (bytes.length > 0) await write(bytes);
            return {};
          },
        });
        if ("written" in end) return;
        const { shown } = echo;
        const isInterrupted = echo.isInterrupted(line);
        const isCleared = await this.#clear(echo, write);
        const left = isCleared ? "nothing was run" : "it was not entered, and what was typed is left in the line";
        if (signal?.aborted === true && isCleared) throw notTyped(signal.reason);
        if (!isCleared || attempt === ATTEMPTS_MAX || !isInterrupted)
          throw new LecternError("CONFLICT", `Cannot run the command: ${this.#reason(shown)}; ${left}`);
      }
    } finally {
      signal?.removeEventListener("abort", this.#movement.come);
      this.#movement.stop();
      if (this.#entered === undefined) this[Symbol.dispose]();
    }
  }

  /** Output came. Returns what of it, and of what was returned nothing of before, is output of the command: what follows the entered line. */
  feed(bytes: Uint8Array): Uint8Array {
    if (this.#echo === undefined) return bytes;
    if (this.#entered !== undefined) return this.#outputOf(this.#echo, bytes);
    this.#echo.feed(bytes);
    this.#hasMoved = true;
    this.#movement.come();
    return NOTHING;
  }

  /** What was held back, where the line was never left: a program may have drawn something else there. */
  rest(): Uint8Array {
    const held = Buffer.concat(this.#entered ?? []);
    this[Symbol.dispose]();
    return held;
  }

  [Symbol.dispose](): void {
    this.#echo?.[Symbol.dispose]();
    this.#echo = undefined;
    this.#entered = undefined;
  }

  #outputOf(echo: LineScreen, bytes: Uint8Array): Uint8Array {
    this.#entered?.push(bytes.slice());
    this.#enteredBytes += bytes.length;
    const end = echo.endIn(bytes);
    if (end === -1) return this.#enteredBytes > ECHO_BYTES_MAX ? this.rest() : NOTHING;
    this[Symbol.dispose]();
    return bytes.subarray(end);
  }

  end(): void {
    this.#hasEnded = true;
    this.#movement.come();
  }

  #reason(shown: string): string {
    const { plan, program } = this.#command;
    const { line } = plan;
    if (this.#hasEnded) return `${program} has ended`;
    const typed = `"${shortened(line)}" was typed`;
    if (shown === "" && line !== "")
      return `${program} does not show what is typed, so it is not known what it would run`;
    return `${typed} and ${program} shows "${shortened(shown)}": a macro of its line editor (see ~/.inputrc), or somebody else, has changed the line; remove the macro, or type the command with "send"`;
  }

  /** The proof before Enter: the program has drawn the line, and reads. */
  async #isWhole(echo: LineScreen, signal: AbortSignal | undefined): Promise<boolean> {
    do await this.#until(() => echo.isWhole, signal);
    while (echo.isWhole && (await this.#isDrawing()));
    return echo.isWhole && signal?.aborted !== true;
  }

  async #clear(echo: LineScreen, write: (bytes: Uint8Array) => Promise<void>): Promise<boolean> {
    for (const keys of this.#command.clear) {
      if (this.#hasEnded || echo.isEmpty) break;
      await write(encoder.encode(keys)).catch(withLeft);
      await this.#until(() => echo.isEmpty, undefined);
    }
    return echo.isEmpty;
  }

  /**
   * Waits until the program reads again: between two keys irb gives the terminal back to the kernel, which would echo Enter into the line.
   * Resolves with true if it has drawn something meanwhile.
   */
  async #isDrawing(): Promise<boolean> {
    this.#hasMoved = false;
    const endMs = performance.now() + waits.partMs;
    while ((await probedNow(this.#terminal.source))?.verdict === "busy" && !this.#hasEnded && performance.now() < endMs)
      await sleep(BUSY_MS);
    return this.#hasMoved;
  }

  /** Until it is so, or nothing moves any more. */
  async #until(isSo: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    this.#hasMoved = false;
    let endMs = performance.now() + waits.answerMs;
    const isOver = (): boolean => isSo() || this.#hasEnded || signal?.aborted === true;
    while (!isOver()) {
      if (this.#hasMoved) endMs = performance.now() + waits.partMs;
      this.#hasMoved = false;
      const restMs = endMs - performance.now();
      if (restMs <= 0) return;
      await this.#movement.next(restMs);
    }
  }
}

/** The text was typed, and its target has gone or stopped. */
function withLeft(error: unknown): never {
  if (!(error instanceof LecternError)) throw error;
  const { code, details, message } = error;
  const left = "the command was typed and not entered, and what was not read of it is left in the line";
  throw new LecternError(code, `${message}; ${left}`, { details, cause: error });
}

const shortened = (text: string): string => {
  const shown = escapeForDisplay(text);
  return shown.length > SHOWN_CHARS_MAX ? `${shown.slice(0, SHOWN_CHARS_MAX)}...` : shown;
};
