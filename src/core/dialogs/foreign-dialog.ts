/**
 * The dialog of a program without rules of its own, in the forms that the common libraries draw: inquirer, prompts, enquirer, clack, ink,
 * newt (whiptail), dialog, prompt_toolkit. More is wanted of it than of a known agent: it ends the screen, somebody is asked, and the program
 * has hidden the cursor, put it on its buttons, or names its keys.
 */
import { cursorLine, looksLikePrompt } from "../agents/cursor-line.ts";
import type { Frame } from "../screen/frame.ts";
import type { ScreenLine } from "../screen/screen-lines.ts";
import { lastBoxList } from "./box-list.ts";
import { isSeparator, type DialogRow } from "./dialog-rows.ts";
import { isKeyHint, ticksBySpace, withoutKeyHints } from "./key-hint.ts";
import { isFaintAt, styleAt } from "./lit-row.ts";
import { listInBox, okBox, type OkBox } from "./ok-box.ts";
import { lastOptionList, POINTERS, type OptionList, type ShownOption } from "./option-list.ts";

export interface ForeignDialog {
  readonly question: { readonly text: string; readonly row: number; readonly rows: number };
  /** Row of the first option. */
  readonly first: number;
  readonly options: readonly ShownOption[];
  readonly layout: "list" | "choices" | "buttons" | "keys";
  /** The mark of a list is on a row that cannot be chosen, below so many options. */
  readonly above?: number;
  /** There are more options than are shown. */
  readonly isCut?: boolean;
  /** The dialog has a button that cancels it. */
  readonly canCancel?: boolean;
  readonly below: readonly DialogRow[];
}

const QUESTION_ROWS_MAX = 20;
const ROWS_BELOW_MAX = 3;
/** A screen without such a row has no dialog: most have none. */
const LIKE_DIALOG =
  /[❯›▸►➤→●◉◆>»✔✓◻◼☐☑☒]\s|^\W*\d{1,2}[.)]\s|\[[\w* ]\] \S|\([Yy]\/[Nn]\)|<\s*(?:[Yy][Ee][Ss]|[Oo][Kk])\s*>|[›‣]\s\S.*\s\/\s\S|[◉◯]/u;
/** A box in a row of a list: Enter would submit all that is ticked, so that such a row is no option of a list. */
const CHECK_BOX = /(?:^|[\s❯›▸►➤→>»])(?:[◯◉◻◼☐☑☒✔✓]\s|\[[ xX*✔✓]?\]\s|\([ xX*]\)\s)/u;
/** In front of the selected option of a program without rules. */
const FOREIGN_POINTERS = `${POINTERS}»`;
/** In front of the questions of inquirer, prompts, enquirer and clack. */
const ASKING_MARK = /^[?◆▲]\s+\S/u;
/** An entry that inquirer does not let anybody choose, or a rule between two entries. */
const DISABLED = /^\s*- \S|\(disabled\)$/iu;
const INQUIRER_PAGE = 7;
const INQUIRER_KEYS = /^↑↓ navigate • /u;
const MORE_ROWS = /^\s*(?:\.\.\.$|[↑↓] \S)/u;
const RADIO = /([●◉○◯])\s+([^●◉○◯/]*[^●◉○◯/\s])/gu;
const TOGGLE = /^(.*\S)\s+[›‣]\s+(\S+)\s+\/\s+(\S+)$/u;
const KEY_CHOICE = /^(.*\w.*?)\s*(?:[›‣]\s*)?[[(]([Yy])\/([Nn])[\])]\s*(?:[›‣]\s*\w*)?$/u;
const YES_AND_NO = /<\s*(Yes)\s*>\s*<\s*(No)\s*>/i;

export function foreignDialog(frame: Frame, rowsOf: () => readonly DialogRow[]): ForeignDialog | null {
  if (!frame.lines.some(({ spans, text }) => spans[0]?.isInverse === true || LIKE_DIALOG.test(text))) return null;
  const rows = rowsOf();
  const box = okBox(frame, rows);
  return (
    (box && choiceInBox(frame, rows, box)) ??
    choiceOfRow(frame, rows) ??
    choicesOfRows(frame, rows) ??
    choiceOfRows(frame, rows) ??
    choiceByInverse(frame, rows)
  );
}

/** The last rows, below a question: exactly one is inverse, and the cursor, if it is shown, is in front of one of them. */
function choiceByInverse(frame: Frame, rows: readonly DialogRow[]): ForeignDialog | null {
  const { column, isVisible, row } = frame.cursor;
  const last = rows.findLastIndex(({ isBlank }) => !isBlank);
  const list = frame.isAlternate ? null : listInBox(frame, rows, { row: last + 1 });
  if (list === null || (isVisible && (column > 0 || row < list.first || row > list.last))) return null;
  const question = foreignQuestion(rows, list.first);
  // A cell that an input box draws as its cursor is no row.
  const isRow = list.options.every(({ isSelected }, index) => {
    const spans = (frame.lines[list.rows[index] ?? -1]?.spans ?? []).filter(({ text }) => text.trim() !== "");
    return spans.every(({ isInverse }) => isInverse === isSelected);
  });
  if (!isRow || question === null) return null;
  return { ...list, question, layout: "list", below: [] };
}

/** In a box with buttons the text above the list asks, however it ends. */
function choiceInBox(frame: Frame, rows: readonly DialogRow[], box: OkBox): ForeignDialog | null {
  const boxes = lastBoxList(frame, rows.slice(0, box.row));
  const list = boxes ?? listInBox(frame, rows, box);
  if (list === null) return null;
  const { row: cursorRow, isVisible } = frame.cursor;
  // There Enter ticks what the cursor is on.
  if (isVisible && cursorRow >= list.first && cursorRow <= list.last) return null;
  const row = rows.slice(0, list.first).findLastIndex(({ isBlank }) => !isBlank);
  if (row === -1) return null;
  const question = { text: rows[row]?.text.trim() ?? "", row, rows: 1 };
  return { ...list, question, layout: boxes === null ? "list" : "choices", canCancel: box.canCancel, below: [] };
}

/** Check boxes: their keys are named, or they are drawn as enquirer does, with the cursor in the row of the question. */
function choicesOfRows(frame: Frame, rows: readonly DialogRow[]): ForeignDialog | null {
  const list = lastBoxList(frame, rows);
  if (list === null) return null;
  const below = filledRows(rows, list.last + 1);
  const question = foreignQuestion(rows, list.first);
  if (question === null || below.length > ROWS_BELOW_MAX) return null;
  const { isVisible, row: cursorRow } = frame.cursor;
  const asking = rows.slice(question.row, list.first);
  const named = [...asking, ...below].map(({ text }) => text.trim()).join(" ");
  const isBare = asking.length === 1 && below.length === 0 && ASKING_MARK.test(question.text);
  if (!ticksBySpace(named) && !(isBare && !isVisible && cursorRow === question.row)) return null;
  if (isVisible && (cursorRow < question.row || cursorRow >= list.first)) return null;
  return { ...list, question, layout: "choices", isCut: list.isCut === true || goesOn(rows, list), below };
}

function choiceOfRows(frame: Frame, rows: readonly DialogRow[]): ForeignDialog | null {
  const { isVisible, row: cursorRow } = frame.cursor;
  // Quoted text begins with ">" too: a program that asks names its keys.
  const namesKeys = filledRows(rows, 0)
    .slice(-ROWS_BELOW_MAX)
    .some(({ text }) => isKeyHint(text));
  const pointers = namesKeys && !isVisible ? `${FOREIGN_POINTERS}>` : FOREIGN_POINTERS;
  const list = lastOptionList(rows, pointers, (row) => isSeparator(row) || DISABLED.test(row.text));
  if (list === null) return null;
  const below = filledRows(rows, list.last + 1);
  if (below.length > ROWS_BELOW_MAX) return null;
  const question = foreignQuestion(rows, list.first);
  if (question === null || rows.slice(question.row).some(({ text }) => CHECK_BOX.test(text))) return null;
  const asking = rows.slice(question.row, list.first);
  const isBehindQuestion =
    cursorRow >= question.row && cursorRow < list.first && asking.some(({ text }) => isKeyHint(text));
  const { before } = cursorLine(frame);
  if (isVisible && looksLikePrompt(before) && !/^\s*[❯›>]/u.test(before)) return null;
  if (isVisible && !isBehindQuestion && !below.some(({ text }) => isKeyHint(text))) return null;
  const offered = withoutDisabled(frame, list, asking);
  return offered && { question, first: list.first, layout: "list", isCut: goesOn(rows, list), below, ...offered };
}

/** clack draws dots in place of the rows that are not shown, prompts an arrow; inquirer draws nothing, and a full page may be all. */
const goesOn = (rows: readonly DialogRow[], { first, last, options }: OptionList): boolean =>
  [rows[first - 1], rows[last + 1]].some((row) => MORE_ROWS.test(row?.text ?? "")) ||
  (options.length === INQUIRER_PAGE && rows.slice(last).some(({ text }) => INQUIRER_KEYS.test(text)));

/** prompts draws an entry that cannot be chosen in grey, and says so when the mark is on it. */
function withoutDisabled(
  { lines }: Frame,
  { above, options, rows }: OptionList,
  asking: readonly DialogRow[],
): Pick<ForeignDialog, "options" | "above"> | null {
  const faint = options.map(({ isSelected, label }, index) => {
    const line = lines[rows[index] ?? -1];
    return line !== undefined && !isSelected && isFaintAt(line, line.text.lastIndexOf(label));
  });
  // Of clack all others are grey.
  const isMixed = options.some(({ isSelected }, index) => !isSelected && faint[index] === false);
  const isOnDisabled = asking.some(({ text }) => /- this option is disabled$/i.test(text.trim()));
  const kept = options.filter(({ isSelected }, index) => !(isMixed && faint[index]) && !(isOnDisabled && isSelected));
  const marks = kept.filter(({ isSelected }) => isSelected).length;
  if (marks > 1 || (marks === 0 && above === undefined && !isOnDisabled)) return null;
  const at = kept.findLastIndex(
    (option) => options.indexOf(option) < options.findIndex(({ isSelected }) => isSelected),
  );
  const numbered =
    kept.length === options.length ? kept : kept.map((option, index) => ({ ...option, id: String(index + 1) }));
  return { options: numbered, ...(marks === 0 ? { above: above ?? at + 1 } : {}) };
}

/** The options are side by side, in the last row that is not empty or names keys. */
function choiceOfRow(frame: Frame, rows: readonly DialogRow[]): ForeignDialog | null {
  const row = rows.findLastIndex(({ isBlank, text }) => !isBlank && !isKeyHint(text));
  const [text = "", line] = [rows[row]?.text, frame.lines[row]];
  if (line === undefined) return null;
  const below = filledRows(rows, row + 1);
  const buttons = yesAndNo(line);
  // Buttons are followed by the lower border of their box, and by nothing.
  if (buttons !== null && below.length === 0 && (!frame.cursor.isVisible || frame.cursor.row === row)) {
    const question = foreignQuestion(rows, row);
    return question && { question, first: row, options: buttons, layout: "buttons", below };
  }
  if (frame.cursor.isVisible) return null;
  const radio = radioOptions(text);
  if (radio !== null) {
    const question = foreignQuestion(rows, row);
    return question && { question, first: row, options: radio, layout: "buttons", below };
  }
  const [, asked = "", left = "", right = ""] = TOGGLE.exec(text.trim()) ?? [];
  if (asked !== "" && ASKING_MARK.test(asked)) {
    const options = colouredOption(line, [left, right]);
    return options && { question: { text: asked, row, rows: 1 }, first: row, options, layout: "buttons", below };
  }
  const [, named = "", yes = "", no = ""] = KEY_CHOICE.exec(text.trim()) ?? [];
  if (named === "") return null;
  return { question: { text: named, row, rows: 1 }, first: row, options: keyOptions(yes, no), layout: "keys", below };
}

/** The nearest row above that ends like a question, or that directly above with the mark of a question; with the rows below it that name keys. */
function foreignQuestion(rows: readonly DialogRow[], first: number): ForeignDialog["question"] | null {
  let isNearest = true;
  let hintsFrom = first;
  for (let row = first - 1; row >= 0 && row >= first - QUESTION_ROWS_MAX; row -= 1) {
    const text = withoutKeyHints(rows[row]?.text ?? "");
    const isRestOfHint = /^[^()]*\)$/.test(text);
    if (text === "Instructions:" || (isNearest && (isRestOfHint || MORE_ROWS.test(text)))) {
      isNearest = true;
      hintsFrom = row;
    } else if (text !== "") {
      if (/[?:]$/.test(text) || (isNearest && ASKING_MARK.test(text)))
        return { text, row, rows: hintsFrom === row + 1 ? first - row : 1 };
      isNearest = false;
    }
  }
  return null;
}

const filledRows = (rows: readonly DialogRow[], from: number): DialogRow[] =>
  rows.slice(from).filter(({ isBlank }) => !isBlank);

/** `● Yes / ○ No` of clack. */
function radioOptions(text: string): ShownOption[] | null {
  const found = [...text.matchAll(RADIO)].map(([, mark = "", label = ""], index) => ({
    id: String(index + 1),
    label,
    isSelected: /[●◉]/u.test(mark),
  }));
  return found.length >= 2 && isOneSelected(found) ? found : null;
}

/** `[y/N]`, or `(y/N)`: the capital one is what Enter gives. */
const keyOptions = (yes: string, no: string): ShownOption[] =>
  [yes, no].map((label, index) => ({
    id: label.toLowerCase(),
    label,
    isSelected: yes !== no && label === label.toUpperCase() && [yes, no][1 - index] !== label.toUpperCase(),
  }));

/** `<Yes> <No>` of newt, dialog and prompt_toolkit: the lit one is not on the background of the box. */
function yesAndNo(line: ScreenLine): ShownOption[] | null {
  const found = YES_AND_NO.exec(line.text);
  if (found === null) return null;
  const at = [found.index, line.text.indexOf("<", found.index + 1)];
  const box = styleAt(line, found.index - 1)?.background;
  const options = ["Yes", "No"].map((label, index) => {
    const style = styleAt(line, at[index] ?? 0);
    return { id: String(index + 1), label, isSelected: style?.background !== box || style?.isInverse === true };
  });
  return isOneSelected(options) ? options : null;
}

/** `no / yes` of prompts and enquirer: one of the two has a colour. */
function colouredOption(line: ScreenLine, labels: readonly [string, string]): ShownOption[] | null {
  const at = line.text.lastIndexOf(`${labels[0]} /`);
  const columns = [at, line.text.indexOf(labels[1], at + labels[0].length)];
  const options = labels.map((label, index) => ({
    id: String(index + 1),
    label,
    isSelected: styleAt(line, columns[index] ?? 0)?.foreground !== -1,
  }));
  return isOneSelected(options) ? options : null;
}

const isOneSelected = (options: readonly ShownOption[]): boolean =>
  options.filter(({ isSelected }) => isSelected).length === 1;
