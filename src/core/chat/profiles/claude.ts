/** Claude Code, full screen and inline (2.1). */
import { isRule, lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { isGrey, isPlain } from "../colours.ts";
import { backgroundAt, dedent, firstSpan, isFaint, type RowReading } from "../row.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

const spinner = /^[·✢✳✶✻✽✺*∗] \S.*…/;
const summary =
  /^(?:Ran|Running|Read|Reading|Searched|Searching|Listed|Listing|Wrote|Writing|Edited|Editing|Found|Fetched|Fetching|Called|Calling|Used|Using|Updated|Updating|Queried|Querying)\b.*\d/;
const suggestion = /^ {2}(?:❯ | {2})?[/@+]\S+ {2,}\S/;
const options = /^\s*(?:❯ )?\d\. /;

export const claude: ChatProfile = {
  name: "claude",
  agent: "claude",
  margin: 1,
  breaksBehind: null,
  changing: /^[●○⏺ ] /,
  window,
  read,
  tool: (text) => {
    const found = toolOf(text);
    return found.name === "shell" ? { ...found, name: "Bash" } : found;
  },
};

function window({ columns, lines }: Frame): ChatWindow | null {
  const box = inputBox(lines);
  // An edge inside a dialog, above a box: one is being painted over the other.
  const isTorn = ({ text }: ScreenLine): boolean => /^\s?╌+$/.test(text) && text.length >= columns - 2;
  if (box === -1 || lines.slice(0, box).some(isTorn)) return null;
  const busy = lastRow(lines, ({ text }) => spinner.test(text), { to: box, rowsMax: 14 });
  const to = trimmed(lines, suggestionsTop(lines, busy === -1 ? box : busy), isBeside);
  const status = lines.slice(box).some(({ text }) => text.includes("esc to interrupt"));
  return { from: 0, to, isBusy: busy !== -1 || status };
}

/** The upper rule of the input box, or of the dialog in its place. */
function inputBox(screen: readonly ScreenLine[]): number {
  const lines = screen.slice(0, 1 + screen.findLastIndex(({ text }) => text !== ""));
  const bottom = lastRow(lines, isRule, { rowsMax: 12 });
  const top = bottom === -1 ? -1 : lastRow(lines, isRule, { to: bottom, rowsMax: 16 });
  if (top !== -1 && /^[❯>!#&]/.test(lines[top + 1]?.text ?? "")) return top;
  const question = lastRow(lines, ({ text }) => options.test(text), { rowsMax: 16 });
  if (question === -1) return -1;
  return lastRow(lines, isRule, { to: question });
}

/** Hints at the right edge, blank rows. */
const isBeside = ({ text }: ScreenLine): boolean => text === "" || /^\s{30}/.test(text);

/** Commands that are suggested while one is typed, with what they do behind them, on narrow screens in several rows. */
function suggestionsTop(lines: readonly ScreenLine[], box: number): number {
  const isOne = ({ text }: ScreenLine): boolean => suggestion.test(text);
  const top = trimmed(lines, box, (line) => isOne(line) || isBeside(line) || /^\s{12,}\S/.test(line.text));
  const first = lines.slice(top, box).findIndex(isOne);
  return first === -1 ? box : top + first;
}

function read(line: ScreenLine, columns: number): RowReading {
  const { text } = line;
  const first = firstSpan(line);
  if (first === undefined) return { role: null, text: "" };
  if (backgroundAt(line, 0) !== -1 && backgroundAt(line, columns - 1) !== -1) return prompt(text);
  if (text.startsWith("❯ ")) return prompt(text);
  const own = dedent(text, 2);
  if (/^(?:[●○⏺] )?Waiting for permission…/.test(own)) return { role: "skip", text: "" };
  // At the right edge, over the box.
  if (/^\s{10,}\S \w+ · \/effort$/.test(text)) return { role: "skip", text: "" };
  if (isThought(line, own)) return { role: "notice", isStart: true, text: "" };
  if (/^[●○⏺] /.test(text)) return bullet(line);
  if (/^ {2}⎿\s/.test(text)) return result(text);
  if (/^[·✢✳✶✻✽✺*] /.test(text)) return { role: text.includes("…") ? "skip" : "notice", text: "" };
  if (isRule(line) && text.startsWith("─")) return { role: "notice", text: "" };
  if (isFaint(line) && /^Did not run \d/.test(own)) return { role: "tool-result", isStart: true, text: own };
  // What failed of it is red.
  const isSummary = isGreyAtStart(line) && summary.test(own);
  if (text.startsWith("  ") && own !== "" && (isSummary || (isFaint(line) && isBlinking(text))))
    return { role: "tool-call", isStart: true, text: own.replace(/ \(ctrl\+.*\)$/, ""), isSummary: summary.test(own) };
  return { role: null, text: own };
}

/** How long it thought; never what it says, which is not grey. */
const isThought = (line: ScreenLine, own: string): boolean =>
  /^(?:[●○⏺∴] )?(?:Thinking|Thought)(?: for \d|…)/.test(own) && isGreyAtStart(line);

function isGreyAtStart(line: ScreenLine): boolean {
  const first = firstSpan(line);
  return first !== undefined && (first.isDim || isGrey(first.foreground));
}

/** The mark of a running tool blinks, and the words behind it stand where they stood. */
const isBlinking = (text: string): boolean => /^ {2}[A-Z][a-z]+ing [^.]*$/.test(text);

function prompt(text: string): RowReading {
  const isStart = /^[❯>!#] /.test(text);
  const own = isStart ? text.slice(2) : dedent(text, 2);
  if (isStart && /^\/[a-z][\w:-]*( |$)/.test(own)) return { role: "command", isStart, text: own };
  return { role: "user", isStart, text: own };
}

function bullet(line: ScreenLine): RowReading {
  const own = line.text.slice(2);
  if (/^API Error\b/.test(own)) return { role: "error", isStart: true, text: own };
  const colour = firstSpan(line)?.foreground ?? -1;
  const isCall = /^[A-Z][\w -]*\(/.test(own) && line.spans.some((span) => span.isBold && span.column === 2);
  if (!isCall && isPlain(colour)) return { role: "assistant", isStart: true, text: own };
  return { role: "tool-call", isStart: true, text: own.replace(/ \(ctrl\+.*\)$/, ""), isSummary: summary.test(own) };
}

function result(text: string): RowReading {
  const own = text.replace(/^ {2}⎿\s{1,2}/, "");
  if (own.startsWith("$ ")) return { role: "tool-call", text: own };
  if (/^(?:Waiting|Running)…/.test(own) || own.startsWith("Tip: ")) return { role: "skip", text: "" };
  if (/^(?:Interrupted|API Error|Error: API)/.test(own)) return { role: "error", isStart: true, text: own, hang: 3 };
  return { role: "tool-result", isStart: true, text: own, hang: 3 };
}
