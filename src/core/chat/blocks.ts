/** Rows that belong together, and the text in them as its source had it where that can be told. */
import { displayWidth } from "../text/width.ts";
import type { RowRole } from "../agents/chat-rows.ts";
import type { Pattern } from "../agents/pattern.ts";
import { dedent, indentOf } from "../agents/row-parts.ts";
import type { Row } from "./row.ts";
import { squash } from "../text/squash.ts";

/** Rows of one message. */
export interface Block {
  readonly role: Exclude<RowRole, "blank" | "skip" | "covered" | "gap">;
  /** Index of its first row and of the row behind its last one. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly isSummary: boolean;
  /** Rows in it, or where it may go on, were never seen. */
  readonly isIncomplete: boolean;
}

/**
 * Blocks of `rows` from index `from` on, which must be where a block begins. Rows in front of the first one are a welcome, and
 * with `isBeforeUser` so is what looks like an answer before anything was asked; below a prompt (`isBelowUser`) what looks like a welcome
 * answers a command to the agent. `saidAt`: the whole text of the prompt that begins at an
 * index, without blanks, if that is known; rows below it are not the person's.
 */
export function blocksOf(
  rows: readonly Row[],
  from: number,
  {
    breaksBehind,
    isBeforeUser = false,
    isBelowUser = false,
    saidAt = () => null,
  }: {
    readonly breaksBehind: Pattern | null;
    readonly isBeforeUser?: boolean;
    readonly isBelowUser?: boolean;
    readonly saidAt?: (index: number) => string | null;
  },
): Block[] {
  const blocks: Block[] = [];
  let role: Block["role"] | null = null;
  let start = from;
  let end = from;
  let isWelcome = isBeforeUser;
  let hasAsked = isBelowUser;
  /** Rows in front of the one that is looked at were never seen. */
  let isApart = false;
  let isIncomplete = false;
  const close = (): void => {
    if (role === null) return;
    const own = rows.slice(start, end);
    const text = textOf(own, breaksBehind);
    const isDoubtful = own.some((row) => row.isDoubtful === true);
    const isCut =
      isIncomplete || ((isApart || isDoubtful) && mayGoOn(role)) || own.some((row) => row.isBehindLoss === true);
    const isSummary = own[0]?.isSummary === true && !own.some((row) => row.role === "tool-call" && !row.isSummary);
    blocks.push({ role, start, end, text, isSummary, isIncomplete: isCut });
  };
  for (let index = from; index < rows.length; index += 1) {
    const row = rows[index];
    if (row?.role === "gap") isApart = true;
    if (row === undefined || isNothing(row)) continue;
    const isJoined = row.joinsCall === true && role === "tool-call" && end === index;
    const isBelowPrompt = role === "user" && row.role === null;
    const isAnswer =
      isBelowPrompt &&
      ((end < index && isAboveAnswer(rows, index)) || squash(textOf(rows.slice(start, end), null)) === saidAt(start));
    let next = isJoined ? "tool-call" : (row.role ?? (isAnswer ? "assistant" : followerOf(role, row, isApart)));
    if (next === "user") [isWelcome, hasAsked] = [false, true];
    if (next === "assistant" && isWelcome) next = "welcome";
    if (next === "welcome" && hasAsked) next = "tool-result";
    if (role === null || next !== role || row.isStart) {
      close();
      const isTold: boolean = role !== null && mayGoOn(role);
      role = next as Block["role"];
      start = index;
      // What was never seen is told of by the message before it, if that may go on, else by this one.
      isIncomplete = isApart && (!row.isStart || !isTold) && (mayGoOn(role) || row.line === -1);
    } else isIncomplete ||= isApart;
    isApart = false;
    end = index + 1;
  }
  close();
  return blocks;
}

/** The row is directly above one of an answer that does not begin there, as the edge of a table is. */
function isAboveAnswer(rows: readonly Row[], index: number): boolean {
  let below = index;
  while (rows[below]?.role === null) below += 1;
  return rows[below]?.role === "assistant" && rows[below]?.isStart === false;
}

/** What a row without a mark of its own belongs to. Behind rows that were never seen it is what most likely stood there. */
function followerOf(role: Block["role"] | null, row: Row, isApart: boolean): Block["role"] {
  const behindCall = role === "tool-call" ? (row.behindCall as Block["role"] | null) : null;
  if (behindCall !== null) return behindCall;
  const isKept = !isApart || role === "welcome" || role === "tool-result";
  return role === null || isKept ? (role ?? "welcome") : "assistant";
}

/** People's words are drawn at once; an answer grows. */
const mayGoOn = (role: Block["role"]): boolean => role === "assistant" || role === "tool-result";

/** The row says nothing, or is not shown. */
export const isNothing = ({ role }: Row): boolean =>
  role === "blank" || role === "skip" || role === "covered" || role === "gap";

const listMark = /^\s*(?:[-*+•◦▪‣]|\d{1,3}[.)])\s/;
const tableMark = /^\s*[│┃|┌├└╭╰┏┣┗━─═╔╚║]/;

/**
 * Rows as text: what the agent wrapped is joined. A row was wrapped where the first word of the next one would not have fitted
 * behind it.
 */
export function textOf(rows: readonly Row[], breaksBehind: Pattern | null): string {
  const hang = rows[0]?.hang ?? 0;
  let text = "";
  let previous: Row | undefined;
  let blanks = 0;
  for (const row of rows) {
    if (row.role === "skip" || row.role === "covered") continue;
    if (row.role === "blank") {
      blanks += 1;
      continue;
    }
    const own = previous === undefined ? row.text : dedent(row.text, hang);
    if (previous === undefined) text = own;
    else if (row.role === "gap" || previous.role === "gap") text += `\n${own}`;
    else if (blanks > 0) text += `\n\n${own}`;
    else text += joint(previous, { own, breaksBehind });
    previous = row;
    blanks = 0;
  }
  // The mark of a message can stand alone in its first row.
  return text.trimEnd().replace(/^\n+/, "");
}

/** What stands between two rows, with the text of the second. */
function joint(previous: Row, { own, breaksBehind }: { own: string; breaksBehind: Pattern | null }): string {
  const trimmed = own.trimStart();
  if (trimmed === "" || listMark.test(own) || tableMark.test(own) || tableMark.test(previous.text)) return `\n${own}`;
  if (indentOf(own) > indentOf(previous.text) && !listMark.test(previous.text)) return `\n${own}`;
  const word = firstWord(trimmed, breaksBehind);
  if (isWide(trimmed) || isWide(previous.text.slice(-2)))
    return previous.end + displayWidth(word.slice(0, 2)) > previous.limit - 2 ? trimmed : `\n${own}`;
  if (previous.end + 1 + displayWidth(word) <= previous.limit) return `\n${own}`;
  if (breaksBehind?.test(previous.text) === true) return trimmed;
  return isCutWord(previous, word) ? trimmed : ` ${trimmed}`;
}

function firstWord(text: string, breaksBehind: Pattern | null): string {
  const word = /^\S+/.exec(text)?.[0] ?? "";
  if (breaksBehind === null) return word;
  for (let length = 2; length < word.length; length += 1)
    if (breaksBehind.test(word.slice(0, length))) return word.slice(0, length);
  return word;
}

/** A word that is longer than a row was cut, not broken at a blank. */
function isCutWord({ text, end, limit }: Row, word: string): boolean {
  const last = /\S*$/.exec(text)?.[0] ?? "";
  return end >= limit - 1 && displayWidth(last) + displayWidth(word) > limit - 6;
}

/** Begins with a character of a script that is written without blanks. */
const isWide = (text: string): boolean => /[\u2E80-\u9FFF\u3000-\u30FF\uFF00-\uFFEF]/.test(text.slice(0, 2));
