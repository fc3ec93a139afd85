/** Gemini CLI (0.61), which draws on the normal screen. */
import { lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { backgroundAt, boxed, dedent, firstSpan, withoutLineNumber, type RowReading } from "../row.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

const call = /^([✓✔✗✕xo⊶⊷?-]) {1,2}(\S.*)$/;

export const gemini: ChatProfile = {
  name: "gemini",
  agent: "gemini",
  margin: 1,
  breaksBehind: null,
  changing: /[✓✔✗✕xo⊶⊷?-] {2}/,
  streamsCalls: true,
  printsTwice: true,
  window,
  read,
  tool: toolOf,
};

function window({ lines, title }: Frame): ChatWindow | null {
  const isBusy = title.startsWith("✦");
  const box = lastRow(lines, (_, row) => isEdge(lines, row));
  const dialog = lastRow(lines, ({ text }) => /^╭─+╮$/.test(text));
  if (dialog > box && (lines[dialog + 1]?.text ?? "").startsWith("│ ? "))
    return { from: 0, to: trimmed(lines, dialog, isBeside), isBusy: false };
  // A prompt has the same edges, but no rows of a footer below.
  const rule = box === -1 ? -1 : lastRow(lines, ({ text }) => /^─{10,}$/.test(text), { to: box, rowsMax: 6 });
  return rule === -1 ? null : { from: 0, to: trimmed(lines, rule, isBeside), isBusy };
}

/** Upper edge of the input box and of prompts; without true colours it is a row of their background. */
function isEdge(lines: readonly ScreenLine[], row: number): boolean {
  const [line, next] = [lines[row], lines[row + 1]];
  if (line === undefined) return false;
  if (/^▄{10,}$/.test(line.text)) return true;
  return line.text === "" && backgroundAt(line, 0) !== -1 && /^ [>!*](?: |$)/.test(next?.text ?? "");
}

/** The spinner, hints at the right edge, blank rows. */
function isBeside({ text }: ScreenLine): boolean {
  return (
    text === "" ||
    text.startsWith(" Press Ctrl+") ||
    /^\s{30}/.test(text) ||
    /^ [\u2800-\u28FF] /u.test(text) ||
    /\(esc to cancel, /.test(text)
  );
}

function read(line: ScreenLine): RowReading {
  const { text } = line;
  const first = firstSpan(line);
  if (first === undefined || /^[▄▀]{10,}$/.test(text)) return { role: null, text: "" };
  if (backgroundAt(line, 0) !== -1) return prompt(text);
  if (text.startsWith("✦ ")) return { role: "assistant", isStart: true, text: text.slice(2) };
  if (/^ {0,4}[▝▜▄▗▟▀]{2,5}(?: |$)|^Tips for getting started:$/u.test(text)) return { role: "welcome", text };
  // Left behind by a resize.
  if (/^(?:─{10,}|\s*\? for shortcuts|\s*Shift\+Tab to accept edits| Press Ctrl\+[CD] again to exit\.)$/.test(text))
    return { role: "notice", text: "" };
  if (/^\s*Press Ctrl\+O to show more lines/.test(text)) return { role: "skip", text: "" };
  if (/^[╭╰]─+[╮╯]$/.test(text)) return { role: "skip", text: "" };
  if (text.startsWith("│")) return inBox(line);
  if (/^[ℹ✕] /.test(text)) return { role: "error", isStart: true, text: text.slice(2) };
  const own = dedent(text, 2);
  const isCall = call.test(own) && line.spans.some((span) => span.isBold);
  if (isCall) return { role: "tool-call", isStart: true, text: own.replace(call, "$2").replaceAll(/ {2,}/g, " ") };
  return { role: null, text: withoutLineNumber(line) ?? own, behindCall: "tool-result" };
}

function prompt(text: string): RowReading {
  const isStart = /^ ?> /.test(text);
  const own = isStart ? text.replace(/^ ?> /, "") : dedent(text, 3);
  if (isStart && /^\/[a-z][\w-]*( |$)/.test(own)) return { role: "command", isStart, text: own };
  return own === "" ? { role: null, text: "" } : { role: "user", isStart, text: own };
}

function inBox(line: ScreenLine): RowReading {
  const own = boxed(line.text) ?? "";
  if (own.trim() === "") return { role: "skip", text: "" };
  if (call.test(own) && line.spans.some((span) => span.isBold))
    return { role: "tool-call", isStart: true, text: own.replace(call, "$2").replaceAll(/ {2,}/g, " ") };
  return { role: "tool-result", text: own };
}
