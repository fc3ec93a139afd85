/** The numbered words that `select` of bash, zsh and ksh prints above the line in which it reads a number, or that are below it. */
import type { Frame } from "../screen/frame.ts";
import type { ShownOption } from "./option-list.ts";

const ROWS_MAX = 50;
/** In columns, if they fit. */
const ENTRY = /(\d{1,3})\) (\S.*?)(?=\s+\d{1,3}\) |\s*$)/gu;
const ROW = /^\s*\d{1,3}\) \S/u;

/** Null if the rows directly above the cursor do not have all numbers from 1, at least two of them. */
export function numberedAbove({ cursor, lines }: Frame): readonly ShownOption[] | null {
  let first = cursor.row;
  while (first > 0 && cursor.row - first < ROWS_MAX && ROW.test(lines[first - 1]?.text ?? "")) first -= 1;
  return numbersIn(lines.slice(first, cursor.row));
}

/** Below the line in which rawlist of inquirer reads a number; null if there is anything else. */
export function numberedBelow({ cursor, lines }: Frame): readonly ShownOption[] | null {
  const below = lines.slice(cursor.row + 1).filter(({ text }) => text.trim() !== "");
  return below.every(({ text }) => ROW.test(text)) ? numbersIn(below) : null;
}

function numbersIn(lines: Frame["lines"]): readonly ShownOption[] | null {
  const found = lines
    .flatMap(({ text }) =>
      [...text.matchAll(ENTRY)].map(([, id = "", label = ""]) => ({ id, label, isSelected: false })),
    )
    .toSorted((one, other) => Number(one.id) - Number(other.id));
  const areAll = found.length >= 2 && found.every(({ id }, index) => id === String(index + 1));
  return areAll ? found : null;
}
