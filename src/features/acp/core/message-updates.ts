/** The messages of a session as `session/update` of ACP v1: a client appends, so each update only adds to what was sent before. */
import type { ChatMessage } from "../../../core/chat/message.ts";
import { toolKind, type ToolKind } from "./tool-kind.ts";

/** `provenance`: where the text is from; `exitCode` of a command of a shell, once it is known. */
type UpdateMeta = {
  readonly lectern: {
    readonly offset: number;
    readonly provenance: ChatMessage["source"];
    readonly exitCode?: number;
  };
};

interface TextContent {
  readonly type: "text";
  readonly text: string;
}

interface TextChunk {
  readonly sessionUpdate: "user_message_chunk" | "agent_message_chunk";
  readonly messageId: string;
  readonly content: TextContent;
  readonly _meta: UpdateMeta;
}

interface ToolChange {
  readonly toolCallId: string;
  readonly title: string;
  readonly name: string;
  readonly kind: ToolKind;
  readonly status: "in_progress" | "completed";
  readonly rawInput?: unknown;
  readonly content?: { readonly type: "content"; readonly content: TextContent }[];
  readonly _meta: UpdateMeta;
}

export type MessageUpdate =
  | TextChunk
  | ({ readonly sessionUpdate: "tool_call" } & ToolChange)
  | ({ readonly sessionUpdate: "tool_call_update" } & ToolChange);

interface SentText {
  text: string;
  /** How often the message became another one. */
  rewrites: number;
}

const BLANKS = /\s+/gu;
const sameText = (one: string, other: string): boolean => one.replace(BLANKS, "") === other.replace(BLANKS, "");

/** Prompts of the client whose message has not been seen; more are not remembered. */
const OWN_PROMPTS_MAX = 100;
const TITLE_CHARS_MAX = 200;

export class MessageUpdates {
  readonly #sent = new Map<string, SentText>();
  readonly #tools = new Map<string, ToolChange>();
  /** The end of the last version of each message. */
  readonly #ends = new Map<string, number>();
  /** Those that still grow. */
  readonly #partial = new Map<string, ChatMessage>();
  /** Texts of the client's own prompts: it shows them already. */
  readonly #own: string[] = [];

  /** The client sends this prompt and shows it: the message that it becomes is not sent back. */
  expect(text: string): void {
    this.#own.push(text);
    if (this.#own.length > OWN_PROMPTS_MAX) this.#own.shift();
  }

  /** Notes messages that the client does not get: of each only what is added later is sent. */
  skip(messages: readonly ChatMessage[]): void {
    for (const message of messages) this.apply(message, true);
  }

  /** The updates for a new version of a message. The last line of one that still grows is held back: a screen may write it again. */
  apply(message: ChatMessage, isWhole = !message.isPartial): MessageUpdate[] {
    // The list of messages and the stream of their changes are read side by side.
    if ((this.#ends.get(message.id) ?? 0) > message.end) return [];
    this.#ends.set(message.id, message.end);
    if (message.isPartial) this.#partial.set(message.id, message);
    else this.#partial.delete(message.id);
    switch (message.role) {
      case "user":
      case "command":
        return isWhole ? this.#userText(message.id, message.text, message) : [];
      case "assistant":
      case "error":
        return this.#text(
          "agent_message_chunk",
          message.id,
          isWhole ? message.text : wholeLines(message.text),
          message,
        );
      case "shell":
        return [
          ...this.#userText(`${message.id}-command`, message.shell?.command ?? "", message),
          ...this.#text("agent_message_chunk", message.id, isWhole ? message.text : wholeLines(message.text), message),
        ];
      case "tool-call":
      case "tool-result":
        return this.#tool(message);
      case "conversation-start":
      case "welcome":
      case "approval":
      case "exit":
        return [];
    }
  }

  /** What was held back, at the end of a turn. */
  finish(): MessageUpdate[] {
    const partial = Array.from(this.#partial.values());
    return [...partial.flatMap((message) => this.apply(message, true)), ...this.#endCalls()];
  }

  /** Calls without a result: a screen shows none of many. */
  #endCalls(): MessageUpdate[] {
    const running = Array.from(this.#tools.values()).filter(({ status }) => status === "in_progress");
    return running.flatMap((call) => this.#changeTool({ ...call, status: "completed" }));
  }

  #userText(id: string, text: string, message: ChatMessage): MessageUpdate[] {
    const own = this.#sent.has(id) ? -1 : this.#own.findIndex((expected) => sameText(expected, text));
    if (own === -1) return this.#text("user_message_chunk", id, text, message);
    this.#own.splice(own, 1);
    this.#sent.set(id, { text, rewrites: 0 });
    return [];
  }

  #text(sessionUpdate: TextChunk["sessionUpdate"], id: string, text: string, message: ChatMessage): MessageUpdate[] {
    const sent = this.#sent.get(id) ?? { text: "", rewrites: 0 };
    const tail = appendedText(sent.text, text);
    // A message that was withdrawn cannot be taken back from the client.
    if (tail === "" || text === "") return [];
    // Whoever says something new has the results of what came before.
    const ended = this.#sent.has(id) ? [] : this.#endCalls();
    if (tail === null) sent.rewrites += 1;
    sent.text = tail === null ? text : sent.text + tail;
    this.#sent.set(id, sent);
    const messageId = sent.rewrites === 0 ? id : `${id}-${sent.rewrites + 1}`;
    const content = { type: "text", text: tail ?? text } as const;
    return [...ended, { sessionUpdate, messageId, content, _meta: metaOf(message) }];
  }

  #tool(message: ChatMessage): MessageUpdate[] {
    const { name = "tool", input = null, call = null } = message.tool ?? {};
    const isResult = message.role === "tool-result";
    const toolCallId = call ?? (isResult ? this.#openCall(name)?.toolCallId : undefined) ?? message.id;
    const known = this.#tools.get(toolCallId);
    const change: ToolChange = {
      ...(known ?? { toolCallId, name, title: titleOf(name, input, message), kind: toolKind(name) }),
      ...(!isResult && { title: titleOf(name, input, message) }),
      ...(input !== null && { rawInput: parsed(input) }),
      ...(isResult && message.text !== "" && { content: [contentOf(message.text)] }),
      status: isResult ? "completed" : (known?.status ?? "in_progress"),
      _meta: metaOf(message),
    };
    return this.#changeTool(change);
  }

  #changeTool(change: ToolChange): MessageUpdate[] {
    const known = this.#tools.get(change.toolCallId);
    this.#tools.set(change.toolCallId, change);
    if (known === undefined) return [{ sessionUpdate: "tool_call", ...change }];
    return factsOf(known) === factsOf(change) ? [] : [{ sessionUpdate: "tool_call_update", ...change }];
  }

  /** The last call of a tool that has no result yet: screens do not name the call of a result. */
  #openCall(name: string): ToolChange | undefined {
    return Array.from(this.#tools.values()).findLast((call) => call.name === name && call.status === "in_progress");
  }
}

const metaOf = ({ end, source, shell }: ChatMessage): UpdateMeta => ({
  lectern: { offset: end, provenance: source, ...(shell?.exitCode != null && { exitCode: shell.exitCode }) },
});

const contentOf = (text: string) => ({ type: "content", content: { type: "text", text } }) as const;
const factsOf = ({ _meta, ...facts }: ToolChange): string => JSON.stringify(facts);
const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf("\n") + 1);

function titleOf(name: string, input: string | null, { role, text }: ChatMessage): string {
  const shown = role === "tool-call" && text !== "" ? text : `${name} ${input ?? ""}`.trim();
  return shown.length > TITLE_CHARS_MAX ? `${shown.slice(0, TITLE_CHARS_MAX - 1)}…` : shown;
}

/** The input as a model gave it, or as a screen shows it. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

// What a message has gained, for clients that can only append.

const NO_LETTER = /[^\p{L}\p{N}]/gu;
const lettersOf = (text: string): string => text.replace(NO_LETTER, "");

/**
 * The part of `now` that follows what was sent; null if `now` is another text. Markup and blanks do not count: a better source of a
 * message, such as the record of its agent, gives back the markup that a screen does not show.
 */
export function appendedText(sent: string, now: string): string | null {
  if (now.startsWith(sent)) return now.slice(sent.length);
  const known = lettersOf(sent);
  const letters = lettersOf(now);
  if (!letters.startsWith(known)) return null;
  if (letters.length === known.length) return "";
  return now.slice(placeAfter(now, known.length));
}

/** The place in a text after so many code units of its letters. */
function placeAfter(text: string, count: number): number {
  let left = count;
  let place = 0;
  for (const character of text) {
    if (left <= 0) break;
    left -= lettersOf(character).length;
    place += character.length;
  }
  return place;
}
