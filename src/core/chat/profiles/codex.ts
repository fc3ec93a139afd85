/** Codex CLI, full screen and inline (0.169). */
import { lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { backgroundAt, dedent, firstSpan, type RowReading } from "../row.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine } from "../../screen/screen-lines.ts";

const working = /^[•◦] .*\(\d+[smh].*esc to interrupt\)/;
const calls =
  /^(?:Ran|Running|Exited|Explored|Exploring|Called|Calling|Edited|Added|Deleted|Proposed|Searched|Searching|Viewed|Read|Updated Plan|Interacted|Waited|You ran)\b/;

const ran = /^(?:Ran|Exited|You ran)\b/;

export const codex: ChatProfile = {
  name: "codex",
  agent: "codex",
  margin: 2,
  breaksBehind: /\S[-/]$/,
  changing: /^[•◦] /,
  pending: /^(?:Running|Exploring|Calling|Searching)\b/,
  window,
  read,
  tool: (text) => {
    const command = /^(?:Ran|Running|Exited \(status \d+\)|You ran) ([\s\S]*)$/.exec(text);
    if (command !== null) return { name: "shell", input: command[1] ?? null };
    const explored = /^(?:Explored|Exploring)\s+([\s\S]*)$/.exec(text);
    return explored === null ? toolOf(text) : { name: "explore", input: explored[1] ?? null };
  },
};

function window(frame: Frame): ChatWindow | null {
  const { lines } = frame;
  const mark = lastRow(lines, ({ text }) => /^› ?/.test(text));
  if (mark === -1) return null;
  const top = suggestionsTop(lines, shadeTop(lines, mark));
  const isTitled = /^[\u2800-\u28FF]/u.test(frame.title);
  const busy = lastRow(lines, ({ text }) => working.test(text), { to: top, rowsMax: 12 });
  const to = trimmed(lines, busy === -1 ? top : busy, (line) => line.text === "" && !isShaded(line));
  return { from: isSticky(lines) ? 1 : 0, to, isBusy: busy !== -1 || isTitled };
}

/** First row of the shade that the row `›` stands in: the composer, or a dialog with another shade on its marked option. */
function shadeTop(lines: readonly ScreenLine[], mark: number): number {
  const isOption = /^› \d+\. /.test(lines[mark]?.text ?? "");
  const shade = lines[mark] === undefined ? -1 : backgroundAt(lines[mark], 0);
  let top = mark;
  for (; top > 0; top -= 1) {
    const line = lines[top - 1];
    const own = line === undefined ? -1 : backgroundAt(line, 0);
    if (own === -1 || (!isOption && own !== shade)) break;
  }
  return top;
}

/** Commands that are suggested while one is typed cover the rows over the composer. */
function suggestionsTop(lines: readonly ScreenLine[], composer: number): number {
  const top = trimmed(lines, composer, ({ text }) => /^(?:[› ] [/@$]\S*( |$)| {8,}\S)/.test(text));
  return /^[› ] [/@$]/.test(lines[top]?.text ?? "") ? top : composer;
}

const isShaded = (line: ScreenLine | undefined): boolean => line !== undefined && backgroundAt(line, 0) !== -1;

/** The last prompt stays on top while its answer scrolls. A true one has a shaded row below. */
const isSticky = ([first, second]: readonly ScreenLine[]): boolean =>
  first !== undefined && isShaded(first) && first.text.startsWith("› ") && !isShaded(second);

function read(line: ScreenLine, columns: number): RowReading {
  const { text } = line;
  const first = firstSpan(line);
  if (first === undefined) return { role: null, text: "" };
  const isPrompt = isShaded(line) && backgroundAt(line, columns - 1) !== -1;
  if (isPrompt || text.startsWith("› ")) return prompt(text);
  if (/^[│ ]*>_ OpenAI Codex \(/.test(text)) return { role: "welcome", isStart: true, text: dedent(text, 2) };
  if (/^[•◦] /.test(text)) return bullet(line);
  if (/^[✔✗] You /.test(text)) return { role: "notice", isStart: true, text: "" };
  if (text.startsWith("■ ")) return { role: "error", isStart: true, text: text.slice(2) };
  if (/^[⚠ℹ] /.test(text)) return { role: "notice", isStart: true, text: "" };
  if (/^ {2}Worked for /.test(text) && first.isDim) return { role: "notice", isStart: true, text: "" };
  if (/^─+( Worked for.*─+)?$/.test(text)) return { role: "notice", isStart: true, text: "" };
  if (/^ {2}└ /.test(text) && first.isDim) return result(line);
  if (/^ {2}│ /.test(text) && first.isDim) return { role: "tool-call", text: text.slice(4) };
  if (/^ {4}\+ Show details/.test(text)) return { role: "skip", text: "" };
  if (/^ {4}/.test(text) && first.isDim) return { role: null, text: text.slice(4), behindCall: "tool-result" };
  return { role: null, text: dedent(text, 2) };
}

function prompt(text: string): RowReading {
  const isStart = text.startsWith("› ");
  const own = isStart ? text.slice(2) : dedent(text, 2);
  if (isStart && /^\/[a-z][\w-]*( |$)/.test(own)) return { role: "command", isStart, text: own };
  return own === "" ? { role: null, text: "" } : { role: "user", isStart, text: own };
}

function bullet(line: ScreenLine): RowReading {
  const own = line.text.slice(2);
  const isBold = line.spans.findLast((span) => span.column <= 2)?.isBold === true;
  // The mark of an answer is dim; some calls have such a mark too, or blink, but not what ran.
  const isSaid = firstSpan(line)?.isDim === true && ran.test(own);
  if (isBold && !isSaid && calls.test(own)) return { role: "tool-call", isStart: true, text: own };
  return { role: "assistant", isStart: true, text: own };
}

function result(line: ScreenLine): RowReading {
  const own = line.text.slice(4);
  if (own.startsWith("Tip: ")) return { role: "notice", isStart: true, text: "" };
  if (
    /^(?:Read|List|Search|Run)\b/.test(own) &&
    line.spans.some((span) => span.column >= 4 && span.foreground !== -1 && !span.isDim)
  )
    return { role: "tool-call", text: own };
  return { role: "tool-result", isStart: true, text: own, hang: 2 };
}
