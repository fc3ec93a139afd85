/**
 * Answers what a program asks its terminal, such as where the cursor is: irb and others wait for it before they draw a prompt. There is no
 * screen until something is asked; then one is made of the last output.
 */
import { ByteRing } from "../core/bytes/byte-ring.ts";
import { Screen } from "../core/screen/screen.ts";
import { Tokenizer, finalsBut } from "../core/vt/tokenizer.ts";

/** More than any screen of text; a cursor position from less may be wrong by some rows. */
const LOOK_BACK_BYTES = 16 * 1024;
/** Of control sequences that may be questions; the rules of `Screen` decide. */
const FINALS = "cnp";
const NOTHING = new Uint8Array(0);

export class TerminalAnswers {
  readonly #size: { readonly columns: number; readonly rows: number };
  readonly #tokens = new Tokenizer({ plain: { finals: finalsBut(FINALS), parameters: "any" } });
  readonly #before = new ByteRing({ bytesMax: LOOK_BACK_BYTES });

  constructor(size: { readonly columns: number; readonly rows: number }) {
    this.#size = size;
  }

  /** Output of the program. Returns what is to be typed for the questions in it; empty without any. */
  feed(output: Uint8Array): Uint8Array {
    const replies = this.#asks(output) ? this.#repliesTo(output) : NOTHING;
    this.#before.append(output);
    return replies;
  }

  #asks(output: Uint8Array): boolean {
    this.#tokens.feed(output, 0);
    let isAsked = false;
    for (let type = this.#tokens.next(); type !== null; type = this.#tokens.next())
      isAsked ||= type === "csi" || type === "dcs" || (type === "osc" && this.#tokens.body.endsWith("?"));
    return isAsked;
  }

  #repliesTo(output: Uint8Array): Uint8Array {
    const screen = new Screen(this.#size);
    try {
      // What was asked before has its answer.
      screen.feed(this.#before.tail(LOOK_BACK_BYTES));
      return screen.feed(output);
    } finally {
      screen.dispose();
    }
  }
}
