/** Finds texts in a text that comes in pieces. */
import { LecternError } from "../errors.ts";

export class TextMarks {
  readonly #marks: readonly string[];
  /** Characters of a mark that may have begun before the next piece. */
  readonly #tailChars: number;
  #tail = "";

  constructor(marks: readonly string[]) {
    this.#marks = marks.filter((mark) => mark !== "");
    this.#tailChars = Math.max(0, ...this.#marks.map(({ length }) => length - 1));
  }

  /**
   * Takes the next piece, and returns a mark that is whole with it; undefined if there is none.
   *
   * @example
   * ```ts
   * const marks = new TextMarks(["</invoke>"]);
   * marks.find("</inv"); // undefined
   * marks.find("oke>"); // "</invoke>"
   * ```
   */
  find(piece: string): string | undefined {
    if (this.#marks.length === 0) return undefined;
    const text = this.#tail + piece;
    this.#tail = this.#tailChars === 0 ? "" : text.slice(-this.#tailChars);
    return this.#marks.find((mark) => text.includes(mark));
  }

  /** Throws `MALFORMED` if a mark is whole with the next piece: the agent would take the text for a tool call. */
  refuse(piece: string): void {
    const mark = this.find(piece);
    if (mark === undefined) return;
    const message = `The text of the answer has "${mark}": this agent takes such a text for a tool call, and nobody would decide about it`;
    throw new LecternError("MALFORMED", message);
  }
}
