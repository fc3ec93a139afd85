/** The line that is being typed at a shell, out of the bytes of the keys. */

/** Longer lines are not kept: what is typed then is unknown. */
const lineCharsMax = 4096;
const pasteStart = "\u001B[200~";
const pasteEnd = "\u001B[201~";
/** Sequences that a terminal sends by itself: reports, focus, mouse. They change no line. */
const reports = /^\u001B(?:\[[?>=]?[\d;]*(?:\$?[cnRtuyIO]|[<\d;]*[Mm])|\[<[\d;]+[Mm]|[\]P_][^]*)$/;
const escapes = /\u001B(?:\[[0-?]*[ -/]*[@-~]|O[^]|[\]P_][^\u0007\u001B]*(?:\u0007|\u001B\\)|[^]?)/y;

export interface TypedLineState {
  readonly text: string;
  readonly isKnown: boolean;
}

/** A line that was ended with Enter. `text` is null where it cannot be told from the keys: history, cursor keys, completion. */
export interface SubmittedLine {
  readonly text: string | null;
}

/**
 * @example
 * ```ts
 * new TypedLine().feed(new TextEncoder().encode("lz\u007Fs\r")); // [{ text: "ls" }]
 * ```
 */
export class TypedLine {
  #text: string;
  #isKnown: boolean;

  constructor(state: TypedLineState = { text: "", isKnown: true }) {
    this.#text = state.text;
    this.#isKnown = state.isKnown;
  }

  /** True where nothing of a line has been typed yet. */
  get isEmpty(): boolean {
    return this.#text === "" && this.#isKnown;
  }

  get text(): string | null {
    return this.#isKnown ? this.#text : null;
  }

  feed(bytes: Uint8Array): SubmittedLine[] {
    const text = new TextDecoder().decode(bytes).replaceAll(pasteStart, "").replaceAll(pasteEnd, "");
    const lines: SubmittedLine[] = [];
    for (let index = 0; index < text.length;) {
      const character = text[index] ?? "";
      if (character === "\u001B") {
        escapes.lastIndex = index;
        const sequence = escapes.exec(text)?.[0] ?? character;
        if (!reports.test(sequence)) this.#isKnown = false;
        index += sequence.length;
        continue;
      }
      if (character === "\r" || character === "\n") {
        lines.push({ text: this.text });
        this.#clear();
      } else this.#key(character);
      index += 1;
    }
    return lines;
  }

  save(): TypedLineState {
    return { text: this.#text, isKnown: this.#isKnown };
  }

  #key(character: string): void {
    if (character >= " " && character !== "\u007F") {
      this.#text += character;
      if (this.#text.length > lineCharsMax) {
        this.#text = "";
        this.#isKnown = false;
      }
      return;
    }
    switch (character) {
      case "\u007F":
      case "\b":
        this.#text = [...this.#text].slice(0, -1).join("");
        break;
      case "\u0003":
      case "\u0015":
        this.#clear();
        break;
      case "\u0017":
        this.#text = this.#text.replace(/\S*\s*$/, "");
        break;
      default:
        // Completion, history, search: the shell writes what we do not see here.
        this.#isKnown = false;
    }
  }

  #clear(): void {
    this.#text = "";
    this.#isKnown = true;
  }
}
