/** `opencode --mini`, which draws on the normal screen (1.18). */
import { lastRow, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { backgroundAt, firstSpan, isFaint, withoutLineNumber, type RowReading } from "../row.ts";
import { opencode } from "./opencode.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

export const opencodeMini: ChatProfile = {
  ...opencode,
  name: "opencode-mini",
  agent: "opencode",
  margin: 0,
  window,
  read,
};

function window({ lines, cursor }: Frame): ChatWindow | null {
  const bottom = lastRow(lines, isShaded);
  if (bottom === -1) return null;
  let top = bottom;
  while (top > 0 && isShaded(lines[top - 1])) top -= 1;
  const isBusy = lines.slice(top).some(({ text }) => /[■⬝]{2,}/.test(text));
  const to = top === bottom ? inputTop(lines, Math.min(top - 1, cursor.row)) : top;
  return { from: 0, to: trimmed(lines, to, ({ text }) => text === ""), isBusy };
}

const isShaded = (line: ScreenLine | undefined): boolean => line !== undefined && backgroundAt(line, 0) !== -1;

/** What is typed stands over the bar, with the cursor in it and a blank row above. */
function inputTop(lines: readonly ScreenLine[], cursor: number): number {
  let top = Math.max(0, cursor);
  while (top > 0 && lines[top - 1]?.text !== "") top -= 1;
  return top;
}

function read(line: ScreenLine, columns: number): RowReading {
  const { text } = line;
  const first = firstSpan(line);
  if (first === undefined) return { role: null, text: "" };
  if (first.foreground === 6 && text.startsWith("› ")) return prompt(text.slice(2));
  if (/^[█▀▄]/.test(text)) return { role: "welcome", text };
  if (text.startsWith("▣ ") || /^(?:new session ses_|\w+ completed · )/.test(text))
    return { role: "notice", isStart: true, text: "" };
  if (first.foreground === 6 && line.spans.length === 1) return { role: "user", text };
  if (/^[$→←✱⚙%◈~#] /.test(text) && isFaint(line)) return { role: "tool-call", isStart: true, text };
  // A thought, or a call that goes on.
  if (isFaint(line))
    return text.startsWith("Thinking: ") ? { role: "notice", isStart: true, text: "" } : { role: null, text };
  // Output of tools is padded to the edge, answers are not.
  const code = withoutLineNumber(line);
  if (code !== undefined) return { role: null, text: code, behindCall: "tool-result" };
  const isPadded =
    line.spans.length === 1 && first.foreground === -1 && first.text.length >= columns && text.length < columns;
  return isPadded ? { role: null, text, behindCall: "tool-result" } : { role: "assistant", text };
}

const prompt = (own: string): RowReading => ({
  role: /^\/[a-z]/.test(own) ? "command" : "user",
  isStart: true,
  text: own,
});
