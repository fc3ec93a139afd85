/** Whether a program ended because somebody asked it to at its own terminal. */
import { InputReader } from "./input-reader.ts";

/** A longer line is not one that ends a program. */
const LINE_CHARS_MAX = 64;
/** Longer input is a paste or a file, whose end decides nothing. */
const INPUT_BYTES_MAX = 4096;
/** What shells and common REPLs take as the request to end. */
const LEAVING_LINE =
  /^(?:exit|logout|quit|bye|:q!?|\.exit|\\q|exit\(\)|quit\(\)|\/exit|\/quit|(?:exit|logout) \d{1,3})$/;
const END_OF_INPUT = "\u0004";
const INTERRUPTED_CODE = 130;

/**
 * Follows what is typed into a session and remembers only its last line: `exit` or Ctrl-D at the prompt of the session's own program,
 * or Ctrl-C. Anything else, also a line out of a history, is no sign.
 */
export class LastTyped {
  readonly #reader = new InputReader();
  /** Null if it is not known, because it came out of a history or was edited. */
  #line: string | null = "";
  #last: "leave" | "interrupt" | "other" = "other";

  /** `isRead`: the session's own program waits for input, so it gets these bytes. */
  feed(bytes: Uint8Array, { isRead }: { readonly isRead: boolean }): void {
    if (bytes.length > INPUT_BYTES_MAX) {
      this.#line = null;
      this.#last = "other";
      return;
    }
    for (const item of this.#reader.feed(bytes)) {
      if (item.type === "report" || item.type === "paste-start") continue;
      this.#last = "other";
      switch (item.type) {
        case "text":
        case "paste-end":
          // A paste is in `paste-end` as a whole.
          if (item.type === "paste-end" || !item.isPasted) this.#line = longer(this.#line, item.text);
          break;
        case "backspace":
          this.#line = this.#line?.slice(0, -1) ?? null;
          break;
        case "kill-line":
          this.#line = "";
          break;
        case "interrupt":
          this.#line = "";
          this.#last = "interrupt";
          break;
        case "enter":
          if (isRead && this.#line !== null && LEAVING_LINE.test(this.#line.trim())) this.#last = "leave";
          this.#line = "";
          break;
        default:
          if (item.raw === END_OF_INPUT && this.#line === "" && isRead) this.#last = "leave";
          else this.#line = null;
      }
    }
  }

  /** Whether the exit is the answer to what was typed last. */
  endedBy({ code, signal }: { readonly code: number | null; readonly signal: string | null }): boolean {
    if (this.#last === "leave") return true;
    return this.#last === "interrupt" && (code === INTERRUPTED_CODE || signal === "SIGINT");
  }
}

const longer = (line: string | null, text: string): string | null =>
  line === null || line.length + text.length > LINE_CHARS_MAX ? null : line + text;
