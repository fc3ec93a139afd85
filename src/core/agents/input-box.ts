/** Finds the input box of an agent on its screen, and the fixed places around it. */
import type { ScreenLine } from "../screen/screen-lines.ts";
import type { InputBoxRule, ScreenPlace } from "./agent.ts";

/** Rows, counted from 0. */
export interface InputBox {
  /** Its upper edge; the same as `first` where there is none. */
  readonly top: number;
  /** First and last row of input. */
  readonly first: number;
  readonly last: number;
  readonly bottom: number;
}

/** The last answer for a screen: several views ask for the same one. */
const known = new WeakMap<
  readonly ScreenLine[],
  { readonly rules: readonly InputBoxRule[]; readonly box: InputBox | null }
>();

/** The lowest box that one of the rules finds. `lines` must not change afterwards. */
export function findInputBox(lines: readonly ScreenLine[], rules: readonly InputBoxRule[]): InputBox | null {
  const before = known.get(lines);
  if (before?.rules === rules) return before.box;
  const box = searchBox(lines, rules);
  known.set(lines, { rules, box });
  return box;
}

function searchBox(lines: readonly ScreenLine[], rules: readonly InputBoxRule[]): InputBox | null {
  const end = lastRow(lines);
  for (const rule of rules) {
    const least = Math.max(1, end - rule.rowsBelowMax);
    // A bottom that is a blank row may stand under everything else.
    for (let bottom = Math.min(end + 1, lines.length - 1); bottom >= least; bottom -= 1) {
      if (!rule.bottom.test(textAt(lines, bottom)) || rule.below?.test(textAt(lines, bottom + 1)) === false) continue;
      const box = boxOver(lines, bottom, rule);
      if (box !== null) return endingAtEdge(lines, box, rule);
    }
  }
  return null;
}

/** An agent that draws anew can leave a copy of its edge below: the box ends at the first one under its prompt. */
function endingAtEdge(lines: readonly ScreenLine[], box: InputBox, { bottom, below }: InputBoxRule): InputBox {
  for (let row = box.first + 1; row < box.bottom; row += 1)
    if (
      textAt(lines, row).trim() !== "" &&
      bottom.test(textAt(lines, row)) &&
      below?.test(textAt(lines, row + 1)) !== false
    )
      return { ...box, last: row - 1, bottom: row };
  return box;
}

/** The text at a fixed place; rows that are next to each other are joined by a blank. Empty where the place is not there. */
export function textAtPlace(lines: readonly ScreenLine[], box: InputBox | null, place: ScreenPlace): string {
  if (place.in === "end") return joinUpwards(lines, lastRow(lines), place.rows);
  if (box === null) return "";
  switch (place.in) {
    case "top":
      return textAt(lines, box.top);
    case "above":
      return joinUpwards(lines, box.top - 1, place.rows);
    case "below":
      return lines
        .slice(box.bottom, box.bottom + place.rows + 1)
        .map(({ text }) => text)
        .join(" ");
  }
}

/** Number of the last row that is not blank; -1 where all are. */
export function lastRow(lines: readonly ScreenLine[]): number {
  let row = lines.length - 1;
  while (row >= 0 && textAt(lines, row).trim() === "") row -= 1;
  return row;
}

function boxOver(lines: readonly ScreenLine[], bottom: number, rule: InputBoxRule): InputBox | null {
  for (let row = bottom - 1; row >= 0 && row >= bottom - rule.rowsMax; row -= 1) {
    const text = textAt(lines, row);
    if (rule.prompt === null) {
      if (row < bottom - 1 && rule.top?.test(text) === true)
        return { top: row, first: row + 1, last: bottom - 1, bottom };
      continue;
    }
    if (!rule.prompt.test(text)) {
      if (rule.inner?.test(text) === false) return null;
      continue;
    }
    if (rule.top === null) return { top: row, first: row, last: bottom - 1, bottom };
    if (rule.top.test(textAt(lines, row - 1))) return { top: row - 1, first: row, last: bottom - 1, bottom };
  }
  return null;
}

/** `rows` rows that are not blank, from `from` upwards, in reading order. */
function joinUpwards(lines: readonly ScreenLine[], from: number, rows: number): string {
  const found: string[] = [];
  for (let row = from; row >= 0 && found.length < rows; row -= 1) {
    const text = textAt(lines, row);
    if (text.trim() !== "") found.unshift(text);
  }
  return found.join("\n");
}

const textAt = (lines: readonly ScreenLine[], row: number): string => lines[row]?.text ?? "";
