/** Messages that a function reads from the screens of a recording, merged into one conversation. */
import type { ChatMessage } from "../core/chat/message.ts";
import type { Frame } from "../core/screen/frame.ts";

/** One message as a screen shows it. */
type ReadMessage = Pick<ChatMessage, "role" | "text">;

/**
 * Reads the messages on a screen, first to last. `rows` are its rows with up to 1,000 rows above them, without blanks at their end; rows
 * that the terminal wrapped are joined.
 */
export type ReadScreen = (rows: readonly string[]) => readonly ReadMessage[];

const ROWS_ABOVE_MAX = 1000;

/** Reads each frame. What an earlier frame showed stays, also if the screen is cleared; a message only grows. */
export function messagesByFunction(frames: Iterable<Frame>, read: ReadScreen): ChatMessage[] {
  let messages: ChatMessage[] = [];
  let above: Frame["lines"] = [];
  let topLine = 0;
  for (const frame of frames) {
    const isContinued = !frame.isResized && frame.topLine - frame.scrolled.length === topLine;
    above = [...(isContinued ? above : []), ...frame.scrolled].slice(-ROWS_ABOVE_MAX);
    ({ topLine } = frame);
    const lines = frame.isAlternate ? frame.lines : [...above, ...frame.lines];
    messages = merged(messages, read(rowsOf(lines)), frame);
  }
  return messages;
}

function rowsOf(lines: Frame["lines"]): string[] {
  const rows: string[] = [];
  for (const { text, isWrapped } of lines)
    if (isWrapped && rows.length > 0) rows.push((rows.pop() ?? "") + text);
    else rows.push(text);
  return rows;
}

/**
 * The longest beginning of `shown` that is the end of `known` continues it; without one all of `shown` is new. The last known message is
 * still being drawn: it grows, or is drawn anew behind one that stands; a beginning of it is what a clear left.
 */
function merged(known: readonly ChatMessage[], shown: readonly ReadMessage[], frame: Frame): ChatMessage[] {
  const whole = overlapOf(known, shown);
  const grown = shown[whole - 1];
  if (grown !== undefined)
    return [...withText(known, grown.text, frame), ...added(known.length, shown.slice(whole), frame)];
  const settled = known.slice(0, -1);
  const rest = shown.slice(overlapOf(settled, shown));
  const [head, ...later] = rest;
  if (head === undefined) return [...known];
  if (rest.length === shown.length) return [...known, ...added(known.length, shown, frame, known.length > 0)];
  const last = known.at(-1);
  const isCut = last?.role === head.role && last.text.startsWith(head.text);
  return isCut ? [...known, ...added(known.length, later, frame)] : [...settled, ...added(settled.length, rest, frame)];
}

function withText(known: readonly ChatMessage[], text: string, frame: Frame): ChatMessage[] {
  const last = known.at(-1);
  if (last === undefined || last.text === text) return [...known];
  return [...known.slice(0, -1), { ...last, text, end: frame.offset, endTimeUs: frame.timeUs }];
}

const added = (
  count: number,
  shown: readonly ReadMessage[],
  { offset, timeUs }: Frame,
  isIncomplete = false,
): ChatMessage[] =>
  shown.map(({ role, text }, index) => ({
    id: `m${count + index + 1}`,
    role,
    agent: null,
    text,
    source: "screen",
    isPartial: false,
    isIncomplete: isIncomplete && index === 0,
    offset,
    end: offset,
    timeUs,
    endTimeUs: timeUs,
  }));

function overlapOf(known: readonly ChatMessage[], shown: readonly ReadMessage[]): number {
  let overlap = Math.min(known.length, shown.length);
  while (overlap > 0 && !continues(known.slice(-overlap), shown)) overlap -= 1;
  return overlap;
}

/** Only the last message may have grown. */
const continues = (known: readonly ChatMessage[], shown: readonly ReadMessage[]): boolean =>
  known.every(({ role, text }, index) => {
    const now = shown[index];
    if (now?.role !== role) return false;
    return index === known.length - 1 ? now.text.startsWith(text) : now.text === text;
  });
