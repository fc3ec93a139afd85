import { joinBytes } from "../text/bytes.ts";
import { OscReader } from "../text/osc-reader.ts";
import { readShellMark, SHELL_MARK_STARTS, type ShellMark } from "../shell-marks/shell-mark.ts";

/**
 * What a shell does, in order.
 * - `command-start`: it runs a command; what follows is output
 * - `output`: of the running command, without the marks
 * - `command-end`: the output is over; `exitCode` is null where the shell does not say
 * - `prompt`: it reads a command now
 * - `continuation`: it asks for more of a command that is not complete
 */
export type ShellStep =
  | { readonly type: "command-start" }
  | { readonly type: "output"; readonly bytes: Uint8Array }
  | { readonly type: "command-end"; readonly exitCode: number | null }
  | { readonly type: "prompt" }
  | { readonly type: "continuation" };

export interface CommandTrackerOptions {
  /** Only marks with it count; null takes the marks of any shell integration, and with them what programs forge. */
  readonly nonce?: string | null;
}

const ESCAPE = 0x1b;
/** As long as a mark can be: what is open for longer is none, and is output. */
const MARK_BYTES_MAX = 8192;
/** How a mark begins. */
const openers = SHELL_MARK_STARTS.map((text) => new TextEncoder().encode(text));
/** readline turns bracketed paste on right before it draws a prompt, and with it the mark that stands in the prompt: it is not output. */
const PASTE_ON = new TextEncoder().encode("\u001b[?2004h");
const EMPTY = new Uint8Array(0);

/**
 * Cuts the output of commands out of what a shell with integration writes. Any chunking gives the same steps, but that `output` may come in other pieces.
 *
 * An end without a start (an empty line, a comment, the second mark of a prompt) says nothing and is ignored; a start within a command is that of the next command of the
 * same input, or of a shell inside of the shell, and begins anew without ending anything. The bracketed paste that readline turns on between the output and a prompt is not output.
 *
 * @example
 * ```ts
 * const tracker = new CommandTracker();
 * tracker.feed(new TextEncoder().encode("\u001b]133;C\u0007hi\n\u001b]133;D;0\u0007$ \u001b]133;B\u0007"), 0);
 * // command-start, output "hi\n", command-end 0, prompt
 * ```
 */
export class CommandTracker {
  readonly #reader = new OscReader({ sequenceBytesMax: MARK_BYTES_MAX });
  readonly #nonce: string | null;
  /** The end of the last chunk that may be the beginning of a mark: without it half a mark would be output. */
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

  /** A mark was seen: the shell speaks. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** `offset` is that of the first byte of `chunk`. The bytes of the result may be views of `chunk`. */
  feed(chunk: Uint8Array, offset: number): ShellStep[] {
    const sequences = this.#reader.feed(chunk, offset);
    if (sequences.length === 0 && this.#held.length === 0 && !chunk.includes(ESCAPE)) {
      return this.#isRunning && chunk.length > 0 ? [{ type: "output", bytes: chunk }] : [];
    }
    const bytes = joinBytes(this.#held, chunk);
    const start = offset - this.#held.length;
    const steps: ShellStep[] = [];
    let from = 0;
    for (const sequence of sequences) {
      const mark = readShellMark(sequence, this.#nonce);
      if (mark === undefined || (this.#nonce !== null && !mark.isTrusted)) continue;
      this.#isLive = true;
      if (this.#isRunning) {
        const before = bytes.subarray(from, sequence.offset - start);
        this.#release(mark.type === "output-end" ? before.subarray(0, withoutPasteOn(before)) : before, steps);
      }
      from = sequence.end - start;
      this.#take(mark, steps);
    }
    if (from === bytes.length) {
      this.#held = EMPTY;
      return steps;
    }
    const rest = bytes.subarray(from);
    const end = heldStart(rest);
    this.#release(rest.subarray(0, end), steps);
    this.#held = end === rest.length ? EMPTY : new Uint8Array(rest.subarray(end));
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

  #take(mark: ShellMark, steps: ShellStep[]): void {
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
      case "prompt-start":
      case "command-line":
    }
  }
}

/** Where something begins that is not complete and may not be output; the length where there is nothing. */
function heldStart(bytes: Uint8Array): number {
  const mark = openMarkStart(bytes);
  if (mark < bytes.length) return withoutPasteOn(bytes.subarray(0, mark));
  const last = bytes.lastIndexOf(ESCAPE);
  return last !== -1 && bytes.length - last <= PASTE_ON.length && begins(bytes.subarray(last), PASTE_ON) ? last : mark;
}

/** The length without the sequence that turns bracketed paste on at the end. */
function withoutPasteOn(bytes: Uint8Array): number {
  const start = bytes.length - PASTE_ON.length;
  return start >= 0 && begins(bytes.subarray(start), PASTE_ON) ? start : bytes.length;
}

/** Where a mark begins that is not complete; the length where there is none. */
function openMarkStart(bytes: Uint8Array): number {
  const last = bytes.lastIndexOf(ESCAPE);
  if (last === -1) return bytes.length;
  // The last byte may be the first half of a terminator (ESC \) of a mark that began before.
  if (last === bytes.length - 1 && last > 0) {
    const before = bytes.lastIndexOf(ESCAPE, last - 1);
    if (before !== -1 && isOpenMark(bytes.subarray(before, last))) return before;
  }
  return isOpenMark(bytes.subarray(last)) ? last : bytes.length;
}

/** True where more bytes may make a mark of it. */
function isOpenMark(bytes: Uint8Array): boolean {
  if (bytes.length > MARK_BYTES_MAX) return false;
  const opener = openers.find((candidate) => begins(bytes, candidate));
  return (
    opener !== undefined &&
    !bytes.subarray(opener.length).some((byte) => byte === 0x07 || byte === 0x18 || byte === 0x1a)
  );
}

function begins(bytes: Uint8Array, opener: Uint8Array): boolean {
  const length = Math.min(bytes.length, opener.length);
  for (let index = 0; index < length; index++) if (bytes[index] !== opener[index]) return false;
  return true;
}
