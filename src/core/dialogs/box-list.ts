/** Lists of check boxes in programs without rules: each row has a box, and a pointer or a colour marks the row that a key would tick. */
import type { Frame } from "../screen/frame.ts";
import { isSeparator, type DialogRow } from "./dialog-rows.ts";
import { isFaintAt, litBox, litRow } from "./lit-row.ts";
import { inOneLine, isCutInBox } from "./ok-box.ts";
import type { OptionList, ShownOption } from "./option-list.ts";

const ROWS_MAX = 20;
const ROW = /^(\s*)([❯›▸►➤→»>]?)(\s*)(\[[ xX*✔✓]?\]|\([ xX*]\)|[◯◉◻◼☐☑☒✔✓○●⬡⬢])(\s+)(\S.*)$/u;
const EMPTY = /^(?:\[ ?\]|\( \)|[◯◻☐○⬡])$/u;
/** The same glyph whether it is ticked or not: its colour shows it. */
const COLOURED = /^[✔✓]$/u;
/** A pointer of its own: one of several that exclude each other. */
const POINTING = /^[○●]$/u;
/** prompts draws it in front of the first and the last row of a list that goes on. */
const MORE = /^[↑↓] /u;
const DISABLED = /^\s*[❯›»>]?\s*- \S/u;
const POINTED_DISABLED = /^\s*[❯›»>]\s*- \S/u;

interface BoxRow {
  readonly row: number;
  readonly box: string;
  /** Of the box and of the label, on the screen. */
  readonly columns: readonly [number, number];
  readonly isPointed: boolean;
  readonly label: string;
}

/** The last list of check boxes; null if there is none of at least two, or nothing shows which of them is ticked and selected. */
export function lastBoxList({ lines }: Pick<Frame, "lines">, rows: readonly DialogRow[]): OptionList | null {
  const found = lastBoxRows(rows);
  const [first] = found;
  if (first === undefined || found.length < 2) return null;
  const pointed = found.filter(({ isPointed }) => isPointed);
  const last = found.at(-1)?.row ?? first.row;
  const disabled = rows.slice(0, last).findLastIndex(({ text }) => POINTED_DISABLED.test(text));
  const isOnDisabled = disabled > first.row;
  if (pointed.length > 1 || (pointed.length === 0 && found.some(({ box }) => POINTING.test(box)))) return null;
  const shown = found.flatMap(({ row }) => lines[row] ?? []);
  const [box] = first.columns;
  const column = Math.max(...found.map(({ columns }) => columns[1]));
  const lit = litRow(shown, column);
  const at = pointed[0] === undefined ? (lit === -1 ? litBox(shown, box) : lit) : found.indexOf(pointed[0]);
  const options = found.map(({ box: mark, columns, label, row }, index): ShownOption => {
    const line = lines[row];
    const isFaint = line !== undefined && isFaintAt(line, columns[0]);
    return {
      id: String(index + 1),
      label: inOneLine(label.replace(MORE, "")),
      isSelected: index === at && !isOnDisabled,
      checked: COLOURED.test(mark) ? !isFaint : !EMPTY.test(mark),
    };
  });
  return {
    options,
    ...(isOnDisabled ? { above: found.filter(({ row }) => row < disabled).length } : {}),
    rows: found.map(({ row }) => row),
    first: first.row,
    last,
    isCut: found.some(({ label }) => MORE.test(label)) || isCutInBox(rows, { first: first.row, last }),
  };
}

/** Boxes in one column, with separators and disabled rows between them. */
function lastBoxRows(rows: readonly DialogRow[]): BoxRow[] {
  const found: BoxRow[] = [];
  for (let row = rows.length - 1; row >= 0 && found.length < ROWS_MAX; row -= 1) {
    const seen = boxRow(rows[row], row);
    if (seen !== null) {
      // A list with a part that is not understood.
      if (found[0] !== undefined && found[0].columns[0] !== seen.columns[0]) return [];
      found.unshift(seen);
    } else if (found.length > 0 && !isBetween(rows[row])) break;
  }
  return found;
}

/** Nothing of it can be ticked. */
const isBetween = (row: DialogRow | undefined): boolean =>
  row !== undefined && (isSeparator(row) || DISABLED.test(row.text));

function boxRow(shown: DialogRow | undefined, row: number): BoxRow | null {
  const match = ROW.exec(shown?.text ?? "");
  if (shown === undefined || match === null) return null;
  const [, margin = "", pointer = "", gap = "", box = "", space = "", label = ""] = match;
  const column = shown.raw.indexOf(shown.text) + margin.length + pointer.length + gap.length;
  return { row, box, columns: [column, column + box.length + space.length], isPointed: pointer !== "", label };
}
