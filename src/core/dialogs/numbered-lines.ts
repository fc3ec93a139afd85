/** The numbered words that `select` of bash, zsh and ksh prints above the line in which it reads a number. */
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
  const found = lines
    .slice(first, cursor.row)
    .flatMap(({ text }) =>
      [...text.matchAll(ENTRY)].map(([, id = "", label = ""]) => ({ id, label, isSelected: false })),
    )
    .toSorted((one, other) => Number(one.id) - Number(other.id));
  const areAll = found.length >= 2 && found.every(({ id }, index) => id === String(index + 1));
  return areAll ? found : null;
}
