/** Lists of options, one below another: numbered, or with a mark at the one that is selected. */
import { readChoice } from "./choices.ts";
import type { DialogRow } from "./dialog-rows.ts";

export interface ShownOption {
  readonly id: string;
  readonly label: string;
  readonly isSelected: boolean;
  /** Of one of several choices: its box is ticked. */
  readonly checked?: boolean;
}

export interface OptionList {
  readonly options: readonly ShownOption[];
  /** Of each option. */
  readonly rows: readonly number[];
  /** The mark is on a row that cannot be chosen, below so many options. */
  readonly above?: number;
  /** First and last row. */
  readonly first: number;
  readonly last: number;
  /** There are more options than are shown. */
  readonly isCut?: boolean;
}

const optionsMax = 20;
const labelRowsMax = 12;
const numbered = /^(\s*)([❯›▸►➤→●◉◆>○◯]?)(\s*)(\d{1,2})[.)](?:\s+|(?=\p{L}))(\S.*)$/u;
const marked = /^(\s*)(\S)(\s+)(\S.*)$/u;
/** In front of the selected option, in programs whose mark is not known. */
export const POINTERS = "❯›▸►➤→●◉◆";
const unnumbered = /^(\s*)([❯›▸►➤→]?)\s*(\p{L}[\p{L} ]{0,24})$/u;
const filled = /[❯›▸►➤→●◉◆>]/u;

/**
 * The last list on the screen; null if there is not one of at least two options. A list without numbers is known by `pointers`, the
 * characters of which one is in front of the selected option. Between its options there may be rows that `isSkipped`: they are none.
 */
export function lastOptionList(
  rows: readonly DialogRow[],
  pointers = POINTERS,
  isSkipped: (row: DialogRow) => boolean = () => false,
): OptionList | null {
  return numberedList(rows) ?? markedList(rows, pointers, isSkipped);
}

function numberedList(rows: readonly DialogRow[]): OptionList | null {
  const first = rows.findLastIndex(({ text }) => numbered.exec(text)?.[4] === "1");
  if (first === -1) return null;
  const options: { id: string; label: string; isSelected: boolean }[] = [];
  const places: number[] = [];
  let last = first;
  let labelColumn = 0;
  let button: ShownOption | null = null;
  for (let row = first; row < rows.length && options.length <= optionsMax; row += 1) {
    const text = rows[row]?.text ?? "";
    const match = numbered.exec(text);
    // What follows a button belongs to no option.
    if (button !== null) break;
    if (match !== null && Number(match[4]) === options.length + 1) {
      const [, , mark = "", , id = "", label = ""] = match;
      options.push({ id, label: label.trimEnd(), isSelected: filled.test(mark) });
      places.push(row);
      labelColumn = text.indexOf(label);
      last = row;
    } else if (text.trim() === "") {
      if (row > last + 1) break;
    } else if (
      row === last + 1 &&
      readChoice(options.at(-1)?.label ?? "").checked !== undefined &&
      isButton(text, labelColumn)
    ) {
      button = buttonOf(text);
      places.push(row);
      last = row;
    } else if (row === last + 1 && (indentOf(text) >= labelColumn || goesOn(rows, row, options.length + 1))) {
      const option = options.at(-1);
      if (option !== undefined) option.label = joined(option.label, text.trim());
      last = row;
    } else break;
  }
  if (options.length < 2) return null;
  return { options: button === null ? options : [...options, button], rows: places, first, last };
}

/** Below check boxes, where they begin: it submits what is ticked. A description begins where the labels do. */
function isButton(text: string, column: number): boolean {
  const [, margin = "", mark = "", label = ""] = unnumbered.exec(text) ?? [];
  return label !== "" && (mark !== "" || margin.length === column);
}

function buttonOf(text: string): ShownOption {
  const [, , mark = "", label = ""] = unnumbered.exec(text) ?? [];
  return { id: label.trim().toLowerCase(), label: label.trim(), isSelected: mark !== "" };
}

/** The next number follows, with at most one blank row in front of it: what is between belongs to the label, however it is indented. */
function goesOn(rows: readonly DialogRow[], from: number, number: number): boolean {
  let isBehindBlank = false;
  for (const { text } of rows.slice(from + 1, from + labelRowsMax)) {
    const found = numbered.exec(text)?.[4];
    if (found !== undefined) return Number(found) === number;
    if (isBehindBlank) return false;
    isBehindBlank = text.trim() === "";
  }
  return false;
}

/** Rows of the same indentation of which one has the pointer. */
function markedList(
  rows: readonly DialogRow[],
  pointers: string,
  isSkipped: (row: DialogRow) => boolean,
): OptionList | null {
  const at = rows.findLastIndex(({ text }) => pointers.includes(marked.exec(text)?.[2] ?? " "));
  const match = marked.exec(rows[at]?.text ?? "");
  if (match === null) return null;
  const [, margin = "", mark = "", gap = ""] = match;
  const column = margin.length + mark.length + gap.length;
  const other = new RegExp(`^\\s{${margin.length}}[\\s○◯]${" ".repeat(gap.length)}\\S`, "u");
  const skips = (row: number): boolean => rows[row] !== undefined && isSkipped(rows[row]);
  const isOption = (row: number): boolean => {
    const text = rows[row]?.text ?? "";
    return row === at || (other.test(text) && indentOf(text.replace(/[○◯]/u, " ")) === column);
  };
  const end = (step: 1 | -1): number => {
    let last = at;
    for (let row = at + step; Math.abs(row - at) <= optionsMax && (isOption(row) || skips(row)); row += step)
      if (!skips(row)) last = row;
    return last;
  };
  const [first, last] = [end(-1), end(1)];
  const places = Array.from({ length: last - first + 1 }, (_, index) => first + index).filter((row) => !skips(row));
  if (places.length < 2) return null;
  const options = places.map((row, index) => ({
    id: String(index + 1),
    label: (row === at ? (match[4] ?? "") : (rows[row]?.text.slice(column) ?? "")).trimEnd(),
    isSelected: row === at,
  }));
  const above = skips(at) ? { above: places.filter((row) => row < at).length } : {};
  return { options, rows: places, ...above, first, last };
}

const indentOf = (text: string): number => Math.max(0, text.search(/\S/));

/** A label that was wrapped: a word that was cut at a slash or a hyphen goes on without a blank. */
const joined = (label: string, more: string): string => (/[/-]$/.test(label) ? label + more : `${label} ${more}`);
