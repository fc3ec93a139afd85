/** Which of several rows is lit, where only colours mark the one that is selected. */
import type { ScreenLine, StyledSpan } from "../screen/screen-lines.ts";

/** Shades of grey of the palette. */
const GREYS: ReadonlySet<number> = new Set([8, ...Array.from({ length: 11 }, (_, index) => 240 + index)]);

/** Index of the row whose label, in this column, stands out more than any other; -1 if there is not one. */
export const litRow = (lines: readonly ScreenLine[], column: number): number =>
  highest(lines.map((line) => rankAt(line, column, column - 1)));

/** Index of the row whose check box has another background inside than around: newt puts its cursor there. */
export const litBox = (lines: readonly ScreenLine[], column: number): number =>
  highest(lines.map((line) => (rankAt(line, column + 1, column) === LIT ? 1 : 0)));

/** It is drawn dim or grey: what cannot be chosen, or is not ticked. */
export const isFaintAt = (line: ScreenLine, column: number): boolean => rankAt(line, column, column - 1) === FAINT;

/** The style of a cell, counted in columns. */
export const styleAt = (line: ScreenLine, column: number): StyledSpan | undefined =>
  line.spans.findLast((span) => span.column <= column);

const FAINT = 1;
const PLAIN = 2;
const COLOURED = 3;
const LIT = 4;

/** How much a cell stands out, compared with the background of another one in the same row. */
function rankAt(line: ScreenLine, column: number, beside: number): number {
  const style = styleAt(line, column);
  const around = beside < 0 ? -1 : (styleAt(line, beside)?.background ?? -1);
  if (style === undefined) return 0;
  if (style.isInverse || style.background !== around) return LIT;
  if (style.isDim || GREYS.has(style.foreground)) return FAINT;
  return style.foreground === -1 ? PLAIN : COLOURED;
}

function highest(ranks: readonly number[]): number {
  const most = Math.max(...ranks);
  return ranks.filter((rank) => rank === most).length === 1 ? ranks.indexOf(most) : -1;
}
