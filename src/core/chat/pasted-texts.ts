/** What was pasted, for agents that show `[Pasted text #1 +11 lines]` in its place and never the text. */

export interface PastedTextsState {
  readonly texts: readonly string[];
  readonly open: string | null;
}

const textsMax = 4;
const textCharsMax = 65_536;
const placeholder = /\[([^\]\n]*?)(?:\.{3}|…)?\s*[Pp]asted?\b[^\]\n]*?(\d+) lines?[^\]\n]*\]/g;
const decoder = new TextDecoder();

/** Remembers the last pastes. */
export class PastedTexts {
  #texts: string[];
  /** A paste whose end has not come, with its start sequence. */
  #open: string | null;

  constructor(state: PastedTextsState = { texts: [], open: null }) {
    this.#texts = [...state.texts];
    this.#open = state.open;
  }

  /** Bytes that were typed: pastes stand between `CSI 200 ~` and `CSI 201 ~` (bracketed paste mode). */
  input(bytes: Uint8Array): void {
    const input = (this.#open ?? "") + decoder.decode(bytes);
    const pattern = /\u001B\[200~([\s\S]*?)\u001B\[201~/g;
    let end = 0;
    for (const match of input.matchAll(pattern)) {
      this.#texts.push((match[1] ?? "").replaceAll(/\r\n?/g, "\n").slice(0, textCharsMax));
      end = match.index + match[0].length;
    }
    if (this.#texts.length > textsMax) this.#texts.splice(0, this.#texts.length - textsMax);
    const start = input.indexOf("\u001B[200~", end);
    this.#open = start === -1 || input.length - start > textCharsMax ? null : input.slice(start);
  }

  /** `text` with what was pasted in the places that stand for it. */
  expand(text: string): string {
    if (this.#texts.length === 0 || !/paste/i.test(text)) return text;
    return text.replaceAll(placeholder, (whole: string, beginning: string, lines: string) => {
      const fits = (paste: string): boolean =>
        Math.abs(paste.split("\n").length - Number(lines)) <= 1 && squash(paste).startsWith(squash(beginning));
      return this.#texts.findLast(fits) ?? whole;
    });
  }

  save(): PastedTextsState {
    return { texts: [...this.#texts], open: this.#open };
  }
}

const squash = (text: string): string => text.replaceAll(/\s+/g, "");
