/** opencode, full screen (1.18). */
import { lastRow, toolOf, trimmed, type ChatProfile, type ChatWindow } from "../profile.ts";
import { isOrange, isRed } from "../colours.ts";
import { backgroundAt, dedent, firstSpan, isFaint, withoutRight, type RowReading } from "../row.ts";
import type { Frame } from "../../screen/frame.ts";
import type { ScreenLine, StyledSpan } from "../../screen/screen-lines.ts";

const bar = /^ {2}┃/;
const call = /^[$→←✱⚙%◈~\u2800-\u28FF] \S/u;
/** A margin or a message over a corner is smaller. */
const panelColumnsMin = 24;
/** In front of a call that runs; a shell's has its own mark when it has run. */
const spinner = /^[\u2800-\u28FF](?: |$)/u;

export const opencode: ChatProfile = {
  name: "opencode",
  agent: "opencode",
  margin: 3,
  breaksBehind: null,
  hasPlainAnswers: true,
  changing: /(?<=^\s*┃?\s*)[$\u2800-\u28FF] /u,
  streamsCalls: true,
  pending: /^← Write\b/,
  window,
  read,
  tool: (text) => {
    const found = toolOf(text);
    const symbol = /^[→←✱⚙%◈~#] (\S+)\s*([\s\S]*)$/.exec(text);
    return symbol === null ? found : { name: symbol[1] ?? "", input: symbol[2] ?? null };
  },
};

function window({ columns, lines }: Frame): ChatWindow | null {
  const bottom = lastRow(lines, ({ text }) => /^\s*╹▀+/.test(text) || bar.test(text));
  if (bottom === -1) return null;
  let top = bottom;
  while (top > 0 && bar.test(lines[top - 1]?.text ?? "")) top -= 1;
  const busy = lines.slice(bottom).some(({ text }) => /esc (?:again to )?interrupt/.test(text));
  const width = panelColumn(lines, columns);
  const isBlank = (line: ScreenLine): boolean => withoutRight(line, width).text === "";
  return { from: 0, to: trimmed(lines, top, isBlank), isBusy: busy, columns: width };
}

/** Where the panel begins that wide screens have on the right: in most rows another shade goes from there to the edge. */
function panelColumn(lines: readonly ScreenLine[], columns: number): number {
  const starts = lines.map((line) => {
    const shade = backgroundAt(line, columns - 1);
    // A scrollbar in it is one column wide.
    const last = line.spans.findLastIndex(({ background, text }) => background !== shade && text.length > 1);
    return last === -1 ? columns : (line.spans[last + 1]?.column ?? columns);
  });
  const [start = columns] = starts.toSorted((one, other) => one - other).slice(Math.floor(lines.length / 2));
  const isPanel = columns - start >= panelColumnsMin && starts.filter((one) => one === start).length > lines.length / 2;
  return isPanel ? start : columns;
}

function read(line: ScreenLine): RowReading {
  const { text } = line;
  const first = firstSpan(line);
  if (first === undefined) return { role: null, text: "" };
  // A message over the upper right corner of the screen.
  if (isCovered(line)) return { role: "covered", text: "" };
  if (bar.test(text)) return barred(first, { text, screen: backgroundAt(line, 0) });
  const own = dedent(text, 5);
  // Its end says how long the turn took; until then it stands below what grows.
  if (own.startsWith("▣ ")) return { role: /▣ .+ · .+ · /.test(own) ? "notice" : "skip", isStart: true, text: "" };
  if (call.test(own) && isToolColour(line))
    return { role: "tool-call", isStart: true, text: own.replace(spinner, ""), isSummary: own.startsWith("~ ") };
  if (isOrange(first.foreground) && /^[+−-] Th(?:ought|inking)\b/.test(own))
    return { role: "notice", isStart: true, text: "" };
  if (isToolColour(line)) return { role: null, text: own };
  return { role: "assistant", text: own };
}

/** A bar far from the left edge, with another shade behind it. */
function isCovered(line: ScreenLine): boolean {
  const column = line.text.indexOf("┃", 8);
  return column !== -1 && backgroundAt(line, column + 2) !== backgroundAt(line, 0);
}

/** A bar that is not seen, in the colour of the screen, is a tool's. */
function barred(first: StyledSpan, { text, screen }: { text: string; screen: number }): RowReading {
  const own = text.replace(bar, "").replace(/^ {1,2}/, "");
  if (own === "") return { role: null, text: "" };
  if (isRed(first.foreground)) return { role: "error", text: own };
  if (first.foreground !== screen) return { role: "user", text: own };
  if (spinner.test(own)) return running(own.replace(spinner, ""));
  if (/^[$→←✱⚙%◈#] /.test(own)) return { role: "tool-call", isStart: true, text: own };
  // A blank row stands between a command and what it prints.
  return { role: "tool-result", text: own, joinsCall: true };
}

/** A command of a shell that has not printed anything. */
const running = (own: string): RowReading =>
  own === "" ? { role: "skip", text: "" } : { role: "tool-call", isStart: true, text: `$ ${own}` };

/** Orange is what waits for a permission. */
const isToolColour = (line: ScreenLine): boolean => {
  const first = firstSpan(line);
  return first !== undefined && (isFaint(line) || isOrange(first.foreground));
};
