/** GitHub Copilot CLI (1.0), full screen with a scrollbar in the last column: from notes on how it draws, without recordings. */
import { trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { firstSpan, withoutRight, type RowReading } from "../row.ts";
import { generic } from "./generic.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

const base = generic("copilot");
const working = /^\s*[●○◉◎∙∘] .*\b[Ee]sc (?:again |esc )?(?:to )?(?:interrupt|cancel)\b/u;

export const copilot: ChatProfile = {
  ...base,
  name: "copilot",
  agent: "copilot",
  changing: /^ {0,2}[●○◉◎∙∘] |[┃│█]$/u,
  window,
  read,
};

function window(frame: Frame): ChatWindow | null {
  const found = base.window(frame);
  if (found === null) return null;
  const isAside = ({ text }: ScreenLine): boolean => working.test(text) || /^\s*[┃│█]?$/u.test(text);
  const isBusy = found.isBusy || frame.lines.some(({ text }) => working.test(text));
  return { ...found, to: trimmed(frame.lines, found.to, isAside), isBusy };
}

function read(raw: ScreenLine, columns: number): RowReading {
  const line = /[┃█]$/u.test(raw.text) ? withoutRight(raw, columns - 1) : raw;
  const call = /^ {0,2}[●✓✗] (.*)$/u.exec(line.text);
  const isBold = line.spans.some((span) => span.isBold && span.column <= 4);
  if (call !== null && isBold && firstSpan(line) !== undefined)
    return { role: "tool-call", isStart: true, text: call[1] ?? "" };
  const more = /^ {2,4}[│$] (.*)$/u.exec(line.text);
  if (more !== null) return { role: null, text: line.text.trim().replace(/^│ /u, "") };
  return base.read(line, columns);
}
