/**
 * Distinguishes an agent without rules from an editor or a pager, by what it does with a prompt: the text that was typed into its input
 * box appears above that box, behind the mark of a prompt.
 */
import type { ChatRules } from "../agents/chat-rules.ts";
import type { TypedLine } from "../typing/typing.ts";
import type { Frame } from "../screen/frame.ts";
import { squash } from "../text/squash.ts";

/** What was typed and sent to the program, oldest first. */
export type UnknownAgentState = readonly string[];

const LINES_MAX = 8;
/** Shorter ones are keys of a program rather than prompts. */
const LINE_CHARS_MIN = 3;

export class UnknownAgent {
  #sent: UnknownAgentState;

  constructor(state: UnknownAgentState = []) {
    this.#sent = state;
  }

  typed(lines: readonly TypedLine[]): void {
    const prompts = lines.filter(({ text, isKnown }) => isKnown && squash(text).length >= LINE_CHARS_MIN);
    this.#sent = [...this.#sent, ...prompts.map(({ text }) => squash(text))].slice(-LINES_MAX);
  }

  /** Another program reads from here on. */
  reset(): void {
    this.#sent = [];
  }

  /** `rules`: those for agents of which nothing is known. */
  isShown(frame: Frame, rules: ChatRules): boolean {
    if (this.#sent.length === 0) return false;
    const window = rules.window(frame);
    if (window?.end !== "box") return false;
    return frame.lines.slice(window.from, window.to).some((line) => {
      const { role, isStart = false, text } = rules.read(line, frame.columns);
      const shown = squash(text);
      if (role !== "user" || !isStart || shown.length < LINE_CHARS_MIN) return false;
      // A long one takes several rows; behind a short one may be a time.
      return this.#sent.some((sent) => sent.startsWith(shown) || shown.startsWith(sent));
    });
  }

  save(): UnknownAgentState {
    return this.#sent;
  }
}
