/** Which message it is that a block of rows shows. */
import type { ChatRules } from "../agents/chat-rules.ts";
import type { Block } from "./blocks.ts";
import type { MessageRole } from "./message.ts";
import type { MessageLog, MessagePlace } from "./message-log.ts";
import { squash } from "../text/squash.ts";

/** A message that stands in the rows that are kept. */
export interface LiveMessage {
  readonly id: string;
  readonly start: number;
  readonly isSummary: boolean;
  /** Text of rows that have left, of a message that is longer than what is kept. */
  readonly head: string;
  /** It stays marked as incomplete. */
  readonly isCut: boolean;
  /** When its first row was last on the screen. */
  readonly seenUs: number;
}

/** The messages that may still change, and of this turn those that are not shown now: agents move them, and draw some anew. */
export interface Messages {
  readonly live: LiveMessage[];
  readonly folded: LiveMessage[];
}

/** A prompt that has been on the screen for so long is drawn. */
const drawnUs = 200_000;

export class MessageMatcher {
  readonly #rules: ChatRules;
  readonly #log: MessageLog;

  constructor(rules: ChatRules, log: MessageLog) {
    this.#rules = rules;
    this.#log = log;
  }

  /** Of the messages that may be the one that the block shows now; a call with the same input is it before one that stood there. */
  indexOf(near: readonly LiveMessage[], block: Block, blocks: readonly Block[]): number {
    const index = near.findIndex((live) => this.isSame(live, block));
    const found = near[index];
    if (found === undefined || block.role !== "tool-call") return index;
    const same = near.findIndex((live) => this.hasInput(live, block));
    // A summary says only that there is a call.
    if (same !== -1 || found.isSummary) return same === -1 ? index : same;
    return blocks.some((other) => other !== block && this.hasInput(found, other)) ? -1 : index;
  }

  /** Of the messages that stood there, the first that is still shown in `later`; those about to leave order nothing. */
  nextOf(rest: readonly LiveMessage[], later: readonly Block[]): string | undefined {
    return rest.find((live) => later.some((block) => this.isSame(live, block)))?.id;
  }

  /** A call with the same input. */
  hasInput({ id }: LiveMessage, { role, text }: Block): boolean {
    const message = this.#log.get(id);
    const [known, now] = [this.inputOf(message?.text ?? ""), this.inputOf(text)];
    return message?.role === role && role === "tool-call" && squash(known) === squash(now);
  }

  /** All of the message stands in the block. */
  isShown(live: LiveMessage, block: Block): boolean {
    const message = this.#log.get(live.id);
    if (message === undefined || message.role !== block.role || message.text === "") return false;
    return this.hasInput(live, block) || squash(block.text).startsWith(squash(message.text));
  }

  /** The message has this text; `text` without spaces. */
  isShowing(id: string, role: MessageRole | Block["role"], text: string): boolean {
    const message = this.#log.get(id);
    return message?.role === role && squash(message.text) === text;
  }

  isSame(live: LiveMessage, block: Block): boolean {
    const message = this.#log.get(live.id);
    if (message === undefined || message.role !== block.role) return false;
    // All that welcomes, before anything was asked, is one welcome.
    if (live.head !== "" || block.role === "welcome") return true;
    if (block.role === "tool-call" && (live.isSummary || block.isSummary)) return true;
    if (block.role === "tool-call") return this.#isSameCall(live, { text: message.text, block });
    if (block.role === "user") return isPartOf(message.text, block.text);
    return live.start === block.start || isSimilar(message.text, block.text);
  }

  #isSameCall(live: LiveMessage, { text, block }: { text: string; block: Block }): boolean {
    const [known, now] = [this.#rules.tool(text), this.#rules.tool(block.text)];
    if (this.#rules.streamsCalls && live.start === block.start && known.name === now.name) return true;
    return isSimilar(known.input ?? text, now.input ?? block.text) || isSameFile(text, block.text);
  }

  /** Agents draw their welcome in parts, and again. */
  isSecondWelcome(all: readonly LiveMessage[], { role }: Block): boolean {
    return role === "welcome" && all.some(({ id }) => this.#log.get(id)?.role === role);
  }

  /** What is marked as incomplete now stays so. */
  withMarks(all: readonly LiveMessage[]): LiveMessage[] {
    return all.map((live) =>
      !live.isCut && this.#log.get(live.id)?.isIncomplete === true ? { ...live, isCut: true } : live,
    );
  }

  /** Those of `before` the last window, which was half a repaint: what it began was never there, but for commands, which keys have said. */
  restored(before: Messages, now: Messages, place: MessagePlace): Messages {
    const known = new Set([...before.live, ...before.folded].map(({ id }) => id));
    for (const { id } of [...now.live, ...now.folded])
      if (!known.has(id) && this.#log.get(id)?.role !== "command") this.#log.withdraw(id, place);
    const isOpen = ({ id }: LiveMessage): boolean => this.#log.get(id) !== undefined;
    return { live: before.live.filter(isOpen), folded: before.folded.filter(isOpen) };
  }

  isPending(id: string): boolean {
    const { pending } = this.#rules;
    const message = this.#log.get(id);
    return pending !== null && message?.role === "tool-call" && pending.test(message.text);
  }

  isShownAgain({ role, text }: Block, later: readonly Block[]): boolean {
    if (role !== "tool-call" || this.#rules.pending?.test(text) !== true) return false;
    const input = squash(this.inputOf(text));
    return later.some((block) => block.role === role && squash(this.inputOf(block.text)) === input);
  }

  /** The whole text of a prompt, without blanks: people's words are drawn at once. */
  saidAt(live: LiveMessage | undefined): string | null {
    const message = this.#log.get(live?.id ?? "");
    const isDrawn = message?.role === "user" && live !== undefined && live.seenUs - message.timeUs >= drawnUs;
    return isDrawn ? squash(message.text) : null;
  }

  /** What a call was given; the text itself where it is none. */
  inputOf(text: string): string {
    return this.#rules.tool(text).input ?? text;
  }
}

/** All of one is the beginning of the other: people's words are drawn in parts, and do not change. */
function isPartOf(one: string, other: string): boolean {
  const [left, right] = [squash(one), squash(other)];
  return left.startsWith(right) || right.startsWith(left);
}

/** The same word first, and the same file. */
function isSameFile(one: string, other: string): boolean {
  const parts = (text: string): (string | undefined)[] => [/^\w+/.exec(text)?.[0], /[\w-]+\.\w+/.exec(text)?.[0]];
  const [[name, file], [otherName, otherFile]] = [parts(one), parts(other)];
  return file !== undefined && name === otherName && file === otherFile;
}

/** One begins as the other does. */
export function isSimilar(one: string, other: string): boolean {
  const [left, right] = [squash(one).slice(0, 24), squash(other).slice(0, 24)];
  return (
    left.startsWith(right) || right.startsWith(left) || (left.length >= 12 && left.slice(0, 12) === right.slice(0, 12))
  );
}
