/**
 * Reads the dialog that stands on a screen, if one does. The law: a dialog stands at the end of the screen, in the place of the input
 * box, or in the line of the cursor. A text that looks like one, above a box or a prompt, is not one.
 */
import { cursorLine, looksLikePrompt } from "../agents/cursor-line.ts";
import { findInputBox } from "../agents/input-box.ts";
import type { Agent, DialogParts } from "../agents/agent.ts";
import type { Pattern } from "../agents/pattern.ts";
import { cutText } from "../text/cut-text.ts";
import type { Frame } from "../screen/frame.ts";
import { noSubject, type ApprovalKind, type ApprovalOption, type QuestionSubject } from "./approval.ts";
import { lastButtonRow } from "./button-row.ts";
import { dialogRows, textOfRows, type DialogRow } from "./dialog-rows.ts";
import { ELLIPSIS_END, isFoldMark } from "./fold-mark.ts";
import { readChoice } from "./choices.ts";
import { subjectOf, withoutTips, type SubjectRows } from "./subject.ts";
import { effectOf, kindOf } from "./effects.ts";
import { foreignDialog } from "./foreign-dialog.ts";
import { isKeyHint, saysEscapeLeaves, withoutKeyHints } from "./key-hint.ts";
import { lineQuestion, type LineQuestion } from "./line-question.ts";
import { numberedAbove, numberedBelow } from "./numbered-lines.ts";
import { lastOptionList, POINTERS, type OptionList, type ShownOption } from "./option-list.ts";
import type { ReaderContext } from "./reader.ts";

export interface Dialog extends QuestionSubject {
  readonly kind: ApprovalKind;
  readonly question: string;
  readonly details: string;
  readonly options: readonly ApprovalOption[];
  readonly selected: string | null;
  /** False if a part of the text or of the options is not on the screen. */
  readonly isComplete: boolean;
  /**
   * How it is answered: a mark that is moved up and down or left and right, a key for each option, or a line that is typed. `choices`: Space
   * ticks what the mark is at, and Enter submits all that is ticked. `unknown`: nobody can tell.
   */
  readonly layout: "list" | "choices" | "buttons" | "keys" | "line" | "unknown";
  /** The mark is on a row that cannot be chosen, below so many options. */
  readonly above?: number;
}

/** What is known beside the screen. */
export interface DialogContext extends ReaderContext {
  /** The prompt of the shell or line editor; what stands behind it is being typed. */
  readonly prompt: string | null;
}

/** Above a list; a line that an agent's rules know may be further away, as behind a command of many lines. */
const questionRowsMax = 20;
const knownQuestionRowsMax = 200;
/** From the top of a dialog to its options. */
const detailRowsMax = 40;
const rowsBelowMax = 9;
const textCharsMax = 4000;
const questionCharsMax = 500;
/** A screen without such a row has no list: most have none. */
const optionLike = /[❯›▸►➤→●◉◆]\s|^\W*\d{1,2}[.)]\s|\[\w\] \S/u;

/** Id of the option that a list does not show and its hint names. */
export const WAY_OUT = "esc";
/** Id of the option that submits what is ticked. */
export const SUBMIT = "submit";
/** So many rows a question takes that is answered below it, and so many are between it and the cursor. */
const wrappedRowsMax = 3;

export function readDialog(frame: Frame, context: DialogContext): Dialog | null {
  const { profile } = context;
  if (profile !== undefined && findInputBox(frame.lines, profile.boxes) !== null) return null;
  const dialog = profile === undefined ? dialogOfForeign(frame) : dialogOfAgent(frame, profile);
  return dialog ?? lineDialog(frame, context) ?? unknownDialog(frame, context);
}

function unknownDialog(frame: Frame, context: DialogContext): Dialog | null {
  const question = questionOfKeyReader(frame, context);
  return question === null ? null : { ...lineOf(question, "question"), layout: "unknown" };
}

function dialogOfAgent(frame: Frame, profile: Agent): Dialog | null {
  const { buttons, pointer } = profile.dialogs;
  if (buttons.length === 0 && pointer === null && !frame.lines.some(({ text }) => optionLike.test(text))) return null;
  const rows = dialogRows(frame.lines).map((row) =>
    isFrame(row, profile) ? { ...row, text: "", isBlank: true } : row,
  );
  return listDialog(frame, rows, profile) ?? buttonDialog(frame, rows, profile);
}

function dialogOfForeign(frame: Frame): Dialog | null {
  let rows: readonly DialogRow[] = [];
  const found = foreignDialog(frame, () => (rows = dialogRows(frame.lines)));
  if (found === null) return null;
  const { above, below, first, layout, question } = found;
  const shown = [...found.options, ...(layout === "choices" ? [submitting] : [])];
  const { options, isCut } =
    layout === "list" ? withWayOut(shown, { below, question: question.text }) : { options: shown, isCut: false };
  const dialog = dialogOf({
    rows,
    first,
    question: { ...question, isKnown: false },
    profile: undefined,
    options: found.canCancel === true ? [...options, leaving] : options,
    layout,
    columns: frame.columns,
    isCut,
  });
  const isComplete = dialog.isComplete && found.isCut !== true;
  return { ...dialog, isComplete, ...(above === undefined ? {} : { above }) };
}

const submitting: ShownOption = { id: SUBMIT, label: "Submit (enter)", isSelected: false };
const leaving: ShownOption = { id: WAY_OUT, label: "Cancel (esc)", isSelected: false };

/** A first or last row that says nothing: a border of other characters than the common ones. */
function isFrame({ raw, isBlank }: DialogRow, profile: Agent): boolean {
  if (isBlank || /[\p{L}\p{N}]/u.test(raw)) return false;
  const { top, bottom } = profile.dialogs;
  return top?.test(raw) === true || bottom?.test(raw) === true;
}

/** The last row of a dialog or of the input box is missing, so it is still being drawn: nothing can be read from it, nor from its absence. */
export function isPartlyDrawn({ lines }: Frame, { profile }: Pick<DialogContext, "profile">): boolean {
  const { top = null, bottom = null } = profile?.dialogs ?? {};
  if (top === null || bottom === null) return false;
  const from = lines.findLastIndex(({ text }) => top.test(text));
  return from !== -1 && !lines.slice(from).some(({ text }) => bottom.test(text));
}

function listDialog(frame: Frame, rows: readonly DialogRow[], profile: Agent): Dialog | null {
  const { bottom, hints, pointer } = profile.dialogs;
  const list = lastOptionList(rows, pointer ?? POINTERS);
  if (list === null) return null;
  if (bottom !== null && !rows.slice(list.last + 1).some(({ raw }) => bottom.test(raw))) return null;
  const below = rows.slice(list.last + 1).filter(({ isBlank }) => !isBlank);
  if (below.length > rowsBelowMax) return null;
  const selected = list.options.filter(({ isSelected }) => isSelected);
  if (selected.length > 1) return null;
  if (!isPlaceOfOptions(rows, list, profile)) return null;
  const question = questionOver(rows, list.first, profile);
  const hasHint = below.some(({ text }) => isKeyHint(text) || matches(hints, text.trim()));
  const isAsked = question !== null && (question.isKnown || /[?:]$/.test(question.text));
  if (selected.length === 0 && !(question?.isKnown === true && hasHint)) return null;
  if (!isAsked && !hasHint) return null;
  const { options, isCut } = withWayOut(list.options, { below, question: question?.text ?? "" });
  return dialogOf({
    rows,
    first: list.first,
    question,
    profile,
    options,
    layout: "list",
    columns: frame.columns,
    isCut,
  });
}

/** A text of the agent that looks like a dialog does not stand where its dialogs do. */
function isPlaceOfOptions(
  rows: readonly DialogRow[],
  { first, last }: Pick<OptionList, "first" | "last">,
  { dialogs: { options, top } }: Agent,
): boolean {
  if (options === undefined || rows.slice(first, last + 1).some(({ raw }) => options.row.test(raw))) return true;
  return options.orUnderTop && rows.slice(Math.max(0, first - detailRowsMax), first).some(({ raw }) => top?.test(raw));
}

/** A list of permissions without a refusal was cut; the key that its hint names for leaving is the refusal. */
function withWayOut(
  options: readonly ShownOption[],
  { below, question }: { readonly below: readonly DialogRow[]; readonly question: string },
): { readonly options: readonly ShownOption[]; readonly isCut: boolean } {
  const known = options.map(withEffect);
  const kind = kindOf(question, [...known, refusal]);
  const effects = new Set(hasEffects(kind) ? known.map(({ effect }) => effect) : []);
  if (effects.has("deny")) return { options, isCut: false };
  const isChoice = effects.has("allow") || effects.has("allow-always");
  const keys = below.map(({ text }) => text.trim()).join(" ");
  const out = saysEscapeLeaves(keys) || /\(esc\)/i.test(keys) ? [leaving] : [];
  return { options: [...options, ...out], isCut: isChoice };
}

function buttonDialog(frame: Frame, rows: readonly DialogRow[], profile: Agent): Dialog | null {
  const buttons = lastButtonRow(frame.lines, rows, profile.dialogs.buttons);
  if (buttons === null) return null;
  const question = questionOver(rows, buttons.row, profile);
  if (question?.isKnown !== true) return null;
  const layout = buttons.hasKeys ? "keys" : "buttons";
  return dialogOf({
    rows,
    first: buttons.row,
    question,
    profile,
    options: buttons.options,
    layout,
    columns: frame.columns,
    isCut: false,
  });
}

function lineDialog(frame: Frame, { profile, verdict, prompt }: DialogContext): Dialog | null {
  // An agent with an input box asks in dialogs; what stands in front of its cursor is its own matter.
  if (frame.isAlternate || !frame.cursor.isVisible || (profile !== undefined && profile.boxes.length > 0)) return null;
  const { before, after } = cursorLine(frame);
  if (after !== "" || before.trim() === "") return null;
  const found = lineQuestion(before);
  const isAtPrompt = prompt !== null && prompt.trim() !== "" && before.startsWith(prompt.trimEnd());
  // A question that was answered before is asked again: it is no prompt, although a line was typed behind it.
  const above = questionAbove(frame, profile);
  const asked = above ?? found;
  if (isAtPrompt && above === null && !(found !== null && before.trim() === prompt.trim())) return null;
  if (asked !== null) {
    const known = asked.options.map(withEffect);
    const kind = asked.kind ?? kindOf(asked.question, known);
    return {
      ...lineOf(asked.question, kind),
      options: hasEffects(kind) ? known : known.map(withoutEffect),
      selected: asked.options.find(({ isSelected }) => isSelected)?.id ?? null,
    };
  }
  if (verdict === "password") return lineOf(before, "login");
  const numbers =
    verdict === "prompt"
      ? numberedAbove(frame)
      : verdict === "raw" && /^\?\s/.test(before)
        ? numberedBelow(frame)
        : null;
  if (numbers !== null) return { ...lineOf(before, "question"), options: numbers.map(withEffect).map(withoutEffect) };
  const asks = /[?:]\s*$/.test(before) && !looksLikePrompt(before);
  return verdict === "prompt" && asks ? lineOf(before, "question") : null;
}

/** A question whose words are known, and nothing between it and the prompt of the agent, which reads the answer there. */
function questionAbove({ lines, cursor }: Frame, profile: Agent | undefined): LineQuestion | null {
  const known = profile?.dialogs.questions ?? [];
  if (known.length === 0) return null;
  const end = lines.slice(0, cursor.row).findLastIndex(({ text }) => text.trim() !== "");
  for (let first = end; first >= 0 && first > end - wrappedRowsMax && cursor.row - end <= wrappedRowsMax; first -= 1) {
    const rows = lines.slice(first, end + 1);
    const text = rows
      .reduce((joined, row) => (row.isWrapped ? joined + row.text : `${joined} ${row.text.trim()}`), "")
      .trim();
    if (matches(known, text)) return lineQuestion(text);
  }
  return null;
}

const lineOf = (line: string, kind: ApprovalKind): Dialog => ({
  kind,
  question: line.trim().slice(-questionCharsMax),
  details: "",
  ...noSubject,
  options: [],
  selected: null,
  isComplete: true,
  layout: "line",
});

interface Question {
  readonly text: string;
  readonly row: number;
  readonly rows: number;
  /** The profile knows its words. */
  readonly isKnown: boolean;
}

/** The nearest line above that the profile knows, else the nearest that ends like a question. */
function questionOver(rows: readonly DialogRow[], first: number, profile: Agent): Question | null {
  const known = profile.dialogs.questions;
  let nearest: Question | null = null;
  for (let row = first - 1; row >= 0 && row >= first - knownQuestionRowsMax; row -= 1) {
    const text = textAt(rows, row);
    if (text === "") continue;
    for (const count of [1, 2, 3]) {
      // Narrow screens wrap it.
      const joined = Array.from({ length: count }, (_, index) => textAt(rows, row + index)).join(" ");
      if (row + count <= first && matches(known, joined)) return { text: joined, row, rows: count, isKnown: true };
    }
    if (nearest === null && row >= first - questionRowsMax && /[?:]$/.test(text))
      nearest = { text, row, rows: 1, isKnown: false };
  }
  return nearest;
}

interface Parts {
  readonly rows: readonly DialogRow[];
  /** First row of the options. */
  readonly first: number;
  readonly question: Question | null;
  readonly profile: Agent | undefined;
  readonly options: readonly ShownOption[];
  readonly layout: Dialog["layout"];
  readonly columns: number;
  /** Options are missing. */
  readonly isCut: boolean;
}

/** First row above `asked` that is inside of the same frame at the left; the first of the screen if there is none. */
function framedFrom(rows: readonly DialogRow[], asked: number): number {
  const frame = /^\s*[│┃║]/u;
  if (!frame.test(rows[asked]?.raw ?? "")) return 0;
  return rows.slice(0, asked).findLastIndex(({ raw }) => !frame.test(raw)) + 1;
}

function dialogOf({ rows, first, question, profile, options, layout, columns, isCut }: Parts): Dialog {
  // A panel beside the dialog stands far to the right of it.
  const text = (question?.text ?? "")
    .replace(/^[△▲◆?]\s+/u, "")
    .replace(/\s{4,}.*$/s, "")
    .slice(0, questionCharsMax);
  const withEffects = options.map(withEffect);
  const kind = kindOf(text, isCut ? [...withEffects, refusal] : withEffects);
  const around = rowsAround({ rows, first, question, profile, columns });
  const parts = profile?.dialogs.parts ?? noParts;
  const shown = [around.before, around.after].map((part) => textOfRows(withoutTips(part, { parts, columns })));
  const details = shown.filter((part) => part !== "").join("\n");
  const about = kind === "permission" ? subjectOf(around, { parts, question: text, columns }) : noSubject;
  const matterRows = (about.command ?? about.change ?? "").split("\n").length;
  const isFolded =
    (parts.scrolls !== null && matterRows >= parts.scrolls) ||
    [...around.before, ...around.after].some((row) => isFoldMark(row.text) || ELLIPSIS_END.test(row.text)) ||
    rows.slice(first).some((row) => isFoldMark(row.text));
  return {
    kind,
    question: text,
    details: cutText(details, textCharsMax, "all of it is on the screen"),
    ...about,
    options: hasEffects(kind) ? withEffects : withEffects.map(withoutEffect),
    selected: options.find(({ isSelected }) => isSelected)?.id ?? null,
    isComplete: !isCut && !around.isCut && !isFolded && details.length <= textCharsMax,
    layout,
  };
}

const noParts: DialogParts = {
  tool: null,
  command: null,
  directory: null,
  reason: null,
  tips: [],
  clips: null,
  scrolls: null,
};

/** What stands between the beginning of the dialog and the question, and between the question and the options. */
function rowsAround({
  rows,
  first,
  question,
  profile,
  columns,
}: Pick<Parts, "rows" | "first" | "question" | "profile" | "columns">): SubjectRows {
  const asked = question?.row ?? first;
  const { clips } = profile?.dialogs.parts ?? noParts;
  const clipped = (row: DialogRow): DialogRow =>
    clips !== null && row.text.length >= columns - clips ? { ...row, text: `${row.text}…` } : row;
  const own = (from: number, to: number): DialogRow[] =>
    rows
      .slice(from, to)
      .filter(({ text, isBlank }) => isBlank || text.search(/\S/) < columns / 2)
      .map((row) => clipped(row));
  const after = question === null ? [] : own(asked + question.rows, first);
  const top = profile?.dialogs.top ?? null;
  if (top === null) return { before: [], after, isCut: false };
  const from = rows.slice(0, asked).findLastIndex(({ raw }) => top.test(raw));
  // A dialog that is higher than the screen has lost its top.
  const isCut = from === -1 && question?.isKnown === true;
  const begin = isCut ? framedFrom(rows, asked) : from;
  return { before: begin === -1 ? [] : own(begin, asked), after, isCut };
}

/** Of a choice between other things a label such as "No colour" refuses nothing, and "Yes" may agree to anything. */
const hasEffects = (kind: ApprovalKind): boolean => kind === "permission" || kind === "trust";

const refusal: ApprovalOption = { id: "", label: "", effect: "deny" };
/** The key that leaves a dialog refuses it, whatever it asks. */
const withoutEffect = (option: ApprovalOption): ApprovalOption =>
  option.id === WAY_OUT ? option : { ...option, effect: "other" };
const withEffect = ({ checked, id, label }: ShownOption): ApprovalOption => {
  const choice = checked === undefined ? readChoice(label) : { label, checked };
  return { id, effect: effectOf(choice.label), ...choice };
};
const textAt = (rows: readonly DialogRow[], row: number): string => rows[row]?.text.trim() ?? "";
const matches = (patterns: readonly Pattern[] | undefined, text: string): boolean =>
  patterns?.some((pattern) => pattern.test(text)) === true;

// Programs that take keys and show nothing that is known: each key of a text could answer something. They are at least a hint, so that people
// see that somebody is waited for.

const ROWS_MAX = 20;
/** A fixed text: what such a program shows may change all the time. */
const NO_QUESTION = "(it takes keys, and shows no question that is known)";
/** How many lines of how many a filter leaves, in the row beside the one that is typed in. */
const FILTER_COUNT = /^\s*\d+\/\d+(?:\s|$)/;
/** At the end of a full-screen dialog, which may read pastes for one of its fields. */
const BUTTONS = /<\s*(?:ok|yes|no|cancel|back|finish)\s*>[\s│┃|]*$/i;
/** In front of the questions of the common libraries. */
const FRAME_AND_MARK = /^[\s│┃]*(?:[?◆▲]\s+)?/u;

/**
 * The last row that asks, or a fixed text; null for a program that does not take single keys, and where text is typed: a line editor asks for
 * pastes or shows its cursor.
 */
export function questionOfKeyReader(frame: Frame, context: ReaderContext): string | null {
  const { canonical = null, isAtShellPrompt, profile, verdict } = context;
  if (profile !== undefined || isAtShellPrompt || (verdict !== "raw" && canonical !== false)) return null;
  const { before } = cursorLine(frame);
  const { isVisible, row } = frame.cursor;
  const rows = frame.lines.map(({ text }) => text).filter((text) => text !== "");
  const isFilter = isVisible && [row - 1, row + 1].some((beside) => FILTER_COUNT.test(frame.lines[beside]?.text ?? ""));
  const isBoxed = BUTTONS.test(rows.findLast((text) => /[^\s|\u2500-\u259F]/u.test(text)) ?? "");
  const isMarked = isVisible && /^\?\s+\S/.test(before);
  const takesKeys = verdict === "raw" && !frame.takesPastes && (!isVisible || isMarked);
  if (!takesKeys && !isFilter && !isBoxed) return null;
  if (isMarked) return before.trim();
  const shown = rows
    .slice(-ROWS_MAX)
    .map((text) => withoutKeyHints(text.replace(FRAME_AND_MARK, "").replace(/\s*[│┃|]$/u, "")));
  return shown.findLast((text) => text.endsWith("?")) ?? NO_QUESTION;
}
