/**
 * A small live screen: an emulator outside of the document, painted on a canvas at most five times per second.
 * It sends neither input nor a size to the session.
 */
import { Terminal, type IBufferCell, type IBufferLine, type ITheme } from "@xterm/xterm";
import type { Attachment, LecternClient, Session } from "../../client.ts";
import { setWidths } from "../../core/emulator/xterm/widths.ts";
import { RECONNECT_MS_MAX } from "../terminal/attach-options.ts";
import { ScreenFeed } from "../terminal/screen-feed.ts";
import { mixRgb, readable, type Rgb } from "../terminal/contrast.ts";
import { paletteOf, TERMINAL_FONT } from "../terminal/theme.ts";

/** WCAG 2.2, level AA. */
const CONTRAST_MIN = 4.5;
/** How much of its colour dim text keeps. */
const DIM_PART = 0.6;
const PAINT_MS_MIN = 200;
const LINE_HEIGHT = 1.25;
/** Width of a cell relative to the font size. */
const CELL_WIDTH = 0.6;

export class MiniScreen {
  readonly #canvas: HTMLCanvasElement;
  readonly #terminal: Terminal;
  readonly #attaching = new AbortController();
  #theme: ITheme;
  #palette: readonly Rgb[];
  #attachment: Attachment | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #paintedAt = 0;

  constructor(canvas: HTMLCanvasElement, session: Session, theme: ITheme) {
    this.#canvas = canvas;
    this.#theme = theme;
    this.#palette = paletteOf(theme).map((colour) => parseHex(colour));
    this.#terminal = new Terminal({
      cols: session.columns,
      rows: session.rows,
      scrollback: 0,
      allowProposedApi: true,
      logLevel: "off",
    });
    setWidths(this.#terminal);
    this.#terminal.onWriteParsed(() => this.#paintSoon());
  }

  set theme(theme: ITheme) {
    this.#theme = theme;
    this.#palette = paletteOf(theme).map((colour) => parseHex(colour));
    this.#paintSoon();
  }

  /** Draws until it is disposed of or the session ends. After an error, the last picture stays. */
  async follow(client: LecternClient, session: Session): Promise<void> {
    const feed = new ScreenFeed(this.#terminal, "replay");
    try {
      const attachment = await client.attach(session.id, {
        readOnly: true,
        reconnectMsMax: RECONNECT_MS_MAX,
        signal: this.#attaching.signal,
      });
      this.#attachment = attachment;
      for await (const item of attachment) await feed.feed(item);
      this.#paintSoon();
    } catch {
      // The list shows the state of the daemon and the session.
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#attaching.abort();
    this.#attachment?.detach();
    this.#terminal.dispose();
  }

  #paintSoon(): void {
    if (this.#timer !== undefined) return;
    const delayMs = Math.max(0, PAINT_MS_MIN - (performance.now() - this.#paintedAt));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#paintedAt = performance.now();
      this.#paint();
    }, delayMs);
  }

  #paint(): void {
    const context = this.#canvas.getContext("2d", { alpha: false });
    if (context === null) return;
    const { cols, rows, buffer } = this.#terminal;
    const ratio = devicePixelRatio;
    const width = this.#canvas.clientWidth * ratio;
    const fontSize = Math.min(width / cols / CELL_WIDTH, 13 * ratio);
    const cell = { width: fontSize * CELL_WIDTH, height: fontSize * LINE_HEIGHT };
    this.#canvas.width = width;
    this.#canvas.height = this.#canvas.clientHeight * ratio;
    context.fillStyle = this.#theme.background ?? "";
    context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
    context.font = `${fontSize}px ${TERMINAL_FONT}`;
    context.textBaseline = "middle";
    // If the screen does not fit, its top is cut, because programs write at the bottom.
    const last = lastUsedRow(this.#terminal);
    const shown = Math.min(rows, Math.floor(this.#canvas.height / cell.height));
    const first = Math.max(0, Math.min(rows - shown, last - shown + 1));
    const blank = buffer.active.getNullCell();
    for (let row = 0; row < shown; row += 1) {
      const line = buffer.active.getLine(buffer.active.baseY + first + row);
      if (line !== undefined) this.#paintLine(context, { line, row, cell, blank });
    }
  }

  #paintLine(
    context: CanvasRenderingContext2D,
    {
      line,
      row,
      cell,
      blank,
    }: { line: IBufferLine; row: number; cell: { width: number; height: number }; blank: IBufferCell },
  ): void {
    for (let column = 0; column < line.length; column += 1) {
      const at = line.getCell(column, blank);
      if (at === undefined || at.getWidth() === 0) continue;
      const { text, ground } = this.#coloursOf(at);
      const width = cell.width * at.getWidth();
      if (!at.isBgDefault() || at.isInverse() !== 0) {
        context.fillStyle = cssOf(ground);
        context.fillRect(column * cell.width, row * cell.height, width + 0.5, cell.height + 0.5);
      }
      const characters = at.getChars();
      if (characters === "" || characters === " " || at.isInvisible() !== 0) continue;
      context.fillStyle = cssOf(text);
      context.fillText(characters, column * cell.width, (row + 0.5) * cell.height);
    }
  }

  /** As they are painted: readable, whatever the program has chosen. */
  #coloursOf(cell: IBufferCell): { readonly text: Rgb; readonly ground: Rgb } {
    const own = cell.isFgDefault() ? parseHex(this.#theme.foreground) : this.#colour(cell.getFgColor(), cell.isFgRGB());
    const back = cell.isBgDefault()
      ? parseHex(this.#theme.background)
      : this.#colour(cell.getBgColor(), cell.isBgRGB());
    const [text, ground] = cell.isInverse() === 0 ? [own, back] : [back, own];
    const shown = cell.isDim() === 0 ? text : mixRgb(text, ground, DIM_PART);
    return { text: readable(shown, ground, CONTRAST_MIN), ground };
  }

  #colour(value: number, isRgb: boolean): Rgb {
    if (isRgb) return [value >> 16, (value >> 8) & 255, value & 255];
    return this.#palette[value] ?? paletteColour(value);
  }
}

const cssOf = ([red, green, blue]: Rgb): string => `rgb(${red} ${green} ${blue})`;

/** `#rrggbb`, as in the themes. */
function parseHex(colour = "#000000"): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The colours 16 to 255 of xterm: a cube of 6 by 6 by 6, then 24 greys. */
function paletteColour(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (value: number): number => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

function lastUsedRow({ rows, buffer }: Terminal): number {
  const { active } = buffer;
  for (let row = rows - 1; row > active.cursorY; row -= 1) {
    if (active.getLine(active.baseY + row)?.translateToString(true) !== "") return row;
  }
  return active.cursorY;
}
