/**
 * What a dialog is about, from the rows around its question: the tool, the command or change, the directory, the reason. What an agent
 * writes in front of them is in its rules; the rest follows from how dialogs are built: a title, then the matter in a frame or in
 * paragraphs of its own.
 */
import type { DialogParts } from "../agents/agent.ts";
import type { Pattern } from "../agents/pattern.ts";
import { noSubject, type QuestionSubject } from "./approval.ts";
import type { DialogRow } from "./dialog-rows.ts";
import { isFoldMark } from "./fold-mark.ts";
import { squash } from "../text/squash.ts";

export interface SubjectRows {
  readonly before: readonly DialogRow[];
  /** From the question to its options. */
  readonly after: readonly DialogRow[];
  /** The beginning of the dialog is not on the screen. */
  readonly isCut: boolean;
}

interface SubjectContext {
  readonly parts: DialogParts;
  readonly question: string;
  readonly columns: number;
}

/** Tools and questions that are about a command. */
const COMMAND_TOOL = /\b(?:bash|shell|powershell|command|terminal)s?\b|exec|_command/i;
const COMMAND_QUESTION = /\b(?:command|execut\w+|proceed|run)\b/i;
const COMMAND_MARK = /^\s*\$ (.*)$/;

export function subjectOf(rows: SubjectRows, context: SubjectContext): QuestionSubject {
  const { parts, question } = context;
  const before = withoutTips(rows.before, context);
  const after = withoutTips(rows.after, context);
  const directory = firstValue([...before, ...after], parts.directory);
  const reasons = [reasonIn(before, parts.reason), reasonIn(after, parts.reason)];
  const reason = reasons.map(([, text]) => text).find((text) => text !== null) ?? null;
  const isOther = (row: DialogRow): boolean =>
    parts.directory?.test(row.text.trim()) === true || reasons.some(([paragraph]) => paragraph.includes(row));
  const rest = { before: before.filter((row) => !isOther(row)), after: after.filter((row) => !isOther(row)) };
  const main = rest.before.some(({ isBlank }) => !isBlank) ? rest.before : rest.after;
  const title = rows.isCut ? [] : titleOf(main);
  const [first = "", ...others] = title.map(({ text }) => text.trim());
  const match = parts.tool?.exec(first) ?? null;
  const tool = match === null ? null : (match[1] ?? match[0]);
  const named = { ...noSubject, tool, directory, reason };
  const marked = markedCommand(rest, parts.command);
  if (marked !== null) return { ...named, command: marked };
  const behind = matterOf(main, { title, isCut: rows.isCut });
  const matter = behind === "" && match !== null ? others.splice(0).join("\n") : behind;
  if (matter === "") return named;
  const behindTool = match === null ? first : first.slice(match[0].length).trim();
  const argument = match?.[0].endsWith("(") === true ? behindTool.replace(/\)$/, "") : behindTool;
  const said = [argument, ...others].filter((text) => text !== "");
  if (tool === null ? COMMAND_QUESTION.test(question) : COMMAND_TOOL.test(tool))
    return { ...named, command: matter, reason: reason ?? (reasonBehind(said.join(" "), matter) || null) };
  return { ...named, change: [...said, matter].join("\n") };
}

/** A row of the vendor's own goes with the rows to which it was wrapped. */
export function withoutTips(
  rows: readonly DialogRow[],
  { parts, columns }: Omit<SubjectContext, "question">,
): DialogRow[] {
  let isTip = false;
  let before = "";
  return rows.filter(({ text, isBlank }) => {
    const first = /^\s*(\S*)/.exec(text)?.[1] ?? "";
    const isWrapped = isTip && !isBlank && before.length + first.length + 2 >= columns;
    before = text;
    isTip = isWrapped || parts.tips.some((pattern) => pattern.test(text.trim()));
    return !isTip;
  });
}

/** The paragraph in which the agent says why. */
function reasonIn(rows: readonly DialogRow[], pattern: Pattern | null): readonly [readonly DialogRow[], string | null] {
  const first = rows.findIndex(({ text }) => pattern?.test(text.trim()) === true);
  if (first === -1) return [[], null];
  const length = rows.slice(first).findIndex(({ isBlank, text }) => isBlank || isFoldMark(text));
  const said = rows.slice(first, length === -1 ? rows.length : first + length);
  const [start, ...others] = said.map(({ text }) => text.trim());
  return [said, [pattern?.exec(start ?? "")?.[1] ?? start ?? "", ...others].join(" ")];
}

/** The first paragraph: up to a blank row or a border. */
function titleOf(rows: readonly DialogRow[]): readonly DialogRow[] {
  const first = rows.findIndex(({ isBlank }) => !isBlank);
  if (first === -1) return [];
  const length = rows.slice(first).findIndex(({ isBlank }) => isBlank);
  return rows.slice(first, length === -1 ? rows.length : first + length);
}

/** A command behind its mark, with all that follows it. */
function markedCommand(
  { before, after }: { readonly before: readonly DialogRow[]; readonly after: readonly DialogRow[] },
  pattern: Pattern | null,
): string | null {
  for (const rows of [before, after]) {
    for (const [index, { text }] of rows.entries()) {
      const match = pattern === null ? COMMAND_MARK.exec(text) : pattern.exec(text.trim());
      if (match === null) continue;
      const end = rows.findIndex(({ isBorder }, at) => at > index && isBorder);
      return [match[1] ?? "", ...linesOf(rows.slice(index + 1, end === -1 ? rows.length : end))].join("\n").trimEnd();
    }
  }
  return null;
}

/** What stands in the last frame; without one, the paragraphs behind the title. */
function matterOf(
  rows: readonly DialogRow[],
  { title, isCut }: { readonly title: readonly DialogRow[]; readonly isCut: boolean },
): string {
  const framed: (readonly DialogRow[])[] = [];
  let from = isCut ? 0 : -1;
  for (const [index, { isBorder }] of rows.entries()) {
    if (!isBorder) continue;
    const inside = from === -1 ? [] : rows.slice(from, index);
    if (inside.some(({ isBlank }) => !isBlank)) framed.push(inside);
    from = index + 1;
  }
  const last = framed.at(-1);
  if (last !== undefined && (isCut || framed.length > 1)) return textOf(last);
  const end = title.at(-1);
  return textOf(end === undefined ? rows : rows.slice(rows.indexOf(end) + 1));
}

/** What an agent says behind the command in a title that repeats it: `cmd (why)`. */
function reasonBehind(said: string, command: string): string {
  const [all, start] = [squash(said), squash(command)];
  if (!all.startsWith(start)) return said;
  let at = 0;
  for (let seen = 0; seen < start.length && at < said.length; at += 1) if (/\S/.test(said[at] ?? "")) seen += 1;
  return said
    .slice(at)
    .replace(/\s+(?:←|\d+ of \d+)\s*$/u, "")
    .replace(/^\s*\((.*)\)$/s, "$1")
    .trim();
}

function firstValue(rows: readonly DialogRow[], pattern: Pattern | null): string | null {
  for (const { text } of rows) {
    const match = pattern?.exec(text.trim()) ?? null;
    if (match !== null) return (match[1] ?? match[0]).trim();
  }
  return null;
}

const textOf = (rows: readonly DialogRow[]): string =>
  linesOf(rows)
    .join("\n")
    .replaceAll(/^\n+|\n+$/g, "");

/** Without a common margin; what was folded is a line with an ellipsis. */
function linesOf(rows: readonly DialogRow[]): string[] {
  const texts = rows.map(({ text }) => text);
  const margin = Math.min(...texts.filter((text) => text !== "").map((text) => text.search(/\S/)));
  return texts.map((text) => (isFoldMark(text) ? "…" : text.slice(Number.isFinite(margin) ? margin : 0)));
}
