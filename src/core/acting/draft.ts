/**
 * What stands where a prompt would be typed: in the input box of an agent, or behind the prompt of a shell.
 *
 * A placeholder is not a draft. Agents draw it dim, or in grey behind a cursor at the beginning, or with words that their profile has.
 */
import { isGreyText } from "../agents/colours.ts";
import { cursorLine, endsLikeShell, looksLikePrompt } from "../agents/cursor-line.ts";
import { findInputBox } from "../agents/input-box.ts";
import type { Agent, DraftRule, FoldUnit, LineRules } from "../agents/agent.ts";
import type { BoxRules } from "./box-text.ts";
import { ink, TAIL_CHARS_MAX } from "./proof.ts";
import type { TargetKind } from "./target.ts";
import { mayAsk } from "../dialogs/line-question.ts";
import { isBarePrompt, isMorePrompt, isReplPrompt } from "../dialogs/repl-prompt.ts";
import type { ForegroundVerdict } from "../records.ts";
import type { Frame } from "../screen/frame.ts";
import type { StyledSpan } from "../screen/screen-lines.ts";
import { displayWidth } from "../text/width.ts";
import type { TypedLine } from "../typing/typing.ts";
import { answerAtEnd } from "../typing/unread-answers.ts";

export interface Draft {
  /**
   * - `box`: the input box of an agent
   * - `line`: the line of a shell, a REPL or another program that reads lines
   * - `hidden`: the agent has an input box that is known, and it is not on the screen
   * - `question`: the program asks something, and reads what is typed as the answer
   * - `unknown`: it is not known where the program takes its input
   */
  readonly place: "box" | "line" | "hidden" | "question" | "unknown";
  /** What was typed and not entered. Empty if nothing was, and where the place is not known. */
  readonly text: string;
  readonly rows: number;
  /** Keys that empty the box, one line of its text each time; null if no such keys are known. */
  readonly clear: string | null;
  /** The sign that the agent shows in place of a long paste; null if it shows none. */
  readonly fold: Fold | null;
  /** The box or line is empty although something was typed since the last Enter, or the terminal answered: it may not be drawn yet. */
  readonly isUndrawn: boolean;
  /** What the agent does not take as it is; null of any other program. */
  readonly rules: BoxRules | null;
  /**
   * False if the program reads in another place than behind the prompt that stood there before: something that runs inside of it reads, it
   * wants the rest of a command, or it shows a part of something long.
   */
  readonly isAtPrompt: boolean;
  /** False if the program takes each key, and nothing shows that it reads text here: a key may be the answer to a question. */
  readonly showsInput: boolean;
  readonly takesPastes: boolean;
  /** The terminal keeps what is typed until the end of the line: nobody has read it before. */
  readonly isKept: boolean;
  /**
   * What reads if it is not an agent. A shell may read, whatever the name of its program, at a prompt like that of a shell, or behind a program
   * that hands on what is typed (`ssh`, `script`, `tmux`).
   */
  readonly kind: TargetKind;
  readonly reader: Reader;
}

/** A paste that the agent shows as a sign, with its size. */
interface Fold {
  /** What the box shows in front of the sign, and behind it. */
  readonly before: string;
  readonly after: string;
  readonly unit: FoldUnit;
  readonly count: number;
}

export interface Reader {
  /** Null at a shell and in an unknown program. */
  readonly agent: string | null;
  readonly run: number;
  /** Process that the kernel sees waiting for input; null if it sees none. */
  readonly pid: number | null;
  /** The process that was last seen waiting for a line or a key, now or before; null if none was. */
  readonly lastPid: number | null;
}

interface Foreground {
  /** Whether the terminal collects the line by itself (`prompt`), or the program takes each key (`raw`). */
  readonly verdict: ForegroundVerdict;
  readonly program: string | null;
  readonly canonical: boolean | null;
  readonly editsLine?: boolean;
  readonly isRelay?: true;
}

/** What a draft is read from. */
export interface DraftContext {
  /** What the kernel reported last. */
  readonly foreground: Foreground | null;
  readonly profile: Agent | undefined;
  /** The prompt of the shell as it stood in front of the line; null if none was seen. */
  readonly prompt: string | null;
  /** The line that was typed since the last Enter. */
  readonly typed: TypedLine;
  /** What the terminal has answered since then: if nobody has read it, the line holds it. */
  readonly answers: readonly string[];
  /** Of the last input. */
  readonly inputOffset: number;
  /** The marks of the shell report that it is at its prompt. */
  readonly isMarkedPrompt: boolean;
  /** They report that it asks for the rest of a command. */
  readonly isMarkedMore: boolean;
  /** Of a shell that reads and has not reported where; null if none is known. */
  readonly firstPrompt: string | null;
  /** A shell in the foreground reads at its prompt, by its marks or its screen. */
  readonly isAtShellPrompt: boolean;
  readonly reader: Reader;
}

const sides = /^\s*[│┃]\s?|\s*[│┃█▀▄▲▼]\s*$/gu;
/** Put behind the cursor by some agents. */
const widthless = /\u200B/gu;

type Place = Omit<Draft, "reader" | "showsInput" | "takesPastes" | "isKept" | "kind">;

const nothing = {
  text: "",
  rows: 0,
  clear: null,
  fold: null,
  isUndrawn: false,
  rules: null,
  isAtPrompt: true,
} as const;

/** Of a program that asks: nothing may be typed. */
export const askedDraft = (reader: Reader): Draft => ({
  ...nothing,
  place: "question",
  showsInput: false,
  takesPastes: false,
  isKept: false,
  kind: "line question",
  reader,
});

export function draftOf(frame: Frame, context: DraftContext): Draft {
  const { foreground, profile, reader } = context;
  const place = placeOf(frame, context, profile);
  const isKept = foreground?.canonical ?? foreground?.verdict === "prompt";
  const isKnown = profile !== undefined && (place.place === "box" || place.place === "line");
  return {
    ...place,
    showsInput: isKnown || showsInput(frame, context),
    takesPastes: frame.takesPastes,
    isKept,
    kind: kindOf(frame, context),
    reader,
  };
}

/** A shell asks for the rest of a command, by its marks or by a prompt that is not like its first one. */
function isAtMore(frame: Frame, { isMarkedMore, firstPrompt: first }: DraftContext): boolean {
  const line = cursorLine(frame).before.trimEnd();
  if (isMarkedMore || first === null || line === first) return isMarkedMore;
  // Not `src> ` of a shell whose own prompt ends so.
  return first.endsWith(">") ? line === ">" : isMorePrompt(line);
}

function kindOf(frame: Frame, context: DraftContext): TargetKind {
  const { foreground, isAtShellPrompt, prompt, reader } = context;
  if (reader.agent !== null) return `agent ${reader.agent}`;
  if (isAtMore(frame, context)) return "unknown";
  const { before } = cursorLine(frame);
  const start = prompt?.trimEnd() ?? "";
  const shown = start !== "" && before.startsWith(start) ? start : before;
  if (isAtShellPrompt || foreground?.isRelay === true || endsLikeShell(shown)) return "shell";
  if (mayAsk(before)) return "line question";
  return isReplPrompt(foreground?.program ?? null, before) ? "repl" : "unknown";
}

/**
 * A menu or a question takes each key without an input line. A line is shown by a terminal that collects it, by a line editor that asks for
 * pastes, by the prompt of a shell, by that of a REPL with evidence of a line editor, or by the box of an agent.
 */
function showsInput(frame: Frame, context: DraftContext): boolean {
  const { foreground, profile, isMarkedPrompt, isAtShellPrompt, reader } = context;
  if (reader.agent === null && !isMarkedPrompt && !isAtShellPrompt && mayAsk(cursorLine(frame).before)) return false;
  if (foreground === null || (foreground.canonical ?? foreground.verdict !== "raw")) return true;
  const { before, after } = cursorLine(frame);
  const above = frame.lines[frame.cursor.row - 1]?.text ?? "";
  const isAtPrompt = frame.cursor.isVisible && after === "" && isBarePrompt(foreground, before, above);
  // An editor takes pastes, too: on a screen of its own a text would go into a file.
  const isWhole = frame.isAlternate && profile === undefined && foreground.isRelay !== true;
  if ((frame.takesPastes && (!isWhole || isAtPrompt)) || isMarkedPrompt || isAtShellPrompt) return true;
  if (profile !== undefined && findInputBox(frame.lines, profile.boxes) !== null) return true;
  return isAtPrompt && !frame.isAlternate;
}

function placeOf(frame: Frame, context: DraftContext, profile: Agent | undefined): Place {
  if (profile === undefined) return lineDraft(frame, context);
  if (profile.line !== null) return agentLineDraft(frame, context, profile.line);
  if (profile.draft === undefined) return { ...nothing, place: "unknown" };
  const box = boxDraft(frame, profile, profile.draft);
  const isUndrawn = box.place === "box" && box.text === "" && context.typed.text.trim() !== "";
  const { trims, changes } = profile.draft;
  return { ...box, isUndrawn, rules: { trims, changes } };
}

function boxDraft(frame: Frame, profile: Agent, rule: DraftRule): Place {
  const box = findInputBox(frame.lines, rule.boxes ?? profile.boxes);
  if (box === null) {
    const isOther = rule.boxes !== undefined && findInputBox(frame.lines, profile.boxes) !== null;
    return { ...nothing, place: isOther ? "unknown" : "hidden" };
  }
  const lines = frame.lines.slice(box.first, box.last + 1 - (rule.footerRows ?? 0));
  const [first] = lines;
  const firstRow = first?.text ?? "";
  const marked = rule.mark.exec(firstRow)?.[0] ?? "";
  // A "!" in place of the mark has been typed: the agent would give the text to a shell.
  const typedMark = /!/.exec(marked)?.[0] ?? "";
  const written = [typedMark + firstRow.slice(marked.length), ...lines.slice(1).map(({ text }) => text)].map((row) =>
    row.replaceAll(sides, ""),
  );
  const { clear } = rule;
  const isAtCommand = (command: string): boolean =>
    frame.cursor.isVisible && frame.cursor.row === box.first && frame.cursor.column === marked.length + command.length;
  const whole = withoutArguments(written.join("\n").replaceAll(widthless, "").trim(), isAtCommand);
  const rows = written.filter((row) => row.trim() !== "").length;
  if (whole === "" || rule.placeholder?.test(whole) === true) return { ...nothing, place: "box", clear };
  const fold = foldIn(whole, rule);
  if (fold !== null) return { ...nothing, place: "box", text: whole, rows, clear, fold };
  const behind = spansBehind(first?.spans ?? [], marked.length);
  const front = marked === "" ? undefined : first?.spans[0];
  const cursorFirst = isCursorFirst(frame, box.first, { front, behind });
  const inked = [...behind, ...lines.slice(1).flatMap(({ spans }) => spans)].filter(({ text }) => ink(text) !== "");
  const rest = cursorFirst && inked[0] === behind[0] && behind[0]?.text.length === 1 ? inked.slice(1) : inked;
  const isGhost = typedMark === "" && rest.every((span) => span.isDim || (cursorFirst && isGreyText(span.foreground)));
  return isGhost ? { ...nothing, place: "box", clear } : { ...nothing, place: "box", text: whole, rows, clear };
}

/** Agents draw the names of a command's arguments behind the cursor: `/clear [prompt]`. */
function withoutArguments(text: string, isAtCommand: (command: string) => boolean): string {
  const [, command = text] = /^(\/\S+)(?: +(?:\[[^\]]*\]|<[^>]*>))+$/.exec(text) ?? [];
  return isAtCommand(command) ? command : text;
}

/** A narrow box wraps the sign, too. */
function foldIn(whole: string, { folds }: DraftRule): Fold | null {
  const flat = whole.replaceAll(/\s+/g, " ");
  for (const { pattern, counts } of folds) {
    const match = pattern.exec(flat);
    if (match === null) continue;
    const after = flat.slice(match.index + match[0].length);
    return { before: flat.slice(0, match.index), after, unit: counts, count: Number(match[1] ?? 0) };
  }
  return null;
}

function spansBehind(spans: readonly StyledSpan[], columns: number): StyledSpan[] {
  return spans.flatMap((span) => {
    const cut = columns - span.column;
    if (cut <= 0) return [span];
    const text = span.text.slice(cut);
    return text === "" ? [] : [{ ...span, text, column: columns }];
  });
}

/** The cursor stands in front of what the box shows: the terminal's, or a cell that the agent draws as one. */
function isCursorFirst(
  { cursor }: Frame,
  row: number,
  { front, behind }: { readonly front: StyledSpan | undefined; readonly behind: readonly StyledSpan[] },
): boolean {
  const [first, second] = behind;
  if (first === undefined) return false;
  if (cursor.isVisible && cursor.row === row && cursor.column <= first.column) return true;
  const isOwn = second !== undefined && first.background !== second.background;
  // A background like that of the mark in front is the row's: the cursor stands behind.
  const isBlock = first.isInverse || (isOwn && first.background !== front?.background);
  return first.text.length === 1 && isBlock;
}

/** Ctrl-E and Ctrl-U of line editors; a terminal that collects the line takes Ctrl-E for a character. */
const lineClear: Readonly<Partial<Record<ForegroundVerdict, string>>> = { raw: "\u0005\u0015", prompt: "\u0015" };

/** An agent that reads lines: at its prompt like a shell, and nowhere else. */
function agentLineDraft(frame: Frame, context: DraftContext, { prompt }: LineRules): Place {
  const mark = prompt.exec(cursorLine(frame).before);
  return mark === null ? { ...nothing, place: "hidden" } : lineDraft(frame, { ...context, prompt: mark[0] });
}

function lineDraft(frame: Frame, context: DraftContext): Place {
  const { prompt, typed, foreground, answers, inputOffset } = context;
  const verdict = foreground?.verdict ?? null;
  const { before, after } = cursorLine(frame);
  const start = prompt?.trimEnd() ?? "";
  const clear = (verdict === null ? undefined : lineClear[verdict]) ?? null;
  const isAtPrompt = isBehindPrompt(frame, context);
  const line = (text: string): Place => ({
    ...nothing,
    place: "line",
    text,
    rows: text === "" ? 0 : 1,
    clear,
    isAtPrompt,
  });
  if (typed.isKnown) {
    // Keys that a program took without a line, such as the "q" that ends a pager, are not in front of the cursor.
    const tail = ink(typed.text).slice(-TAIL_CHARS_MAX);
    const isShown = tail === "" ? isBlankShown(typed.text, frame, context) : ink(before).endsWith(tail);
    if (isShown && typed.text !== "") return line(typed.text);
    const answer = unreadAnswer(before, start, answers);
    return { ...line(answer), isUndrawn: answer === "" && answers.length > 0 && frame.offset <= inputOffset };
  }
  // What stands further right is the right-hand prompt of a shell.
  if (start !== "" && before.startsWith(start)) return line((before.slice(start.length) + ownPart(after)).trim());
  return after === "" && looksLikePrompt(before) ? line("") : { ...nothing, place: "unknown" };
}

/** An answer of the terminal that nobody has read, with what stands between it and the prompt; without a prompt as far as it is recognized. */
function unreadAnswer(before: string, start: string, answers: readonly string[]): string {
  const line = before.trimEnd();
  if (answers.length > 0 && start !== "" && line.startsWith(start)) return line.slice(start.length).trim();
  return answerAtEnd(line, answers);
}

/** Of a program that has shown a prompt: the cursor stands behind it, or behind what looks like one. */
function isBehindPrompt(frame: Frame, context: DraftContext): boolean {
  const { prompt, isMarkedPrompt } = context;
  if (isAtMore(frame, context)) return false;
  if (isMarkedPrompt || prompt === null || !looksLikePrompt(prompt)) return true;
  if (frame.isAlternate) return false;
  const { before } = cursorLine(frame);
  return before.startsWith(prompt.trimEnd()) || looksLikePrompt(before);
}

/** The terminal keeps blanks, and a line editor shows them behind its prompt; a program that takes keys has taken them. */
const isBlankShown = (typed: string, { cursor }: Frame, { prompt, foreground }: DraftContext): boolean =>
  foreground?.canonical === true || (prompt !== null && cursor.column >= displayWidth(prompt) + typed.length);

const ownPart = (after: string): string => (/^\s{2}/.test(after) ? "" : after);
