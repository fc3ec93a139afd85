/**
 * What a line editor shows of a text that was typed into it, beside what a terminal makes of the text alone: a second screen is given the text
 * itself. Line editors have macros and bindings that change what is typed; `proof.ts` compares the two.
 */
import { isGreyText } from "../agents/colours.ts";
import { findByte } from "../bytes/find-byte.ts";
import type { StyledSpan } from "../screen/screen-lines.ts";
import { Screen } from "../screen/screen.ts";
import { LINE_FEED } from "../vt/control-bytes.ts";
import { Tokenizer } from "../vt/tokenizer.ts";
import { isShown, type LineRows } from "./proof.ts";

/** A screen as it is before something is typed. */
interface ScreenBefore {
  readonly columns: number;
  readonly rows: number;
  /** The last output; its beginning may be missing. */
  readonly output: Uint8Array;
  /** What the program may draw again in a row that late output has left blank; empty if it is not known. */
  readonly prompt: string;
}

/** Rows that a line may take; one of 4,095 bytes has as many on a screen of two columns. */
const LINES_MAX = 4096;
/** SU: the number of rows. */
const SCROLL = /^(\d*)S$/;
const BOTTOM = "\u001b[999;1H";
const encoder = new TextEncoder();

export class LineScreen implements Disposable {
  readonly #shown: Screen;
  /** The text where the cursor was, and behind a prompt that is drawn anew. */
  readonly #wanted: readonly LineRows[];
  readonly #startLine: number;
  readonly #startColumn: number;
  readonly #rowBefore: string;
  readonly #tokens = new Tokenizer();
  /** Where the line ends; undefined until it is entered. */
  #endLine: number | undefined;

  /** `text`: what is typed where the cursor is, with line feeds between its rows. */
  constructor(text: string, before: ScreenBefore) {
    this.#shown = screenOf(before);
    this.#startLine = cursorLine(this.#shown);
    this.#startColumn = this.#shown.cursor.column;
    this.#rowBefore = textOf(this.#shown, this.#startLine);
    const isBlank = this.#rowBefore === "" && this.#startColumn === 0;
    const prompts = isBlank && before.prompt !== "" ? ["", before.prompt] : [""];
    this.#wanted = prompts.map((prompt) => {
      const screen = screenOf(before, prompt + text.replaceAll("\n", "\r\n"));
      const rows = rowsFrom(screen, this.#startLine);
      screen.dispose();
      return rows;
    });
  }

  /** Output that came since. */
  feed(output: Uint8Array): void {
    for (const step of this.#steps(output)) this.#draw(step);
  }

  /** The line shows the text, the whole text and nothing else, and the cursor stands at its end. */
  get isWhole(): boolean {
    return isShown({ place: "rows", shown: rowsFrom(this.#shown, this.#startLine), wanted: this.#wanted });
  }

  /**
   * Output that comes once the line is entered. The index behind what leaves the line downwards, however the line is drawn again before; -1
   * where nothing of it does.
   */
  endIn(output: Uint8Array): number {
    const endLine = (this.#endLine ??= cursorLine(this.#shown));
    for (const step of this.#steps(output)) {
      this.#draw(step);
      if (cursorLine(this.#shown) > endLine) return step.end;
    }
    return -1;
  }

  /** Escape sequences, rows of text, and how many rows a sequence scrolls. */
  *#steps(output: Uint8Array): Generator<Step, void> {
    const tokens = this.#tokens;
    tokens.feed(output, 0);
    for (let type = tokens.next(); type !== null; type = tokens.next()) {
      const bytes = tokens.bytes.slice();
      const { endIndex } = tokens;
      const scrolled = type === "csi" ? SCROLL.exec(tokens.text)?.[1] : undefined;
      if (type !== "text") yield { bytes, end: endIndex, scrolled: scrolled === undefined ? 0 : Number(scrolled || 1) };
      else yield* rowsOf(bytes, endIndex);
    }
  }

  /** irb scrolls at the bottom without a line feed (SU): here the rows that leave the top are still counted. */
  #draw({ bytes, scrolled }: Step): void {
    if (scrolled === 0) return void this.#shown.feed(bytes);
    const { row, column } = this.#shown.cursor;
    const lines = "\n".repeat(Math.min(scrolled, this.#shown.rows));
    this.#shown.feed(encoder.encode(`${BOTTOM}${lines}\u001b[${row + 1};${column + 1}H`));
  }

  /** The row of the cursor shows what it did before anything was typed. */
  get isEmpty(): boolean {
    const line = cursorLine(this.#shown);
    return this.#shown.cursor.column === this.#startColumn && textOf(this.#shown, line) === this.#rowBefore;
  }

  /** The whole text is shown, and other output behind it: the program has printed into the line. */
  isInterrupted(text: string): boolean {
    const row = cursorLine(this.#shown);
    return this.#wanted.every(({ cursor }) => row * this.#shown.columns > cursor) && this.shown.includes(text.trim());
  }

  /** What is shown instead, in one line. */
  get shown(): string {
    const { text } = rowsFrom(this.#shown, this.#startLine);
    return text.replaceAll("\n", "").slice(this.#startColumn).trim();
  }

  [Symbol.dispose](): void {
    this.#shown.dispose();
  }
}

function screenOf({ columns, rows, output }: ScreenBefore, text = ""): Screen {
  const screen = new Screen({ columns, rows, scrollbackLinesMax: LINES_MAX });
  screen.feed(output);
  screen.feed(encoder.encode(text));
  return screen;
}

interface Step {
  readonly bytes: Uint8Array;
  /** Index behind it in the output. */
  readonly end: number;
  readonly scrolled: number;
}

function* rowsOf(text: Uint8Array, end: number): Generator<Step, void> {
  for (let from = 0; from < text.length;) {
    const to = findByte(text, LINE_FEED, from) + 1 || text.length;
    yield { bytes: text.subarray(from, to), end: end - text.length + to, scrolled: 0 };
    from = to;
  }
}

const cursorLine = (screen: Screen): number => screen.topLine + screen.cursor.row;

function rowsFrom(screen: Screen, startLine: number): LineRows {
  const rows: string[] = [];
  for (let line = startLine; line < screen.topLine + screen.rows; line++) rows.push(textOf(screen, line));
  // The end of a full row is the beginning of the next one.
  return { text: rows.join("\n").trimEnd(), cursor: cursorLine(screen) * screen.columns + screen.cursor.column };
}

/** A row without the suggestions behind the cursor, and without blanks at its end. */
function textOf(screen: Screen, line: number): string {
  const { cursor, topLine } = screen;
  const row = line < topLine ? screen.scrolledLine(line) : screen.row(line - topLine);
  if (row === undefined) return "";
  const cursorRow = topLine + cursor.row;
  if (line < cursorRow) return row.text;
  const from = line === cursorRow ? cursor.column : 0;
  return row.spans
    .map((span) => (span.column >= from && isSuggestion(span) ? " ".repeat(span.text.length) : span.text))
    .join("")
    .trimEnd();
}

const isSuggestion = ({ isDim, foreground }: StyledSpan): boolean => isDim || isGreyText(foreground);
