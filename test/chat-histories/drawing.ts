/** Messages as Claude Code draws them, for one width. */
import type { ScreenLine } from "../../src/core/screen/screen-lines.ts";

/** What was said; a line end stands at the end of a word. */
export interface Said {
  readonly role: "user" | "assistant" | "tool-call" | "tool-result";
  readonly words: readonly string[];
}

const marks = { user: "❯ ", assistant: "● ", "tool-call": "● ", "tool-result": "  ⎿  " } as const;
const SHADE = 237;
const known = new Map<string, ScreenLine>();

export class Drawing {
  readonly columns: number;
  readonly box: readonly ScreenLine[];
  readonly blank = lineOf("");
  readonly #known = new WeakMap<Said, ScreenLine[]>();

  constructor(columns: number) {
    this.columns = columns;
    this.box = [lineOf("─".repeat(columns)), lineOf("❯ "), lineOf("─".repeat(columns))];
  }

  /** All messages from `from` on. */
  rows(all: readonly Said[], from: number): ScreenLine[] {
    const rows: ScreenLine[] = [welcome, this.blank];
    for (let index = from; index < all.length; index += 1) {
      const message = all[index];
      if (message === undefined) continue;
      if (rows.length > 2 && message.role !== "tool-result") rows.push(this.blank);
      let own = this.#known.get(message);
      if (own === undefined) this.#known.set(message, (own = this.#rowsOf(message)));
      for (const line of own) rows.push(line);
    }
    return rows;
  }

  cut({ text, spans }: ScreenLine): ScreenLine {
    const [first] = spans;
    return lineOf(
      text.slice(0, this.columns).trimEnd(),
      first?.background === SHADE ? this.columns : 0,
      spans.some(({ isBold }) => isBold),
    );
  }

  #rowsOf({ role, words }: Said): ScreenLine[] {
    const mark = marks[role];
    const rest = " ".repeat(mark.length);
    const texts: string[] = [];
    let row: string = mark;
    let isEmpty = true;
    const end = (): void => {
      texts.push(row);
      row = rest;
      isEmpty = true;
    };
    for (const word of words) {
      const own = word.trimEnd();
      if (!isEmpty && row.length + 1 + own.length > this.columns - 1) end();
      row += isEmpty ? own : ` ${own}`;
      isEmpty = false;
      for (let at = own.length; at < word.length; at += 1) end();
    }
    if (!isEmpty) texts.push(row);
    return texts.map((text) => lineOf(text.trimEnd(), role === "user" ? this.columns : 0, role === "tool-call"));
  }
}

/** The same object for the same row. `shade`: so many columns have a background. */
function lineOf(text: string, shade = 0, isBold = false): ScreenLine {
  const key = `${shade} ${isBold} ${text}`;
  let line = known.get(key);
  if (line === undefined) {
    line = made(text, shade, isBold);
    if (known.size > 20_000) known.clear();
    known.set(key, line);
  }
  return line;
}

const welcome = lineOf("Welcome to the agent");

function made(text: string, shade: number, isBold: boolean): ScreenLine {
  const plain = { foreground: -1, background: shade > 0 ? SHADE : -1, isDim: false, isItalic: false, isInverse: false };
  const spans = isBold
    ? [
        { ...plain, text: text.slice(0, 2), column: 0, isBold: false },
        { ...plain, text: text.slice(2), column: 2, isBold: true },
      ]
    : [{ ...plain, text: text.padEnd(shade), column: 0, isBold: false }];
  return { text, isWrapped: false, spans: spans.filter((span) => span.text !== "") };
}
