/**
 * The dialog of a program without rules of its own, in the forms that the common libraries draw: inquirer, prompts, enquirer, clack, ink,
 * newt (whiptail), dialog, prompt_toolkit. More is wanted of it than of a known agent: it ends the screen, somebody is asked, and the program
 * has hidden the cursor, put it on its buttons, or names its keys.
 */
import { cursorLine, looksLikePrompt } from "../agents/cursor-line.ts";
import type { Frame } from "../screen/frame.ts";
import type { ScreenLine, StyledSpan } from "../screen/screen-lines.ts";
import type { DialogRow } from "./dialog-rows.ts";
import { isKeyHint, withoutKeyHints } from "./key-hint.ts";
import { lastOptionList, POINTERS, type ShownOption } from "./option-list.ts";

export interface ForeignDialog {
  readonly question: { readonly text: string; readonly row: number };
  /** Row of the first option. */
  readonly first: number;
  readonly options: readonly ShownOption[];
  readonly layout: "list" | "buttons" | "keys";
  /** What is below the options. */
  readonly below: readonly DialogRow[];
}

const QUESTION_ROWS_MAX = 20;
const ROWS_BELOW_MAX = 3;
/** A screen without such a row has no dialog: most have none. */
const LIKE_DIALOG =
  /[❯›▸►➤→●◉◆>]\s|^\W*\d{1,2}[.)]\s|\[\w\] \S|\([Yy]\/[Nn]\)|<\s*[Yy][Ee][Ss]\s*>|[›‣]\s\S.*\s\/\s\S|[◉◯]/u;
/** Several choices: which key ticks one, and which one submits, is not shown. */
const CHECK_BOX = /(?:^|[\s❯›▸►➤→>])(?:[◯◉◻◼☐☑☒✔✓]\s|\[[ xX*✔✓]?\]\s|\([ xX*]\)\s)/u;
/** In front of the questions of inquirer, prompts, enquirer and clack. */
const ASKING_MARK = /^[?◆]\s+\S/u;
const RADIO = /([●◉○◯])\s+([^●◉○◯/]*[^●◉○◯/\s])/gu;
const TOGGLE = /^(.*\S)\s+[›‣]\s+(\S+)\s+\/\s+(\S+)$/u;
const KEY_CHOICE = /^(.*\w.*?)\s*(?:[›‣]\s*)?[[(]([Yy])\/([Nn])[\])]\s*(?:[›‣]\s*\w*)?$/u;
const YES_AND_NO = /<\s*(Yes)\s*>\s*<\s*(No)\s*>/i;

export function foreignDialog(frame: Frame, rowsOf: () => readonly DialogRow[]): ForeignDialog | null {
  if (!frame.lines.some(({ text }) => LIKE_DIALOG.test(text))) return null;
  const rows = rowsOf();
  return choiceOfRow(frame, rows) ?? choiceOfRows(frame, rows);
}

function choiceOfRows(frame: Frame, rows: readonly DialogRow[]): ForeignDialog | null {
  const { isVisible } = frame.cursor;
  // Quoted text begins with ">" too: a program that asks names its keys.
  const namesKeys = filledRows(rows, 0)
    .slice(-ROWS_BELOW_MAX)
    .some(({ text }) => isKeyHint(text));
  const list = lastOptionList(rows, namesKeys && !isVisible ? `${POINTERS}>` : POINTERS);
  if (list === null || list.options.filter(({ isSelected }) => isSelected).length !== 1) return null;
  const below = filledRows(rows, list.last + 1);
  if (below.length > ROWS_BELOW_MAX) return null;
  const { before } = cursorLine(frame);
  if (isVisible && looksLikePrompt(before) && !/^\s*[❯›>]/u.test(before)) return null;
  if (isVisible && !below.some(({ text }) => isKeyHint(text))) return null;
  const question = questionOver(rows, list.first);
  if (question === null || rows.slice(question.row).some(({ text }) => CHECK_BOX.test(text))) return null;
  return { question, first: list.first, options: list.options, layout: "list", below };
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
    const question = questionOver(rows, row);
    return question && { question, first: row, options: buttons, layout: "buttons", below };
  }
  if (frame.cursor.isVisible) return null;
  const radio = radioOptions(text);
  if (radio !== null) {
    const question = questionOver(rows, row);
    return question && { question, first: row, options: radio, layout: "buttons", below };
  }
  const [, asked = "", left = "", right = ""] = TOGGLE.exec(text.trim()) ?? [];
  if (asked !== "" && ASKING_MARK.test(asked)) {
    const options = colouredOption(line, [left, right]);
    return options && { question: { text: asked, row }, first: row, options, layout: "buttons", below };
  }
  const [, named = "", yes = "", no = ""] = KEY_CHOICE.exec(text.trim()) ?? [];
  if (named === "") return null;
  return { question: { text: named, row }, first: row, options: keyOptions(yes, no), layout: "keys", below };
}

/** The nearest row above that ends like a question, or that directly above with the mark of a question. */
function questionOver(rows: readonly DialogRow[], first: number): ForeignDialog["question"] | null {
  let isNearest = true;
  for (let row = first - 1; row >= 0 && row >= first - QUESTION_ROWS_MAX; row -= 1) {
    const text = withoutKeyHints(rows[row]?.text ?? "");
    if (text === "") continue;
    if (/[?:]$/.test(text) || (isNearest && ASKING_MARK.test(text))) return { text, row };
    isNearest = false;
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

/** Of the cell behind so many characters: what is asked for here is in a row of narrow ones. */
const styleAt = (line: ScreenLine, column: number): StyledSpan | undefined =>
  line.spans.findLast((span) => span.column <= column);
