import { clusterStep, columnsOf, joinsPreceding } from "./width.ts";

/** A cell that was erased or overwritten with a blank. Never a character of the text, because NUL is dropped. */
const ERASED = "\u0000";
/** The right half of a wide character, or the rest of a tab. */
const CONTINUATION = "";
const TAB_COLUMNS = 8;
/** How far the cursor may go beyond the end of the line; more is cut off. Else eight bytes could ask for a gigabyte of blanks. */
export const GAP_COLUMNS_MAX = 256;

/**
 * One line whose characters may still be overwritten: an array of cells and a cursor, as a terminal has it, without a right margin.
 * Blanks that only erase (`abc\b \b`) leave nothing at the end of the line.
 */
export class LineEditor {
  readonly #cellsMax: number;
  #cells: string[] = [];
  #column = 0;
  /** Characters without a cell of their own: limits combining marks, which could otherwise grow one cell without bound. */
  #extraChars = 0;
  /** The step of the last character, if the cursor is still at `#joinColumn`. */
  #preceding = 0;
  #joinColumn = -1;

  constructor(text: string, cellsMax: number) {
    this.#cellsMax = cellsMax;
    for (const character of text) this.#put(character);
  }

  /** Writes printable text and tabs at the cursor. Returns text that was released because the line is full, usually "". */
  write(text: string): string {
    let released = "";
    for (const character of text) {
      if (this.#cells.length + this.#extraChars + character.length > this.#cellsMax) released += this.take();
      this.#put(character);
    }
    return released;
  }

  /** `write` of one printable ASCII character, without the detours of wide and combining ones. */
  writeAscii(character: string): string {
    if (this.#column !== this.#cells.length || this.#cells.length + this.#extraChars >= this.#cellsMax)
      return this.write(character);
    this.#cells.push(character);
    this.#column++;
    return "";
  }

  carriageReturn(): void {
    this.#column = 0;
  }

  /** Moves by `columns` to the right, or to the left if negative. */
  moveBy(columns: number): void {
    this.moveTo(this.#column + columns);
  }

  moveTo(column: number): void {
    const last = Math.min(this.#cells.length + GAP_COLUMNS_MAX, this.#cellsMax - 1);
    this.#column = Math.max(0, Math.min(column, last));
  }

  eraseToEnd(): void {
    this.#split(this.#column);
    if (this.#cells.length > this.#column) this.#cells.length = this.#column;
  }

  eraseToStart(): void {
    this.erase(this.#column + 1, 0);
  }

  eraseAll(): void {
    this.#cells = [];
    this.#extraChars = 0;
  }

  /** Blanks `count` cells from `from` on (default: from the cursor on); the cursor stays. */
  erase(count: number, from = this.#column): void {
    const end = Math.min(from + count, this.#cells.length);
    this.#split(from);
    this.#split(end);
    this.#cells.fill(ERASED, from, end);
  }

  /** Removes `count` cells at the cursor and moves the rest left. */
  delete(count: number): void {
    if (this.#column >= this.#cells.length) return;
    this.#split(this.#column);
    this.#split(this.#column + count);
    this.#cells.splice(this.#column, count);
  }

  /** Moves the rest of the line right by `count` cells, as far as the limit of the line allows. */
  insert(count: number): void {
    if (this.#column >= this.#cells.length) return;
    this.#split(this.#column);
    const blanks = Math.min(count, GAP_COLUMNS_MAX, this.#cellsMax - this.#cells.length);
    this.#cells.splice(this.#column, 0, ...Array.from({ length: blanks }, () => ERASED));
  }

  /** The line as it can be read now: erased cells at or after the cursor do not count. */
  text(): string {
    return this.#render(this.#column);
  }

  /** The line as it can be read when it is finished, and an empty line from here on. */
  take(): string {
    const text = this.#render(0);
    this.#cells = [];
    this.#column = 0;
    this.#extraChars = 0;
    return text;
  }

  #render(keepTo: number): string {
    let end = this.#cells.length;
    while (end > keepTo && this.#cells[end - 1] === ERASED) end--;
    let text = "";
    for (let index = 0; index < end; index++) text += this.#cells[index] ?? "";
    return text.includes(ERASED) ? text.replaceAll(ERASED, " ") : text;
  }

  #put(character: string): void {
    if (character === "\t") this.#putTab();
    else this.#putCharacter(character);
  }

  /** A tab moves over existing cells; beyond the end of the line it is stored as a character. */
  #putTab(): void {
    const stop = this.#column + TAB_COLUMNS - (this.#column % TAB_COLUMNS);
    if (this.#column >= this.#cells.length) {
      this.#fillGap();
      this.#cells.push("\t");
      while (this.#cells.length < stop) this.#cells.push(CONTINUATION);
    }
    this.#column = stop;
  }

  #putCharacter(character: string): void {
    const preceding = this.#stepBefore();
    const step = clusterStep(character.codePointAt(0) ?? 0, preceding);
    if (joinsPreceding(step) && this.#combine(character)) {
      if (columnsOf(step) > columnsOf(preceding) && preceding !== 0) this.#occupy(CONTINUATION, 1);
    } else {
      this.#fillGap();
      const erases = character === " " && this.#column < this.#cells.length;
      this.#occupy(erases ? ERASED : character, Math.max(1, columnsOf(step)));
    }
    this.#preceding = step;
    this.#joinColumn = this.#column;
  }

  /** The step of the character in front of the cursor, if it was just written. */
  #stepBefore(): number {
    if (this.#column === this.#joinColumn) return this.#preceding;
    const left = this.#cells[this.#column - 1] ?? "";
    return left.length === 1 ? clusterStep(left.charCodeAt(0), 0) : 0;
  }

  /** Writes a cell and what of it is right of its first column. */
  #occupy(cell: string, width: number): void {
    const end = this.#column + width;
    if (cell !== CONTINUATION) this.#split(this.#column);
    this.#split(end);
    this.#cells[this.#column] = cell;
    if (width === 2) this.#cells[this.#column + 1] = CONTINUATION;
    this.#column = end;
  }

  /** Adds a combining mark to the character left of the cursor. */
  #combine(mark: string): boolean {
    let index = Math.min(this.#column, this.#cells.length) - 1;
    while (index > 0 && this.#cells[index] === CONTINUATION) index--;
    const base = this.#cells[index];
    if (base === undefined || base === ERASED || base === CONTINUATION) return false;
    this.#cells[index] = base + mark;
    this.#extraChars += mark.length;
    return true;
  }

  #fillGap(): void {
    while (this.#cells.length < this.#column) this.#cells.push(" ");
  }

  /** Turns a wide character or tab that lies across the border left of `index` into blanks. */
  #split(index: number): void {
    if (this.#cells[index] !== CONTINUATION) return;
    let start = index;
    while (start > 0 && this.#cells[start] === CONTINUATION) start--;
    let end = index;
    while (this.#cells[end] === CONTINUATION) end++;
    this.#cells.fill(" ", start, end);
  }
}
