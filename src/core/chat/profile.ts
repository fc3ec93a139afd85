/** What is particular to an agent's screen, as data and two small functions. */
import type { Frame } from "../screen/frame.ts";
import type { ScreenLine } from "../screen/screen-lines.ts";
import type { RowReading } from "./row.ts";

/** Where the conversation stands on the screen: rows `from` to before `to`. */
export interface ChatWindow {
  readonly from: number;
  readonly to: number;
  /** The agent says that it works: its last message may grow. */
  readonly isBusy: boolean;
  /** Columns of the conversation, where something stands to the right of it. */
  readonly columns?: number;
  /** The mark of a message that began further up is shown in the first row: it begins none there. */
  readonly hasFloatingMark?: boolean;
}

export interface ChatProfile {
  /** Its own among profiles. */
  readonly name: string;
  /** As in `ChatMessage.agent`. */
  readonly agent: string;
  /** Columns at the right edge that the agent never writes text to. */
  readonly margin: number;
  /** It breaks words behind these. */
  readonly breaksBehind: RegExp | null;
  /** Leaves out what stands around the conversation: input box, status rows, spinners, dialogs. null: it is not shown now. */
  window(frame: Frame): ChatWindow | null;
  /** Reads one row of the conversation. `columns` is the width of the screen. */
  read(line: ScreenLine, columns: number): RowReading;
  /** Answers have no mark: what stands before the first prompt is a welcome. */
  readonly hasPlainAnswers?: boolean;
  /** Marks that blink or change while a row stays the same row; they do not count when rows are compared. */
  readonly changing: RegExp;
  /** Calls are shown while their input still grows, maybe in another form. */
  readonly streamsCalls?: boolean;
  /** What ran is printed while it is still drawn: between two texts the same call is shown twice. */
  readonly printsTwice?: boolean;
  /** Text of a tool call that still runs, where the agent shows it again as a new one when it has run. */
  readonly pending?: RegExp;
  /** Name and input of a tool out of the text of its call. */
  tool(text: string): { readonly name: string; readonly input: string | null };
}

/** `name(input)`, `Name input` or `$ command`: how most agents show a tool. */
export function toolOf(text: string): { name: string; input: string | null } {
  const lines = text.split("\n");
  const command = lines.find((line) => line.startsWith("$ "));
  if (command !== undefined) {
    const at = text.indexOf(command);
    return { name: "shell", input: text.slice(at + 2).trim() };
  }
  const call = /^([\w.-]+)\(([\s\S]*?)\)?$/.exec(text.trim());
  if (call !== null) return { name: call[1] ?? "", input: call[2] ?? null };
  const words = /^(\S+)\s+([\s\S]+)$/.exec(text.trim());
  return words === null ? { name: text.trim(), input: null } : { name: words[1] ?? "", input: words[2] ?? null };
}

/** Last row before `to`, from the bottom, that `test` accepts, at most `rowsMax` up; -1 where none is. */
export function lastRow(
  lines: readonly ScreenLine[],
  test: (line: ScreenLine, row: number) => boolean,
  { to = lines.length, rowsMax = lines.length }: { readonly to?: number; readonly rowsMax?: number } = {},
): number {
  for (let row = to - 1; row >= Math.max(0, to - rowsMax); row -= 1) {
    const line = lines[row];
    if (line !== undefined && test(line, row)) return row;
  }
  return -1;
}

/** `to` without the rows in front of it that `test` accepts. */
export function trimmed(lines: readonly ScreenLine[], to: number, test: (line: ScreenLine) => boolean): number {
  let end = to;
  while (end > 0) {
    const line = lines[end - 1];
    if (line === undefined || !test(line)) break;
    end -= 1;
  }
  return end;
}

/** A row of nothing but a line from edge to edge, maybe with words in it. */
export const isRule = (line: ScreenLine): boolean => /^\s?[─━]{2,}.*[─━]{2,}$/.test(line.text);
