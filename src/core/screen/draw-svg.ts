/**
 * Draws a screen as an SVG 1.1 image. Each character is placed at its cell, so that wider or narrower fonts do not shift the text; lines,
 * blocks and braille are drawn as shapes, so that they join in any font.
 */
import { escapeMarkup } from "../text/escape.ts";
import { drawnCharacter } from "./drawn-characters.ts";
import { colourText, darkColours, mix, type ScreenColours } from "./palette.ts";
import type { Screen } from "./screen.ts";
import type { StyledCell } from "./styled-cells.ts";

export type PicturedScreen = Pick<Screen, "columns" | "rows" | "title" | "cursor" | "cells">;

/** Sizes of a cell, its text and the margin, in the units of the image. */
const WIDTH = 10;
const HEIGHT = 20;
const FONT_SIZE = 16;
const BASELINE = 15;
const MARGIN = 10;

const FONTS = "'DejaVu Mono','DejaVu Sans Mono',Menlo,Consolas,monospace";
/** Characters that fonts have in italics; others are drawn upright instead of as empty boxes. */
const hasItalic = /^[\u0020-\u024F\u0370-\u052F]$/;
const unreadable =
  /[\u0000-\u001F\u007F-\u009F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** A cell with its final colours. */
interface Painted {
  readonly cell: StyledCell;
  readonly foreground: string;
  readonly background: string;
}

/** The image in cells of 10 by 20 units, with a margin of 10. */
export function drawSvg(screen: PicturedScreen, colours: ScreenColours = darkColours): string {
  const title = screen.title === "" ? "" : `<title>${escapeText(screen.title)}</title>`;
  const rows = Array.from({ length: screen.rows }, (_, row) => drawRow(screen, row, colours));
  return [openPicture(screen, colours), title, ...rows, "</svg>"].filter(Boolean).join("\n") + "\n";
}

/**
 * The root element and the ground of a picture, which is to be closed by `</svg>`. Blanks are kept by a style in browsers, where that of `<text>` replaces
 * an inherited `xml:space`, and by `xml:space` elsewhere: each character has a place in a list, so a blank that is dropped shifts the rest.
 */
export function openPicture(size: PictureCells, colours: ScreenColours): string {
  const { width, height } = pictureSize(size);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${FONTS}" font-size="${FONT_SIZE}" xml:space="preserve">`,
    "<style>text{white-space:pre}</style>",
    `<rect width="${width}" height="${height}" fill="${colours.background}"/>`,
  ].join("\n");
}

/** The elements of one row at its place, with the cursor if it is there; empty for a blank row. */
export function drawRow(screen: PicturedScreen, row: number, colours: ScreenColours): string {
  const painted = screen
    .cells(row)
    .map((cell) => paint(cell, colours, isUnderBlock(screen.cursor, screen, { row, cell })));
  const top = MARGIN + row * HEIGHT;
  const cursor = screen.cursor.row === row ? thinCursor(screen, colours) : "";
  const parts = [
    grounds(painted, top, colours),
    shapes(painted, top),
    lines(painted, top),
    texts(painted, top),
    cursor,
  ];
  return parts.flat().filter(Boolean).join("\n");
}

interface PictureCells {
  readonly columns: number;
  readonly rows: number;
}

/** In the units of the image. */
export const pictureSize = ({ columns, rows }: PictureCells) => ({
  width: columns * WIDTH + 2 * MARGIN,
  height: rows * HEIGHT + 2 * MARGIN,
});

const xOf = (column: number): number => MARGIN + column * WIDTH;

/** After a full row the cursor is on the last cell. */
const cursorColumn = (cursor: PicturedScreen["cursor"], columns: number): number =>
  Math.min(cursor.column, columns - 1);

function isUnderBlock(
  cursor: PicturedScreen["cursor"],
  { columns }: { readonly columns: number },
  { row, cell }: { readonly row: number; readonly cell: StyledCell },
): boolean {
  if (!cursor.isVisible || cursor.row !== row || (cursor.shape ?? "block") !== "block") return false;
  const column = cursorColumn(cursor, columns);
  return column >= cell.column && column < cell.column + cell.width;
}

function thinCursor({ cursor, columns }: PicturedScreen, colours: ScreenColours): string {
  if (!cursor.isVisible || (cursor.shape ?? "block") === "block") return "";
  const isBar = cursor.shape === "bar";
  const top = MARGIN + cursor.row * HEIGHT + (isBar ? 0 : HEIGHT - 2);
  const size = isBar ? { width: 2, height: HEIGHT } : { width: WIDTH, height: 2 };
  return rectangle({ x: xOf(cursorColumn(cursor, columns)), y: top, ...size }, colours.cursor);
}

function paint(cell: StyledCell, colours: ScreenColours, isCursor: boolean): Painted {
  const plainText = cell.foreground === -1 ? colours.foreground : colourText(cell.foreground, colours);
  const plainGround = cell.background === -1 ? colours.background : colourText(cell.background, colours);
  const [text, background] = cell.isInverse ? [plainGround, plainText] : [plainText, plainGround];
  if (isCursor) return { cell, foreground: colours.background, background: colours.cursor };
  return { cell, foreground: cell.isDim ? mix(text, background, 0.6) : text, background };
}

const rectangle = (
  { x, y, width, height }: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
  colour: string,
): string => `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${colour}"/>`;

/** Groups adjacent cells with the same key; cells without a key are left out. */
function runsOf(painted: readonly Painted[], keyOf: (of: Painted) => string | undefined) {
  const runs: { readonly key: string; readonly cells: Painted[] }[] = [];
  let open: (typeof runs)[number] | undefined;
  for (const each of painted) {
    const key = keyOf(each);
    if (key !== undefined && key === open?.key) open.cells.push(each);
    else {
      open = key === undefined ? undefined : { key, cells: [each] };
      if (open !== undefined) runs.push(open);
    }
  }
  return runs;
}

/** From the left edge of the first cell to the right edge of the last one. */
function spanOf(cells: readonly Painted[]): { readonly x: number; readonly width: number } {
  const x = xOf(cells[0]?.cell.column ?? 0);
  const last = cells.at(-1)?.cell;
  return { x, width: last === undefined ? 0 : xOf(last.column + last.width) - x };
}

function grounds(painted: readonly Painted[], y: number, colours: ScreenColours): string[] {
  const runs = runsOf(painted, ({ background }) => (background === colours.background ? undefined : background));
  return runs.map(({ key, cells }) => rectangle({ ...spanOf(cells), y, height: HEIGHT }, key));
}

/** Underlines, strikethroughs and overlines, which also cover blanks. */
function lines(painted: readonly Painted[], top: number): string[] {
  const kinds = [
    { has: (cell: StyledCell) => cell.isUnderlined, y: top + BASELINE + 2 },
    { has: (cell: StyledCell) => cell.isStruck, y: top + BASELINE - 5 },
    { has: (cell: StyledCell) => cell.isOverlined, y: top },
  ];
  return kinds.flatMap(({ has, y }) =>
    runsOf(painted, ({ cell, foreground }) => (has(cell) && !cell.isHidden ? foreground : undefined)).map(
      ({ key, cells }) => rectangle({ ...spanOf(cells), y, height: 1 }, key),
    ),
  );
}

function shapes(painted: readonly Painted[], y: number): string[] {
  const shapeOf = ({ cell }: Painted) =>
    cell.isHidden ? undefined : drawnCharacter(cell.text, { x: xOf(cell.column), y, width: WIDTH, height: HEIGHT });
  const runs = runsOf(painted, (each) => {
    const shape = shapeOf(each);
    if (shape === undefined) return undefined;
    const look = shape.paint === "fill" ? `fill="${each.foreground}"` : `fill="none" stroke="${each.foreground}"`;
    return shape.opacity === 1 ? look : `${look} opacity="${shape.opacity}"`;
  });
  return runs.map(({ key, cells }) => `<path d="${cells.map((each) => shapeOf(each)?.path ?? "").join("")}" ${key}/>`);
}

/** Blanks are not drawn, but kept between words, so that text can be copied. */
function texts(painted: readonly Painted[], top: number): string[] {
  const shown = painted.filter(
    ({ cell }) => !cell.isHidden && drawnCharacter(cell.text, { x: 0, y: 0, width: 1, height: 1 }) === undefined,
  );
  let look = "";
  const runs = runsOf(shown, (each) => {
    // A blank has the style of the text before it; blanks at the end are dropped.
    if (each.cell.text !== " ") look = textLook(each);
    return look;
  });
  const y = top + BASELINE;
  return runs.flatMap(({ key, cells }) => {
    const from = cells.findIndex(({ cell }) => cell.text !== " ");
    const to = cells.findLastIndex(({ cell }) => cell.text !== " ");
    if (from === -1) return [];
    const written = cells.slice(from, to + 1);
    const places = written.map(({ cell }) => xOf(cell.column) + (isAlone(cell) ? (cell.width * WIDTH) / 2 : 0));
    const text = written.map(({ cell }) => escapeText(cell.text)).join("");
    return [`<text x="${places.join(" ")}" y="${y}" ${key}>${text}</text>`];
  });
}

/** A character of several units or of width 2 is an element of its own, centred in its cells, because a list of positions would not fit. */
const isAlone = ({ text, width }: StyledCell): boolean => text.length !== 1 || width !== 1;

function textLook({ cell, foreground }: Painted): string {
  const looks = [`fill="${foreground}"`];
  if (cell.isBold) looks.push('font-weight="bold"');
  if (cell.isItalic && hasItalic.test(cell.text)) looks.push('font-style="italic"');
  // The column makes the key unique, so that neighbours are not grouped.
  if (isAlone(cell)) looks.push(`text-anchor="middle" class="c${cell.column}"`);
  return looks.join(" ");
}

const escapeText = (text: string): string => escapeMarkup(text.replaceAll(unreadable, "\uFFFD"));
