/**
 * Commands of a shell between agents: where its prompt stood, what was typed there, what came out.
 *
 * A prompt is where the cursor waits, behind text that ends as prompts do, with nothing below; the first one is learned and later
 * ones must look like it, so that neither look-alikes in the output nor prompts of other programs count.
 */
import type { Frame } from "../screen/frame.ts";
import type { TypedItem } from "../typing/input-reader.ts";
import type { MessageLog, MessagePlace, Writable } from "./message-log.ts";
import { OutputLines, type OutputLinesState } from "./output-lines.ts";

/** A command that was sent off. */
export interface ShellCommand {
  readonly command: string;
  /** Number of the first row of its output. */
  readonly firstLine: number;
}

interface Prompt {
  readonly line: number;
  readonly text: string;
  readonly typed: string;
  /** What stands at the right edge of its row beside it. */
  readonly right: string;
  /** Rows that it takes with what was typed. */
  readonly rows: number;
}

interface Running {
  readonly id: string;
  readonly command: string;
  readonly exitCode: number | null;
  /** A mark has said that it begins; its row may be left before. */
  readonly isStarted: boolean;
  /** It has drawn on the alternate screen, and that is not read. */
  readonly isFullScreen: boolean;
}

export interface ShellReaderState {
  readonly known: string | null;
  /** The row above the first prompt: of a prompt of two rows it is the first. */
  readonly above: string;
  readonly prompt: Prompt | null;
  readonly running: Running | null;
  /** Said by a mark of a command whose row has not been seen to be left. */
  readonly exitCode: number | null;
  readonly output: OutputLinesState | null;
  /** The first key that ended the line since the prompt stood; null where it is not known, such as of what was typed ahead. */
  readonly lineEnd: LineEnd | null;
  readonly handed: Handed | null;
}

/** A command that the shell has taken and not begun: until then its editor shows only how it takes it. */
interface Handed {
  readonly command: string;
  /** Row of the cursor. */
  readonly line: number | null;
}

/** The key that ended the line which was typed: Enter sends it off, Ctrl-C gives it up. */
type LineEnd = "enter" | "interrupt";

/** Stands in place of what a program drew that nothing is known of. */
export const notReadLine = "… full screen, not read …";
const promptEnd = /[$#%>❯➜»λ] ?$/;
const nothingRead: ShellReaderState = {
  known: null,
  above: "",
  prompt: null,
  running: null,
  exitCode: null,
  output: null,
  lineEnd: null,
  handed: null,
};

export class ShellReader {
  readonly #log: MessageLog;
  readonly #state: Writable<Omit<ShellReaderState, "output">>;
  #output: OutputLines | null;

  constructor(log: MessageLog, { output, ...state }: ShellReaderState = nothingRead) {
    this.#log = log;
    this.#state = state;
    this.#output = output === null ? null : new OutputLines(output);
  }

  save(): ShellReaderState {
    return { ...this.#state, output: this.#output?.save() ?? null };
  }

  /** No prompt was seen that somebody types at, and no command runs. */
  get isIdle(): boolean {
    return this.#state.prompt === null && this.#state.running === null;
  }

  /** The row at which the shell waits for a command; null where it does not. */
  promptLine(frame: Frame): number | null {
    if (frame.isAlternate) return null;
    const { row, column } = frame.cursor;
    const text = frame.lines[row]?.text ?? "";
    if (column > text.length + 1 || !isFree(text.slice(column), frame.columns - column)) return null;
    if (frame.lines.slice(row + 1).some((line) => line.text !== "")) return null;
    const prompt = text.slice(0, column).padEnd(column);
    const isKnown =
      this.#state.known === null || isAlike(this.#state.known, prompt) || stands(this.#state.known, prompt);
    return promptEnd.test(prompt) && isKnown ? frame.topLine + row : null;
  }

  /** Returns the command that was sent off, if one was; where `isAgent` it is not a message of the shell. */
  frame(frame: Frame, isAgent: (command: string) => boolean): ShellCommand | null {
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    if (this.#state.handed !== null) {
      this.#state.handed = { ...this.#state.handed, line: frame.topLine + frame.cursor.row };
      return null;
    }
    if (!frame.isAlternate) {
      if (frame.isResized) this.#moved(frame);
      this.#type(frame);
    }
    const prompt = this.#state.prompt;
    const isSubmitted = prompt !== null && isSent(prompt, frame) && !this.#isGivenUp(prompt);
    const command = isSubmitted ? this.#submit(prompt, { place, isAgent }) : null;
    if (frame.isAlternate) {
      this.#drawOver(place);
      return command;
    }
    this.#output?.frame(frame);
    const line = this.promptLine(frame);
    if (line !== null && line !== this.#state.prompt?.line) this.#begin(frame, line, place);
    return command;
  }

  /** What was typed: it tells a line that was given up from one that was sent off. */
  input(items: readonly TypedItem[]): void {
    this.#state.handed = null;
    if (this.#state.prompt === null || this.#state.lineEnd !== null) return;
    const end = items.find(({ type }) => type === "enter" || type === "interrupt");
    if (end !== undefined) this.#state.lineEnd = end.type === "interrupt" ? "interrupt" : "enter";
  }

  /** The shell has taken a command, of which nothing was typed. */
  handOver(command: string): void {
    // A shell that prints its answer late has left the row of this command before.
    if (this.#state.running?.isStarted === false && this.#state.running.command === command.trim()) return;
    this.#state.handed = {
      command,
      line: this.#state.prompt === null ? null : this.#state.prompt.line + this.#state.prompt.rows,
    };
  }

  /** A mark of the shell: a command begins. Returns it if it was handed over; where `isAgent` it is not a message of the shell. */
  started(place: MessagePlace, isAgent: (command: string) => boolean): ShellCommand | null {
    const handed = this.#state.handed;
    this.#state.handed = null;
    if (handed === null || handed.line === null) {
      if (this.#state.running !== null) this.#state.running = { ...this.#state.running, isStarted: true };
      return null;
    }
    this.#state.prompt = null;
    this.#state.exitCode = null;
    const sent = { command: handed.command.trim(), firstLine: handed.line };
    if (!isAgent(sent.command)) this.#start(sent.command, { firstLine: handed.line, place, isStarted: true });
    return sent;
  }

  /** A mark of the shell: the command has ended with `exitCode`. */
  ended(exitCode: number | null): void {
    if (this.#state.handed !== null) return;
    if (this.#state.running !== null) this.#state.running = { ...this.#state.running, exitCode };
    // A short command has ended before the frame that shows that it was typed or sent. Of an empty line the next prompt forgets it.
    else if (this.#state.prompt !== null) this.#state.exitCode = exitCode;
  }

  /** The session itself runs `command`, and the frame shows that it draws on the whole screen. */
  run(command: string, frame: Frame): void {
    const place = { offset: frame.offset, timeUs: frame.timeUs };
    this.#start(command, { firstLine: frame.topLine, place, isStarted: true });
    this.#drawOver(place);
  }

  /** The command that runs; null if none does. */
  get command(): string | null {
    return this.#state.running?.command ?? null;
  }

  /** What runs is no command of the shell: its message is taken back. Returns the number of the first row of its output. */
  yield(place: MessagePlace): number {
    const firstLine =
      this.#output?.firstLine ?? (this.#state.prompt === null ? 0 : this.#state.prompt.line + this.#state.prompt.rows);
    if (this.#state.running !== null) this.#log.withdraw(this.#state.running.id, place);
    this.#state.exitCode = null;
    this.#state.running = null;
    this.#output = null;
    this.#state.prompt = null;
    return firstLine;
  }

  /** The program that held the terminal is gone and the shell waits at `line`. */
  resume(frame: Frame, line: number): void {
    this.#begin(frame, line, { offset: frame.offset, timeUs: frame.timeUs });
    this.#type(frame);
  }

  /** Nothing more comes. */
  end(place: MessagePlace): void {
    this.#finish(place, null);
  }

  /** By the key; where it was not seen, by what a terminal shows of it. */
  #isGivenUp({ typed }: Prompt): boolean {
    return this.#state.lineEnd === "interrupt" || (this.#state.lineEnd === null && typed.endsWith("^C"));
  }

  #begin(frame: Frame, line: number, place: MessagePlace): void {
    this.#state.lineEnd = null;
    const row = frame.lines[line - frame.topLine]?.text ?? "";
    const text = row.slice(0, frame.cursor.column).padEnd(frame.cursor.column);
    const known = this.#state.known ?? text;
    this.#finish(place, line, stands(known, text) ? text.slice(0, -known.length) : "");
    this.#state.exitCode = null;
    if (this.#state.known === null) this.#state.above = frame.lines[line - frame.topLine - 1]?.text ?? "";
    this.#state.known ??= text;
    this.#state.prompt = { line, text, typed: "", right: row.slice(frame.cursor.column).trim(), rows: 1 };
  }

  #type(frame: Frame): void {
    if (this.#state.prompt === null) return;
    const first = this.#state.prompt.line - frame.topLine;
    const lines = frame.lines.slice(Math.max(0, first));
    const rows = 1 + Math.max(0, lines.findIndex((line, index) => index > 0 && !line.isWrapped) - 1);
    const text = lines
      .slice(0, rows)
      .map((line) => line.text)
      .join("");
    const { text: prompt, typed, right } = this.#state.prompt;
    if (first < 0 || !text.startsWith(prompt.trimEnd())) return;
    const now = (right !== "" && text.endsWith(right) ? text.slice(0, -right.length) : text)
      .slice(prompt.length)
      .trimEnd();
    // A row that was cleared with the screen says nothing of what was sent off.
    const cursor = frame.topLine + frame.cursor.row;
    if (now !== "" || typed === "" || cursor === this.#state.prompt.line)
      this.#state.prompt = { ...this.#state.prompt, typed: now, rows };
  }

  /** Rows were wrapped anew: the prompt is where the cursor is. */
  #moved(frame: Frame): void {
    if (this.#state.prompt === null) return;
    const { prompt, row } = { prompt: this.#state.prompt, row: frame.cursor.row };
    for (let index = row; index >= 0; index -= 1)
      if (frame.lines[index]?.text.startsWith(prompt.text.trimEnd()) === true) {
        this.#state.prompt = { ...prompt, line: frame.topLine + index };
        return;
      }
  }

  #submit(
    prompt: Prompt,
    { place, isAgent }: { place: MessagePlace; isAgent: (command: string) => boolean },
  ): ShellCommand {
    const command = prompt.typed.trim();
    const firstLine = prompt.line + prompt.rows;
    this.#state.prompt = null;
    if (!isAgent(command)) this.#start(command, { firstLine, place, isStarted: false });
    return { command, firstLine };
  }

  #start(
    command: string,
    { firstLine, place, isStarted }: { firstLine: number; place: MessagePlace; isStarted: boolean },
  ): void {
    const shell = { command, exitCode: null };
    const id = this.#log.say({ id: null, role: "shell", agent: null, text: "", shell, isPartial: true }, place);
    this.#state.running = { id, command, exitCode: this.#state.exitCode, isStarted, isFullScreen: false };
    this.#output = new OutputLines(firstLine);
  }

  /** What runs draws on the whole screen. */
  #drawOver(place: MessagePlace): void {
    if (this.#state.running === null || this.#state.running.isFullScreen) return;
    this.#state.running = { ...this.#state.running, isFullScreen: true };
    const { id, command } = this.#state.running;
    const shell = { command, exitCode: null };
    const text = notReadLine;
    this.#log.say({ id, role: "shell", agent: null, text, shell, isPartial: true, isIncomplete: true }, place);
  }

  /** The output ends in front of row `line`, but for what stands there in front of the prompt. */
  #finish(place: MessagePlace, line: number | null, rest = ""): void {
    const [running, output] = [this.#state.running, this.#output];
    this.#state.running = null;
    this.#output = null;
    if (running === null || output === null) return;
    const { id, command, exitCode, isFullScreen } = running;
    const parts = [isFullScreen ? notReadLine : "", withoutLast(output.text(line), this.#state.above), rest];
    const text = parts.filter((part) => part !== "").join("\n");
    const shell = { command, exitCode };
    const isIncomplete = isFullScreen || output.isIncomplete;
    this.#log.say({ id, role: "shell", agent: null, text, shell, isPartial: false, isIncomplete }, place);
    this.#log.forget(id);
  }
}

/** Nothing stands behind the cursor, but for what a shell writes at the right edge. */
const isFree = (rest: string, columns: number): boolean =>
  rest.trim() === "" || (/^ {3,}\S/.test(rest) && rest.length >= columns - 2);

/** Something was typed, and the cursor went on. */
function isSent(prompt: Prompt, frame: Frame): boolean {
  if (prompt.typed.trim() === "") return false;
  const cursor = frame.topLine + frame.cursor.row;
  return frame.isAlternate || cursor < prompt.line || cursor >= prompt.line + prompt.rows;
}

/** Ends in the same way and begins in the same way: the directory in it may be another. */
function isAlike(known: string, prompt: string): boolean {
  if (known === prompt) return true;
  if (known.trimEnd().at(-1) !== prompt.trimEnd().at(-1)) return false;
  const head = /^[^\s:~/]*[\s:~/]?/.exec(known)?.[0] ?? "";
  return head.length >= 3 && prompt.startsWith(head);
}

/** The very same prompt behind output that did not end its row. */
const stands = (known: string, prompt: string): boolean => known.length >= 4 && prompt.endsWith(known);

/** `text` without its last line where that is the first row of a prompt. */
function withoutLast(text: string, above: string): string {
  const start = text.lastIndexOf("\n") + 1;
  const head = /^[^\s:~/]*[\s:~/]?/.exec(above)?.[0] ?? "";
  return head.length >= 3 && text.startsWith(head, start) ? text.slice(0, Math.max(0, start - 1)) : text;
}
