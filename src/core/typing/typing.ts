/** What is being typed: the line since the last Enter, and the last pastes. */
import { answerText, InputReader, type InputReaderState, type TypedItem } from "./input-reader.ts";

/** A line as far as the keys show it. */
export interface TypedLine {
  /**
   * Not the whole of it if `isKnown` is false: history, cursor keys and completion write what no key shows, and a key in another encoding
   * is text for a program that has not switched that on.
   */
  readonly text: string;
  readonly isKnown: boolean;
}

/** What one record of input brought. */
export interface TypedInput {
  readonly items: readonly TypedItem[];
  /** The lines that it ended with Enter. */
  readonly lines: readonly TypedLine[];
  /** It is the first of a line. */
  readonly isFirst: boolean;
}

/** Plain data. */
export interface TypingState {
  readonly reader: InputReaderState;
  readonly line: TypedLine;
  readonly pastes: readonly string[];
  readonly answers: readonly string[];
  /** Nothing was typed since the last line, or since the program before ended. */
  readonly isFresh: boolean;
}

/** Of a longer line the end is kept. */
const LINE_CHARS_MAX = 4096;
/** The last pastes: agents show a sign in place of each. */
const PASTES_MAX = 4;
/** A program asks for several at its start. */
const ANSWERS_MAX = 16;

const emptyLine: TypedLine = { text: "", isKnown: true };

export class Typing {
  #reader: InputReader;
  #line: TypedLine;
  #pastes: readonly string[];
  #answers: readonly string[];
  #isFresh: boolean;

  constructor(state?: TypingState) {
    this.#reader = new InputReader(state?.reader);
    this.#line = state?.line ?? emptyLine;
    this.#pastes = state?.pastes ?? [];
    this.#answers = state?.answers ?? [];
    this.#isFresh = state?.isFresh ?? true;
  }

  /** What was typed since the last Enter. */
  get line(): TypedLine {
    return this.#line;
  }

  /** What the terminal has answered since the last Enter, as far as it can be seen in a line: nobody may have read it. */
  get answers(): readonly string[] {
    return this.#answers;
  }

  /** The last ones, oldest first. */
  get pastes(): readonly string[] {
    return this.#pastes;
  }

  /**
   * `isSecret`: the bytes are masked and belong to no line. `isAgent`: a line feed is part of the prompt; only a carriage return
   * sends it, and Escape writes nothing into an empty box.
   */
  input(
    bytes: Uint8Array,
    { isSecret, isAgent }: { readonly isSecret: boolean; readonly isAgent: boolean },
  ): TypedInput {
    const wasFresh = this.#isFresh;
    const items = isSecret ? new InputReader().feed(bytes) : this.#reader.feed(bytes);
    if (isSecret) return { items, lines: [], isFirst: false };
    const lines: TypedLine[] = [];
    for (const item of items) {
      const isEnd = item.type === "enter" && !(isAgent && item.raw === "\n");
      const isKnown = item.isEncoded !== true && this.#line.isKnown;
      if (isEnd) lines.push({ ...this.#line, isKnown });
      if (isEnd || item.type === "interrupt" || item.type === "kill-line") this.#answers = [];
      const answer = item.type === "report" ? answerText(item.raw) : "";
      if (answer !== "") this.#answers = [...this.#answers, answer].slice(-ANSWERS_MAX);
      if (item.type === "paste-end") this.#pastes = [...this.#pastes, item.text].slice(-PASTES_MAX);
      const isNothing = item.type === "escape" && isAgent && isEmpty(this.#line);
      const next = isEnd ? emptyLine : isNothing ? this.#line : lineAfter(this.#line, item);
      const line = item.isEncoded === true ? { ...next, isKnown: false } : next;
      this.#isFresh = isEmpty(line) || (this.#isFresh && line === this.#line);
      this.#line = line;
    }
    return { items, lines, isFirst: wasFresh && (lines.length > 0 || !this.#isFresh) };
  }

  /** A dialog took the keys: they are not part of a line. */
  clear(): void {
    this.#line = emptyLine;
    this.#isFresh = true;
  }

  /**
   * Another program reads from here on: what was begun is not continued. With `mayHold` it is a line editor, which may have been given
   * what was typed for the program before it.
   */
  reset({ mayHold }: { readonly mayHold: boolean }): void {
    this.#line = mayHold ? { text: "", isKnown: false } : emptyLine;
    this.#isFresh = true;
    this.#reader = new InputReader();
  }

  save(): TypingState {
    return {
      reader: this.#reader.save(),
      line: this.#line,
      pastes: this.#pastes,
      answers: this.#answers,
      isFresh: this.#isFresh,
    };
  }
}

/** False for what a terminal sends by itself: answers to queries, and reports of focus and mouse. */
export const isTyped = (bytes: Uint8Array): boolean =>
  new InputReader().feed(bytes).some(({ type }) => type !== "report");

const isEmpty = ({ text, isKnown }: TypedLine): boolean => text === "" && isKnown;

function lineAfter(line: TypedLine, item: TypedItem): TypedLine {
  const { text, isKnown } = line;
  switch (item.type) {
    case "text":
      return bounded({ text: text + item.text, isKnown });
    case "enter":
      return bounded({ text: `${text}\n`, isKnown });
    case "backspace":
      return { text: [...text].slice(0, -1).join(""), isKnown };
    case "kill-word":
      return { text: text.replace(/\S*\s*$/, ""), isKnown };
    case "interrupt":
    case "kill-line":
      return emptyLine;
    case "arrow":
    case "escape":
    case "key":
      return { text, isKnown: false };
    case "paste-start":
    case "paste-end":
    case "mouse-release":
    case "report":
      return line;
  }
}

const bounded = (line: TypedLine): TypedLine =>
  line.text.length <= LINE_CHARS_MAX ? line : { text: line.text.slice(-LINE_CHARS_MAX), isKnown: false };
