/** The conversation in a session, as messages. */

/**
 * - `conversation-start`: an agent began, or its history was cleared
 * - `welcome`: what an agent prints at its start
 * - `user`, `assistant`: who said it
 * - `tool-call`, `tool-result`: an agent's tool; a result names its call
 * - `command`: something that was told to the agent itself, such as `/clear`
 * - `approval`: a question to a person, with the answer when there is one
 * - `shell`: a command of a shell between agents, with its output and exit code
 * - `error`: the agent says that something failed
 * - `exit`: an agent or the program ended
 */
export const MESSAGE_ROLES = [
  "conversation-start",
  "welcome",
  "user",
  "assistant",
  "tool-call",
  "tool-result",
  "command",
  "approval",
  "shell",
  "error",
  "exit",
] as const;
/** The part that a message has in a conversation. */
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/**
 * Where the text of a message is from, best first: the agent's own protocol, the model's stream, the record that the agent keeps on
 * disk, the emulated screen.
 */
export const MESSAGE_SOURCES = ["protocol", "wire", "record", "screen"] as const;
export type MessageSource = (typeof MESSAGE_SOURCES)[number];

/** Why an agent took messages back: its user went back in the conversation, changed a prompt, cleared it, or ended a turn. */
export const TAKEN_BACK = ["rewound", "edited", "cleared", "cancelled"] as const;
export type TakenBack = (typeof TAKEN_BACK)[number];

/** One message of a conversation, with the part of the journal from which it was read. */
export interface ChatMessage {
  /** Stable within the session: `m1`, `m2`, ... in the order in which they were found. */
  readonly id: string;
  /** Its place in the conversation, if that is not the number in its `id`: it was found later, between two others. */
  readonly order?: number;
  readonly role: MessageRole;
  /** The agent's profile name; null for a shell. */
  readonly agent: string | null;
  /**
   * As it was shown, markup that the agent rendered away excepted; soft wraps joined, lines separated by `\n`. Of a `shell` message the
   * output. Without event tags. A message whose text becomes empty (of a `shell` message: its command) was withdrawn.
   */
  readonly text: string;
  /** The text with its event tags, if there are any. */
  readonly rawText?: string;
  readonly source: MessageSource;
  /** How often a better source replaced the text; absent if none did. */
  readonly revision?: number;
  /** What the screen shows, or the source before, if its letters differ from `text`; markup that a renderer removed does not count. */
  readonly replaced?: { readonly source: MessageSource; readonly text: string };
  /** It still grows. */
  readonly isPartial: boolean;
  /** Parts of it were never seen: frames were skipped, or the scrollback did not reach. */
  readonly isIncomplete: boolean;
  /**
   * Of a `conversation-start`: what speaks against the whole conversation as it is read, one sentence each, such as "2 prompts were
   * typed, but none appears as a message". Absent if nothing does.
   */
  readonly doubts?: readonly string[];
  /** Offsets at which it was first seen and last changed. */
  readonly offset: number;
  readonly end: number;
  /** The same as times, microseconds since the Unix epoch. */
  readonly timeUs: number;
  readonly endTimeUs: number;
  /** For `tool-call` and `tool-result`: its name as shown or as on the wire, its input where known. */
  readonly tool?: { readonly name: string; readonly input: string | null; readonly call: string | null };
  /** For `shell`: what was typed and how it ended; null where unknown. */
  readonly shell?: { readonly command: string; readonly exitCode: number | null };
  /** For `approval`. */
  readonly approval?: string;
  /** The sub-agent that said it. Only of messages that the agent's record has. */
  readonly subAgent?: string;
  /** The agent does not count it as said any more, by its own record: the message stays as it was. */
  readonly takenBack?: TakenBack;
}

/** A message's place in the conversation: messages are sorted by it. */
export const orderOf = ({ id, order }: Pick<ChatMessage, "id" | "order">): number => order ?? Number(id.slice(1));
