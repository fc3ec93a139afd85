/** Cline (3.0), full screen with a scrollbar in the last column. */
import { isRule, lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { isRed } from "../colours.ts";
import { backgroundAt, dedent, firstSpan, isFaint, withoutRight, type RowReading } from "../row.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

const mark = /^.[*x\u2800-\u28FF](?: |$)/u;
/** The mark of the message that is written; it stays in sight when the row that it belongs to is not. */
const turning = /^.[\u2800-\u28FF](?: |$)/u;

export const cline: ChatProfile = {
  name: "cline",
  agent: "cline",
  margin: 4,
  breaksBehind: /\S[-/]$/,
  changing: /^.[*x\u2800-\u28FF] |[▄█▀]$/u,
  streamsCalls: true,
  window,
  read,
  tool: (text) => {
    const { name, input } = toolOf(text.replaceAll("\n", " "));
    return { name, input };
  },
};

function window({ lines, columns }: Frame): ChatWindow | null {
  const dialog = lastRow(lines, ({ text }) => /Cline needs permission|Approve tool call\?/.test(text));
  const shade = shadeOf(lines[dialog]);
  if (shade !== -1) return { from: 0, to: shadeTop(lines, dialog), isBusy: false };
  const bottom = lastRow(lines, isRule, { rowsMax: 10 });
  const top = bottom === -1 ? -1 : lastRow(lines, isRule, { to: bottom, rowsMax: 16 });
  if (top === -1 || !/^.?❯/.test(lines[top + 1]?.text ?? "")) return null;
  const isBlank = (line: ScreenLine): boolean => withoutRight(line, columns - 1).text === "";
  const to = trimmed(lines, suggestionsTop(lines, trimmed(lines, top, isBlank)), isBlank);
  const isBusy = lines.slice(0, to).some(({ text }) => turning.test(text));
  return { from: 0, to, isBusy, hasFloatingMark: turning.test(lines[0]?.text ?? "") };
}

/** Commands that are suggested stand in a box over the input. */
function suggestionsTop(lines: readonly ScreenLine[], to: number): number {
  if (!/^╰─+╯/.test(lines[to - 1]?.text ?? "")) return to;
  const top = lastRow(lines, ({ text }) => /^╭─+╮/.test(text), { to });
  return top === -1 ? to : top;
}

const shadeOf = (line: ScreenLine | undefined): number => (line === undefined ? -1 : backgroundAt(line, 0));

function shadeTop(lines: readonly ScreenLine[], row: number): number {
  let to = row;
  while (to > 0 && shadeOf(lines[to - 1]) === shadeOf(lines[row])) to -= 1;
  return to;
}

function read(raw: ScreenLine, columns: number): RowReading {
  const line = withoutRight(raw, columns - 1);
  const { text } = line;
  const first = firstSpan(line);
  if (first === undefined) return { role: null, text: "" };
  if (/^.?❯ /.test(text) && backgroundAt(line, 2) !== -1)
    return { role: "user", isStart: true, text: text.replace(/^.?❯ /, "") };
  if (mark.test(text)) return marked(line);
  if (/^ {3}⎿ /.test(text)) return { role: "tool-result", isStart: true, text: text.slice(5) };
  if (isRed(first.foreground)) return { role: null, text: dedent(text, 3), behindCall: "tool-result" };
  return { role: null, text: dedent(text, 3) };
}

function marked(line: ScreenLine): RowReading {
  const own = line.text.slice(3);
  const colours = line.spans.filter((span) => span.text.trim() !== "").map((span) => span.foreground);
  if (colours.length === 1 && isRed(colours[0] ?? -1)) return { role: "error", isStart: true, text: own };
  if (own !== "" && isFaint(line)) return { role: "notice", isStart: true, text: "" };
  const isCall = /^\w+\(/.test(own) && line.spans.some((span) => span.isBold && span.column === 3);
  return { role: isCall ? "tool-call" : "assistant", isStart: true, text: own };
}
