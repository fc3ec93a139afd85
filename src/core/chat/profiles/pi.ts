/** pi (0.87), which draws on the normal screen and marks what was said by backgrounds only. */
import { isRule, lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { isGrey, isRed } from "../colours.ts";
import { backgroundAt, dedent, firstSpan, type RowReading } from "../row.ts";
import type { Frame } from "../../screen/frame.ts";
import type { Colour, ScreenLine } from "../../screen/screen-lines.ts";

/** Behind prompts, in the dark and the light theme; the last two on terminals of 256 colours. */
const promptColours: ReadonlySet<Colour> = new Set([0x1343541, 0x1e8e8e8, 59, 254]);

export const pi: ChatProfile = {
  name: "pi",
  agent: "pi",
  margin: 1,
  breaksBehind: null,
  hasPlainAnswers: true,
  changing: /^$/,
  streamsCalls: true,
  window,
  read,
  tool: toolOf,
};

function window({ lines }: Frame): ChatWindow | null {
  const bottom = lastRow(lines, isRule, { rowsMax: lines.length });
  const top = bottom === -1 ? -1 : lastRow(lines, isRule, { to: bottom });
  if (top === -1) return null;
  const to = trimmed(lines, top, (line) => line.text === "" && backgroundAt(line, 0) === -1);
  return { from: 0, to, isBusy: /[\u2800-\u28FF]/u.test(lines[top]?.text ?? "") };
}

function read(line: ScreenLine): RowReading {
  const first = firstSpan(line);
  if (first === undefined) return { role: null, text: "" };
  const own = dedent(line.text, 1);
  const background = backgroundAt(line, 0);
  if (background === -1) return answer(line, own);
  if (promptColours.has(background)) return { role: "user", text: own };
  if (first.isBold) {
    const isStart =
      own.startsWith("$ ") ||
      line.spans.some((span) => span.column > first.column && !span.isBold && span.text.trim() !== "");
    return { role: "tool-call", isStart, text: own, isSummary: /^\S+ \.\.\.$/.test(own) };
  }
  if (/^(?:Took|Elapsed) [\d.]+m?s/.test(own)) return { role: "skip", text: "" };
  return { role: "tool-result", text: own };
}

function answer(line: ScreenLine, own: string): RowReading {
  const shown = line.spans.filter((span) => span.text.trim() !== "");
  // Code is further in, and what a diff takes away is red as well.
  if (shown.every(({ foreground }) => isRed(foreground)))
    return own.startsWith("  ") ? { role: null, text: own } : { role: "error", text: own };
  if (shown.every(({ foreground, isItalic }) => isItalic && isGrey(foreground))) return { role: "notice", text: "" };
  if (/^(?:Retrying \(|If this looks like a pi bug)/.test(own)) return { role: "notice", text: "" };
  return { role: "assistant", text: own };
}
