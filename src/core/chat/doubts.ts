/**
 * What speaks against a conversation as it is read. A release that draws in another way can make the rules blind, and then nothing on the
 * screen shows it: what was typed, and what the model sent, does.
 */
import { isNewerRelease, newerRelease, releaseIn } from "../agents/newer-release.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { ChatMessage } from "./message.ts";

export interface DoubtsState {
  /** The message with which the conversation begins. */
  readonly start: string | null;
  readonly agent: string | null;
  /** The release that the agent named. */
  readonly release: string | null;
  readonly prompts: number;
  readonly answers: number;
  readonly hasPrompt: boolean;
  readonly hasAnswer: boolean;
  readonly found: readonly string[];
}

const noDoubts: DoubtsState = {
  start: null,
  agent: null,
  release: null,
  prompts: 0,
  answers: 0,
  hasPrompt: false,
  hasAnswer: false,
  found: [],
};

/** One may be a word in a menu, or a title that the agent asked the model for. */
const COUNT_MIN = 2;
const PROMPT_CHARS_MIN = 8;

export class Doubts {
  readonly #agents: AgentRegistry;
  #state: DoubtsState;

  constructor(agents: AgentRegistry, state: DoubtsState = noDoubts) {
    this.#agents = agents;
    this.#state = state;
  }

  /** The message that begins the conversation, null before one began, and what is doubted in it. */
  get now(): Pick<DoubtsState, "start" | "found"> {
    return this.#state;
  }

  /** Rows of it may be missing; a newer release alone is no sign of that. */
  get isIncomplete(): boolean {
    return this.#state.found.some((doubt) => doubt !== this.#newer());
  }

  /** A line was sent to the agent. What was said before is on the screen by now. */
  typed(line: string): void {
    this.judge();
    const text = line.trim();
    if (text.length >= PROMPT_CHARS_MIN && /^\p{L}\S*\s+\S/u.test(text))
      this.#patch({ prompts: this.#state.prompts + 1 });
  }

  /** The model's answer, or a part of it, is over. */
  answered(): void {
    const { answers, prompts } = this.#state;
    if (answers < prompts) this.#patch({ answers: answers + 1 });
  }

  /** Messages that changed. */
  see(messages: readonly ChatMessage[]): void {
    for (const { agent, id, role, text } of messages.filter((message) => message.text !== "")) {
      if (role === "conversation-start") this.#state = { ...noDoubts, start: id, agent };
      if (role === "user") this.#patch({ hasPrompt: true });
      if (role === "assistant" || role === "tool-call") this.#patch({ hasAnswer: true });
      if (role !== "welcome" || this.#state.release !== null) continue;
      this.#patch({ release: releaseIn(text) });
      this.judge();
    }
  }

  save(): DoubtsState {
    return this.#state;
  }

  /** What was typed and answered until now is on the screen. */
  judge(): void {
    const { answers, hasAnswer, hasPrompt, prompts } = this.#state;
    const found = [
      !hasPrompt && prompts >= COUNT_MIN ? `${prompts} prompts were typed, but none appears as a message` : null,
      !hasAnswer && answers >= COUNT_MIN ? `${answers} answers came, but none appears as a message` : null,
      this.#newer(),
    ].filter((doubt) => doubt !== null);
    if (found.join("\n") !== this.#state.found.join("\n")) this.#patch({ found });
  }

  #patch(change: Partial<DoubtsState>): void {
    this.#state = { ...this.#state, ...change };
  }

  #newer(): string | null {
    const { agent, release } = this.#state;
    const known = this.#agents.named(agent);
    const recorded = known?.file.recorded;
    if (known === undefined || release === null || recorded === undefined) return null;
    return isNewerRelease(release, recorded) ? newerRelease(known.title, release, recorded) : null;
  }
}
