/** Buttons side by side: each with a key in brackets, or known by their words, with one that is lit. */
import type { ScreenLine } from "../screen/screen-lines.ts";
import type { DialogRow } from "./dialog-rows.ts";
import type { ShownOption } from "./option-list.ts";

export interface ButtonRow {
  readonly options: readonly ShownOption[];
  readonly row: number;
  /** Each button has a key of its own: its id. */
  readonly hasKeys: boolean;
}

/** Buttons stand at the end of the screen, with a few rows of status under them. */
const rowsFromEnd = 7;

export function lastButtonRow(
  lines: readonly ScreenLine[],
  rows: readonly DialogRow[],
  known: readonly (readonly string[])[],
): ButtonRow | null {
  const end = rows.findLastIndex(({ isBlank }) => !isBlank);
  for (let row = end; row >= 0 && row > end - rowsFromEnd; row -= 1) {
    const text = rows[row]?.text ?? "";
    const keyed = keyedButtons(text);
    if (keyed !== null) return { options: keyed, row, hasKeys: true };
    const labels = known.find((words) =>
      words.every((word, index) => text.indexOf(word) > text.indexOf(words[index - 1] ?? "")),
    );
    const line = lines[row];
    if (labels !== undefined && line !== undefined) return { options: litButtons(line, labels), row, hasKeys: false };
  }
  return null;
}

/** `[y] Approve   [n] Deny` */
function keyedButtons(text: string): ShownOption[] | null {
  if (!/^\s*\[\w\] \S/.test(text)) return null;
  const found = [...text.matchAll(/\[(\w)\] (\S(?:.*?\S)?)(?=\s{2,}|\s*$)/g)];
  if (found.length < 2) return null;
  return found.map(([, id = "", label = ""]) => ({ id, label, isSelected: false }));
}

/** The one that looks different from all others is lit. */
function litButtons(line: ScreenLine, labels: readonly string[]): ShownOption[] {
  const looks = labels.map((label) => {
    const span = line.spans.find(({ text }) => text.includes(label));
    return span === undefined ? "" : `${span.background} ${span.isInverse}`;
  });
  return labels.map((label, index) => ({
    id: String(index + 1),
    label,
    isSelected:
      looks[index] !== "" && looks.filter((look) => look === looks[index]).length === 1 && labels.length > 2
        ? true
        : isLitOfTwo(line, labels, index),
  }));
}

/** Of two buttons, the one that does not stand on the background of the row. */
function isLitOfTwo(line: ScreenLine, labels: readonly string[], index: number): boolean {
  if (labels.length !== 2) return false;
  const around = line.spans[0]?.background;
  const own = line.spans.find(({ text }) => text.includes(labels[index] ?? ""));
  return own !== undefined && (own.isInverse || own.background !== around);
}
