/** A row as cells with the styles for an image; `screen-lines.ts` is the form for reading. */
import {
  CELL_NUMBERS,
  IS_HIDDEN,
  IS_OVERLINED,
  IS_STRUCK,
  IS_UNDERLINED,
  charactersAt,
  isBrokenWide,
  widthAt,
} from "../emulator/cells.ts";
import type { EmulatorRow } from "../emulator/emulator.ts";
import { spanOf, type StyledSpan } from "./screen-lines.ts";

/** One grapheme; a blank is " ". */
export interface StyledCell extends StyledSpan {
  readonly width: 1 | 2;
  readonly isHidden: boolean;
  readonly isUnderlined: boolean;
  readonly isStruck: boolean;
  readonly isOverlined: boolean;
}

export function styledCells(row: EmulatorRow, columns: number): StyledCell[] {
  const cells: StyledCell[] = [];
  for (let column = 0; column < columns; column += 1) {
    const isBroken = isBrokenWide(row, column, columns);
    const width = widthAt(row, column) === 2 && !isBroken ? 2 : 1;
    const at = column * CELL_NUMBERS;
    const [fg = 0, bg = 0] = row.cells.subarray(at + 1, at + 3);
    cells.push({
      ...spanOf((!isBroken && charactersAt(row, column)) || " ", column, fg, bg),
      width,
      isHidden: (fg & IS_HIDDEN) !== 0,
      isUnderlined: (fg & IS_UNDERLINED) !== 0,
      isStruck: (fg & IS_STRUCK) !== 0,
      isOverlined: (bg & IS_OVERLINED) !== 0,
    });
    column += width - 1;
  }
  return cells;
}
