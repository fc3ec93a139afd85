/** Any agent: by the marks that most of them share. */
import { isRule, lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { isRed } from "../colours.ts";
import { backgroundAt, boxed, dedent, firstSpan, type RowReading } from "../row.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

/** In front of the names of generic profiles. */
export const genericPrefix = "generic:";

const userMark = /^ {0,2}[❯›>»] /;
const answerMark = /^ {0,2}[●•⏺✦◆✻✽∴] /;
const resultMark = /^ {1,4}[⎿└↳] ?/;
const spinner = /^\s{0,3}[\u2800-\u28FF◐◑◒◓✢✳✶✻✽·*] \S.*(?:…|\.\.\.)/u;

/** A profile for `agent`, of which nothing particular is known. */
export function generic(agent: string): ChatProfile {
  return {
    name: `${genericPrefix}${agent}`,
    agent,
    margin: 1,
    breaksBehind: null,
    hasPlainAnswers: true,
    changing: /^ {0,2}[●•⏺○◦ ] /,
    window,
    read,
    tool: toolOf,
  };
}

/** Without the input: between two rules, in a box, or in the row of the cursor where nothing stands below. */
function window({ lines, cursor }: Frame): ChatWindow | null {
  const last = 1 + lines.findLastIndex(({ text }) => text !== "");
  const top = inputTop(lines.slice(0, last), cursor.row);
  const busy = lastRow(lines, ({ text }) => spinner.test(text), { to: top, rowsMax: 6 });
  const to = trimmed(lines, busy === -1 ? top : busy, ({ text }) => text === "");
  return { from: 0, to, isBusy: busy !== -1 };
}

function inputTop(lines: readonly ScreenLine[], cursor: number): number {
  const bottom = lastRow(lines, isEdge, { rowsMax: 10 });
  const top = bottom === -1 ? -1 : lastRow(lines, isEdge, { to: bottom, rowsMax: 14 });
  const isInput = top !== -1 && /^[\s│┃|]*[❯›>!]/u.test(lines[top + 1]?.text ?? "");
  if (isInput) return top;
  if (/^\s*\S{0,24}[❯›>] ?/u.test(lines[cursor]?.text ?? "")) return cursor;
  return lines.length;
}

const isEdge = (line: ScreenLine): boolean => isRule(line) || /^\s?[╭╰┌└▄▀][─━▄▀]{8,}/u.test(line.text);

function read(line: ScreenLine, columns: number): RowReading {
  const { text } = line;
  const first = firstSpan(line);
  if (first === undefined) return { role: null, text: "" };
  const isShaded = backgroundAt(line, 0) !== -1 && backgroundAt(line, columns - 1) !== -1;
  if (userMark.test(text) && (isShaded || !/^ {0,2}> {2,}/.test(text)))
    return { role: "user", isStart: true, text: text.replace(userMark, "") };
  if (resultMark.test(text)) return { role: "tool-result", isStart: true, text: text.replace(resultMark, ""), hang: 2 };
  if (answerMark.test(text)) return marked(line);
  if (/^ {0,2}\$ \S/.test(text)) return { role: "tool-call", isStart: true, text: text.trim() };
  if (/^ {0,2}[✓✔✗✘] \S/.test(text)) return { role: "tool-call", isStart: true, text: text.trim().slice(2) };
  if (isRule(line) || /^\s?[╭╰┌└][─━]{8,}/u.test(text)) return { role: "skip", text: "" };
  if (/^\s?│ .*│$/.test(text)) return { role: null, text: boxed(text) ?? "" };
  if (isRed(first.foreground) && /^\s*(?:✗|✕|■|Error\b|error:)/.test(text))
    return { role: "error", isStart: true, text: text.trim() };
  return { role: isShaded ? null : "assistant", text: dedent(text, 2) };
}

/** A call is `Name(input)`, with its name in bold. */
function marked(line: ScreenLine): RowReading {
  const own = line.text.replace(answerMark, "");
  const isCall = /^[A-Za-z]\w*\(/.test(own) && line.spans.some((span) => span.isBold);
  return { role: isCall ? "tool-call" : "assistant", isStart: true, text: own };
}
