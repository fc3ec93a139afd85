import { joinBytes } from "../bytes/joining.ts";
import { OscReader } from "../text/osc-reader.ts";
import { readShellMark, type ActAnswer, type ShellMark } from "../shell-marks/shell-mark.ts";

/**
 * What a shell does, in order.
 * - `command-start`: it runs a command; what follows is output
 * - `output`: of the running command, without the marks
 * - `command-end`: the output is over; `exitCode` is null if the shell does not report it
 * - `prompt`: it reads a command now
 * - `continuation`: it asks for more of a command that is not complete
 * - `act`: its answer, at `index` of the chunk, to the key that hands it command `id`. Where it was taken, `prompt` may be a prompt drawn again
 */
export type ShellStep =
  | { readonly type: "command-start" }
  | { readonly type: "output"; readonly bytes: Uint8Array }
  | { readonly type: "command-end"; readonly exitCode: number | null }
  | { readonly type: "prompt" }
  | { readonly type: "continuation" }
  | ({ readonly type: "act"; readonly id: string; readonly index: number } & ActAnswer);

export interface CommandTrackerOptions {
  /** Only marks with it count; with null the marks of any shell integration count, and so do forged ones. */
  readonly nonce?: string | null;
}

/** The longest mark: a longer sequence is output. */
const MARK_BYTES_MAX = 8192;
/** readline turns bracketed paste on right before it draws a prompt with its mark: the sequence is not output. */
const PASTE_ON = new TextEncoder().encode("\u001b[?2004h");
const EMPTY = new Uint8Array(0);

/**
 * Cuts the output of commands out of what a shell with integration writes. Any chunking gives the same steps, except for the pieces in
 * which `output` comes.
 *
 * An end without a start (an empty line, a comment, the second mark of a prompt) is ignored; a start within a command is that of the next
 * command of the same input, or of a shell inside of the shell, and ends nothing. The sequence with which readline turns bracketed paste
 * on between the output and a prompt is not output.
 */
export class CommandTracker {
  readonly #reader = new OscReader({ sequenceBytesMax: MARK_BYTES_MAX });
  readonly #nonce: string | null;
  /** The end of the last chunk that may become a mark, or the sequence before one: without it half a mark would be output. */
  #held: Uint8Array = EMPTY;
  #isRunning = false;
  #isLive = false;

  constructor(options: CommandTrackerOptions = {}) {
    this.#nonce = options.nonce ?? null;
  }

  /** A command has started and not ended. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** A mark was seen. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** `offset` is that of the first byte of `chunk`. The bytes of the result may be views of `chunk`. */
  feed(chunk: Uint8Array, offset: number): ShellStep[] {
    const sequences = this.#reader.feed(chunk, offset);
    const bytes = joinBytes(this.#held, chunk);
    const start = offset - this.#held.length;
    const steps: ShellStep[] = [];
    let from = 0;
    for (const sequence of sequences) {
      const mark = readShellMark(sequence, this.#nonce);
      if (mark === undefined || (!mark.isTrusted && (this.#nonce !== null || mark.type === "act"))) continue;
      this.#isLive = true;
      if (this.#isRunning) {
        const before = bytes.subarray(from, sequence.offset - start);
        this.#release(mark.type === "output-end" ? before.subarray(0, withoutPasteOn(before)) : before, steps);
      }
      from = sequence.end - start;
      this.#take(mark, { steps, index: Math.max(0, sequence.offset - offset) });
    }
    const { openStart } = this.#reader;
    const open = openStart === null ? bytes.length : openStart - start;
    const end = from + withoutPasteOn(bytes.subarray(from, open));
    this.#release(bytes.subarray(from, end), steps);
    this.#held = end === bytes.length ? EMPTY : new Uint8Array(bytes.subarray(end));
    return steps;
  }

  /** Bytes are missing here: what was running may have ended. */
  gap(): void {
    this.#reader.gap();
    this.#held = EMPTY;
    this.#isRunning = false;
  }

  /** What was held back. */
  end(): ShellStep[] {
    const steps: ShellStep[] = [];
    this.#release(this.#held, steps);
    this.#held = EMPTY;
    return steps;
  }

  #release(bytes: Uint8Array, steps: ShellStep[]): void {
    if (this.#isRunning && bytes.length > 0) steps.push({ type: "output", bytes });
  }

  #take(mark: ShellMark, { steps, index }: { readonly steps: ShellStep[]; readonly index: number }): void {
    switch (mark.type) {
      case "output-start":
        this.#isRunning = true;
        steps.push({ type: "command-start" });
        break;
      case "output-end":
        if (!this.#isRunning) break;
        this.#isRunning = false;
        steps.push({ type: "command-end", exitCode: mark.exitCode });
        break;
      case "prompt-end":
        // A prompt while a command runs is that of a shell inside, whose own marks have begun late; without a nonce the command may have printed it.
        if (this.#isRunning && this.#nonce === null) break;
        this.#isRunning = false;
        steps.push({ type: "prompt" });
        break;
      case "continuation":
        steps.push({ type: "continuation" });
        break;
      case "act": {
        const { code: _code, isTrusted: _isTrusted, ...step } = mark;
        steps.push({ ...step, index });
        break;
      }
      case "prompt-start":
      case "command-line":
    }
  }
}

/** The length without the sequence that turns bracketed paste on at the end. */
function withoutPasteOn(bytes: Uint8Array): number {
  const start = bytes.length - PASTE_ON.length;
  return start >= 0 && PASTE_ON.every((byte, index) => bytes[start + index] === byte) ? start : bytes.length;
}
