/** Messages out of what a terminal showed, in one call: of a recording, or of the text of a screen. */
import type { Agent } from "../core/agents/agent.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import { compileAgent } from "../core/agents/compile.ts";
import { nativePattern } from "../core/agents/pattern.ts";
import { AgentRegistry } from "../core/agents/registry.ts";
import { orderOf, type ChatMessage } from "../core/chat/message.ts";
import { LecternError } from "../core/errors.ts";
import { FrameReader, type Frame } from "../core/screen/frame.ts";
import { Screen } from "../core/screen/screen.ts";
import { Sanitizer } from "../core/text/sanitizer.ts";
import type { ViewChange } from "../core/views/change.ts";
import { SessionView } from "../core/views/session-view.ts";
import type { TerminalSize } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { framesOf } from "./recorded-frames.ts";
import { isRecording, recordsOf } from "./recording.ts";
import { playRecord } from "../live/view-steps.ts";
import { nameHint } from "../core/agents/name-hint.ts";

/** The agents that are known, and the width of the screen. */
export interface ExtractOptions {
  /** The agents that are known. Default: the built-in ones. */
  readonly agents?: AgentRegistry;
  /** Width of the screen that a text is from; 80 or its longest line if that is longer. A recording has its own. */
  readonly columns?: number;
}

/** Extracts messages from screens and recordings of one agent. */
export interface Extractor {
  /** The agent whose rules are used; null if it is recognised, or a function reads the screens. */
  readonly agent: string | null;
  extract(input: string | Uint8Array): ChatMessage[];
}

/** A longer text is cut in front. */
const textCharsMax = 4 * 1024 * 1024;
const rowsMax = 5000;
/** A text has no cursor: one behind its end would be that of a shell to which the agent has given the screen back. */
const hideCursor = "\u001B[?25l";

/**
 * Returns the extractor for an agent, or with null one that recognizes it; a function reads the screens itself. Throws `INVALID_INPUT` for an
 * unknown name.
 *
 * @example
 * ```ts
 * extractorFor("claude").extract("❯ hi\n\n● Hello!").map(({ role, text }) => `${role}: ${text}`); // ["user: hi", "assistant: Hello!"]
 * ```
 */
export function extractorFor(agent: string | ReadScreen | null, options: ExtractOptions = {}): Extractor {
  const { agents = builtInAgents } = options;
  if (typeof agent === "function") return { agent: null, extract: (input) => readBy(agent, textIn(input), options) };
  if (agent !== null && agents.named(agent) === undefined) throw unknownAgent(agent, agents);
  return {
    agent,
    extract: (input) => {
      const text = textIn(input);
      return isRecording(text) ? fromRecording(text, agent, agents) : fromText(text, agent, { ...options, agents });
    },
  };
}

/**
 * Extracts the messages of a conversation from a recording (asciicast, version 2 or 3) or from the text of a screen, with or without
 * escape sequences. With `agent` null the agents are recognized, and commands of a shell in a recording are messages too; a function
 * reads the screens of any program. Throws `INVALID_INPUT` for an unknown agent.
 *
 * @example
 * ```ts
 * extractMessages("› fix it\n\n• Done.", "codex").map(({ role }) => role); // ["user", "assistant"]
 * ```
 */
export function extractMessages(
  input: string | Uint8Array,
  agent: string | ReadScreen | null = null,
  options: ExtractOptions = {},
): ChatMessage[] {
  return extractorFor(agent, options).extract(input);
}

const textIn = (input: string | Uint8Array): string =>
  typeof input === "string" ? input : new TextDecoder().decode(input);

function readBy(read: ReadScreen, text: string, options: ExtractOptions): ChatMessage[] {
  if (isRecording(text)) return messagesByFunction(framesOf(recordsOf(new TextEncoder().encode(text))), read);
  const { lines, size } = screenOf(text, options.columns);
  const reader = new FrameReader(new Screen(size));
  const { frames } = reader.output(new TextEncoder().encode(lines), 0, 0);
  return messagesByFunction([...frames, ...reader.settle(Infinity)], read);
}

const unknownAgent = (name: string, { names }: AgentRegistry): LecternError =>
  new LecternError("INVALID_INPUT", `Unknown agent "${name}": ${nameHint(name, names)}`);

function fromRecording(text: string, agent: string | null, agents: AgentRegistry): ChatMessage[] {
  const records = recordsOf(new TextEncoder().encode(text));
  const messages = played(records, null, agents);
  if (agent === null) return messages;
  const own = messages.filter((message) => message.agent === agent);
  const isKnown = messages.some((message) => message.agent !== null);
  // If nothing in it shows an agent, the program is this one.
  return isKnown ? own : played(records, agent, agents).filter((message) => message.agent === agent);
}

function played(records: readonly JournalRecord[], agent: string | null, agents: AgentRegistry): ChatMessage[] {
  const view = new SessionView({ columns: 80, rows: 24, agents });
  const changes = records.flatMap((record) => playRecord({ view, agent }, record));
  view.dispose();
  return messagesIn(changes);
}

/** The last version of each, in the order in which they began; those that were withdrawn are left out. */
function messagesIn(changes: readonly ViewChange[]): ChatMessage[] {
  const messages = new Map<string, ChatMessage>();
  for (const change of changes) if (change.kind === "message") messages.set(change.message.id, change.message);
  return [...messages.values()]
    .toSorted((one, other) => orderOf(one) - orderOf(other))
    .filter(({ role, text, shell }) => text !== "" || role === "exit" || shell !== undefined);
}

function fromText(
  whole: string,
  agent: string | null,
  { agents, columns }: ExtractOptions & { readonly agents: AgentRegistry },
): ChatMessage[] {
  const { lines: text, size } = screenOf(whole, columns);
  const name = agent ?? recognised(text, size, agents);
  if (name === null) return [];
  const shown = spoken(text, size, { name, agents });
  return shown.length > 0 ? shown : spoken(text, size, { name, agents: withoutFrame(name, agents) });
}

/** A text with the line ends of a terminal, and a screen that holds it. */
function screenOf(whole: string, columns: number | undefined): { readonly lines: string; readonly size: TerminalSize } {
  const lines = whole.slice(-textCharsMax).replaceAll(/\r?\n/g, "\r\n");
  const size = {
    columns: columns ?? Math.min(1000, Math.max(80, ...plainLines(lines).map(({ length }) => length))),
    rows: Math.max(2, Math.min(rowsMax, lines.split("\r\n").length + 1)),
  };
  return { lines, size };
}

function plainLines(text: string): string[] {
  const sanitizer = new Sanitizer();
  const plain = sanitizer.feed(new TextEncoder().encode(text)) + sanitizer.end();
  return plain.split("\n").slice(-rowsMax);
}

function recognised(text: string, size: TerminalSize, agents: AgentRegistry): string | null {
  const view = new SessionView({ ...size, agents, isFolded: false });
  view.output(new TextEncoder().encode(hideCursor + text), 0, 0);
  const found = agents.onScreen(view.frame);
  view.dispose();
  return found?.agent ?? null;
}

function spoken(
  text: string,
  size: TerminalSize,
  { name, agents }: { name: string; agents: AgentRegistry },
): ChatMessage[] {
  const view = new SessionView({ ...size, agents });
  const bytes = new TextEncoder().encode(hideCursor + text);
  const changes = [
    ...view.step({ type: "start", command: [], agent: name, offset: 0, timeUs: 0 }),
    ...view.output(bytes, 0, 0).changes,
    ...view.advance(1_000_000),
  ];
  view.dispose();
  return messagesIn(changes).filter(({ role }) => role !== "conversation-start");
}

/** A text without the agent's input box is all conversation. */
function withoutFrame(name: string, { agents }: AgentRegistry): AgentRegistry {
  const bare = (agent: Agent): Agent => {
    const { window: _, ...chat } = agent.file.chat ?? {};
    const above = [{ over: "blank" }];
    return compileAgent(
      { ...agent.file, chat: { ...chat, window: { above } }, variants: {} },
      { compile: nativePattern },
    );
  };
  return new AgentRegistry(agents.map((agent) => (agent.name === name && agent.chat !== null ? bare(agent) : agent)));
}

// Messages that a function reads from the screens of a recording, merged into one conversation.

/** One message as a screen shows it. */
type ReadMessage = Pick<ChatMessage, "role" | "text">;

/**
 * Reads the messages on a screen, first to last. `rows` are its rows with up to 1,000 rows above them, without blanks at their end; rows
 * that the terminal wrapped are joined.
 */
export type ReadScreen = (rows: readonly string[]) => readonly ReadMessage[];

const ROWS_ABOVE_MAX = 1000;

/** Reads each frame. What an earlier frame showed stays, also if the screen is cleared; a message only grows. */
function messagesByFunction(frames: Iterable<Frame>, read: ReadScreen): ChatMessage[] {
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
