/**
 * The conversation with an agent that reads lines: what was sent at its prompt is the user's, and all that it prints until the next
 * prompt is its answer.
 */
import type { LineRules } from "../agents/agent.ts";
import { cursorLine } from "../agents/cursor-line.ts";
import type { Pattern } from "../agents/pattern.ts";
import type { Frame } from "../screen/frame.ts";
import type { ScreenLine } from "../screen/screen-lines.ts";
import { squash } from "../text/squash.ts";
import type { MessageRows } from "./conversation.ts";
import type { MessageLog, MessagePlace, Writable } from "./message-log.ts";
import { OutputLines, type OutputLinesState } from "./output-lines.ts";

/** The prompt at which the agent waits. */
interface Prompt {
  /** Number of its first row. */
  readonly line: number;
  /** Rows that it takes with what was typed. */
  readonly rows: number;
  readonly typed: string;
  /** It was entered, and nothing is printed yet: the prompt for a further line may come. */
  readonly isEntered?: boolean;
}

export interface LineConversationState {
  readonly prompt: Prompt | null;
  readonly output: OutputLinesState | null;
  /** The message of the output; null before it has a text. */
  readonly answer: string | null;
  /** Lines that were sent and that no prompt has shown yet, oldest first. */
  readonly sent: readonly string[];
  readonly hasWaited: boolean;
}

const SENT_LINES_MAX = 8;
const nothingSaid = { prompt: null, answer: null, sent: [], hasWaited: false };

export class LineConversation {
  /** Its answers are plain output, which others read as such: see `Conversation`. */
  readonly changed: readonly MessageRows[] = [];
  readonly wasAlternate = false;
  readonly isEmpty = true;
  readonly rules: { readonly agent: string; readonly name: string };
  readonly #rules: LineRules;
  readonly #log: MessageLog;
  readonly #state: Writable<Omit<LineConversationState, "output">>;
  #output: OutputLines | null;

  /** `state`: what another one saved, or the number of the first row that is the agent's. */
  constructor(
    { agent, rules }: { readonly agent: string; readonly rules: LineRules },
    log: MessageLog,
    state: LineConversationState | number,
  ) {
    const { output, ...rest } = typeof state === "number" ? { ...nothingSaid, output: state } : state;
    this.rules = { agent, name: agent };
    this.#rules = rules;
    this.#log = log;
    this.#state = rest;
    this.#output = output === null ? null : new OutputLines(output);
  }

  get firstLine(): number {
    return this.#output?.firstLine ?? this.#state.prompt?.line ?? 0;
  }

  save(): LineConversationState {
    return { ...this.#state, output: this.#output?.save() ?? null };
  }

  /** A line was typed and sent: the screen may wrap it, scroll it or cut it. */
  typed(line: string): void {
    if (line.trim() !== "") this.#state.sent = [...this.#state.sent, line.trim()].slice(-SENT_LINES_MAX);
  }

  frame(frame: Frame): void {
    if (frame.isAlternate) return;
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    if (frame.isResized) this.#moved(frame);
    this.#readPrompt(frame);
    const prompt = this.#state.prompt;
    if (prompt !== null) {
      const isEntered = isLeft(prompt, frame);
      if (isEntered && !this.#mayGoOn(prompt, frame)) this.#submit(prompt, place);
      else this.#state.prompt = { ...prompt, isEntered };
    }
    this.#output?.frame(frame);
    const line = this.#rules.prompt.test(cursorLine(frame).before) ? rowOfPrompt(frame) : null;
    if (line === null) this.#answerWith(null, place);
    else if (line !== this.#state.prompt?.line) this.#wait(line, place);
    this.#readPrompt(frame);
  }

  /** Bytes are missing: of the answer more may have come. */
  gap(place: MessagePlace): void {
    if (this.#state.answer !== null) this.#log.setIncomplete(this.#state.answer, place);
  }

  /** What it printed at its end is its last answer. */
  closing(): string {
    return "ended";
  }

  end(place: MessagePlace): void {
    if (this.#state.prompt?.isEntered === true) this.#submit(this.#state.prompt, place);
    this.#finish(null, place);
    this.#state.prompt = null;
  }

  /** Rows were wrapped anew: the prompt is the nearest one above the cursor. */
  #moved(frame: Frame): void {
    if (this.#state.prompt === null) return;
    const row = frame.lines.slice(0, frame.cursor.row + 1).findLastIndex((line) => this.#markOf(line) !== undefined);
    if (row !== -1) this.#state.prompt = { ...this.#state.prompt, line: frame.topLine + row };
  }

  #markOf = ({ text }: ScreenLine): string | undefined => markOf(this.#rules.prompt, text);

  /** What stands behind the prompt, with the rows that it was wrapped to and those behind the prompt for a further line. */
  #readPrompt(frame: Frame): void {
    const prompt = this.#state.prompt;
    const [first, ...rest] = prompt === null ? [] : frame.lines.slice(Math.max(0, prompt.line - frame.topLine));
    const mark = first === undefined ? undefined : this.#markOf(first);
    if (prompt === null || first === undefined || mark === undefined || prompt.line < frame.topLine) return;
    const end = rest.findIndex(({ isWrapped, text }) => !isWrapped && markOf(this.#rules.more, text) === undefined);
    const more = rest.slice(0, end === -1 ? rest.length : end);
    const typed = [first, ...more]
      .map((line, index, all) => {
        const text = all[index + 1]?.isWrapped === true ? line.text.padEnd(frame.columns) : line.text;
        if (index === 0) return text.slice(mark.length);
        return line.isWrapped ? text : `\n${text.slice(markOf(this.#rules.more, text)?.length)}`;
      })
      .join("")
      .trimEnd();
    const isHint = isPlaceholder(first, frame.cursor, { row: prompt.line - frame.topLine, column: mark.length });
    this.#state.prompt = { ...prompt, typed: isHint ? "" : typed, rows: 1 + more.length };
  }

  /** The cursor stands below it, and nothing is printed there. */
  #mayGoOn({ line, rows }: Prompt, { cursor, lines, topLine }: Frame): boolean {
    const below = lines.slice(Math.max(0, line + rows - topLine), cursor.row + 1);
    return this.#rules.more !== null && below.length > 0 && below.every(({ text }) => text.trim() === "");
  }

  #submit({ line, rows, typed }: Prompt, place: MessagePlace): void {
    this.#state.prompt = null;
    this.#output = new OutputLines(line + rows);
    const shown = squash(typed);
    const index = this.#state.sent.findIndex((sent) => squash(sent).startsWith(shown));
    const text = this.#state.sent[index] ?? typed.trim();
    this.#state.sent = index === -1 ? [] : this.#state.sent.slice(index + 1);
    const isGivenUp = index === -1 && text.endsWith("^C");
    if (text !== "" && !isGivenUp)
      this.#log.forget(this.#log.say({ id: null, role: "user", agent: this.rules.agent, text }, place));
  }

  #wait(line: number, place: MessagePlace): void {
    this.#finish(line, place);
    this.#state.hasWaited = true;
    this.#state.prompt = { line, rows: 1, typed: "" };
  }

  /** The output in front of row `end`; null: all of it, and more may come. */
  #answerWith(end: number | null, place: MessagePlace): void {
    if (this.#output === null) return;
    const isSaid = (row: string): boolean => !this.#rules.skip.some((pattern) => pattern.test(row));
    const text = this.#output.text(end).split("\n").filter(isSaid).join("\n").replace(/^\n+/, "").trimEnd();
    if (text === "" && this.#state.answer === null) return;
    const role = this.#state.hasWaited ? "assistant" : "welcome";
    const { isIncomplete } = this.#output;
    const isPartial = end === null;
    const id = this.#state.answer;
    this.#state.answer = this.#log.say(
      { id, role, agent: this.rules.agent, text, isPartial, ...(isIncomplete && { isIncomplete }) },
      place,
    );
  }

  #finish(end: number | null, place: MessagePlace): void {
    this.#answerWith(end ?? Infinity, place);
    if (this.#state.answer !== null) this.#log.forget(this.#state.answer);
    this.#output = null;
    this.#state.answer = null;
  }
}

/** The prompt in a row, which has no blanks at its end. */
const markOf = (prompt: Pattern | null, text: string): string | undefined => prompt?.exec(`${text} `)?.[0];

/** Words that an empty line shows behind the cursor, dim or in a colour of their own. */
const isPlaceholder = (
  { spans }: ScreenLine,
  cursor: Frame["cursor"],
  place: { row: number; column: number },
): boolean =>
  cursor.row === place.row &&
  cursor.column <= place.column &&
  spans.every(({ column, isDim, foreground }) => column < place.column || isDim || foreground !== -1);

/** The number of the row in which the line of the cursor begins. */
function rowOfPrompt({ cursor, lines, topLine }: Frame): number {
  let { row } = cursor;
  while (row > 0 && lines[row]?.isWrapped === true) row -= 1;
  return topLine + row;
}

/** The cursor is below what was typed, or the screen was cleared. */
function isLeft({ line, rows }: Prompt, { cursor, topLine }: Frame): boolean {
  const row = topLine + cursor.row;
  return row >= line + rows || row < line;
}
