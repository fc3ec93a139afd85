/**
 * Summarizes a session, or its last turn, by extracts from its views: nothing is rephrased. The same views give the same digest.
 */
import type { Approval } from "../dialogs/approval.ts";
import { questionLine } from "../dialogs/question-line.ts";
import type { ChatMessage, MessageRole } from "../chat/message.ts";
import type { TaggedEvent } from "../events/tagged-event.ts";
import type { EventTrust } from "../records.ts";
import type { SessionStatus, StatusState } from "../status/status.ts";
import { addExchange, noUsage, type UsageExchange, type SessionUsage } from "../usage/usage-fold.ts";

/** Longer words are not readable names. */
const NAME_CHARS_MAX = 256;
const NAMED_TEXT_CHARS_MAX = 65_536;

/** Endings by which a word without a slash counts as a file; after a slash any ending does. */
const endings: ReadonlySet<string> = new Set(
  (
    "bash c cast cc cfg cjs conf cpp cs css csv diff ex fish go gz h hpp html ini ipynb java jpg js json jsonl jsx kt lock log lua " +
    "md mdx mjs mts patch pdf php pl png proto ps1 py r rb rs rst scala scss sh sql svelte svg swift tar tex toml ts tsv tsx txt vue " +
    "wasm xml yaml yml zig zip zsh"
  ).split(" "),
);
const BREAKS = /[\s"'`<>()[\]{}|;,&=*“”‘’│]+/;
const PLAIN = /^[\w.@+~/-]+$/;
/** Names of things in prose, such as Node.js. */
const PRODUCT = /^[A-Z][a-z]+\.js$/;

/** The names in a text, in order and with repetitions. */
export function filesIn(text: string): string[] {
  return (
    text
      .slice(0, NAMED_TEXT_CHARS_MAX)
      .split(BREAKS)
      // A truncated name does not count.
      .filter((word) => !word.endsWith("…"))
      .map((word) => word.replace(/^[(:]+/, "").replace(/(?::\d+){0,2}[.:!?]*$/, ""))
      .filter((word) => isFile(word))
  );
}

function isFile(word: string): boolean {
  if (word.length < 3 || word.length > NAME_CHARS_MAX || !PLAIN.test(word) || word.startsWith("-")) return false;
  // A URL without its scheme begins with two slashes.
  if (word.includes("//") || PRODUCT.test(word)) return false;
  const segments = word.split("/").filter((segment) => segment !== "");
  const last = segments.at(-1) ?? "";
  if (!/[A-Za-z]/.test(last)) return false;
  const ending = /^.*[^.]\.([A-Za-z][A-Za-z0-9]{0,7})$/.exec(last)?.[1]?.toLowerCase();
  if (ending !== undefined && (endings.has(ending) || isPlaced(word))) return true;
  if (/^(?:~|\.{1,2})\//.test(word)) return true;
  return word.startsWith("/") && segments.length > 1;
}

/** Has a directory before its name that does not look like a host name. */
function isPlaced(word: string): boolean {
  const slash = word.indexOf("/");
  return slash === 0 || (slash > 0 && !/\.[a-z]{2,}$/i.test(word.slice(0, slash)));
}

/** `last`: from the last request, command or input; `all`: the whole session. */
export const DIGEST_TURNS = ["last", "all"] as const;
export type DigestTurn = (typeof DIGEST_TURNS)[number];

/** One answered request of the gateway. */
export interface DigestExchange extends UsageExchange {
  readonly offset: number;
}

/** The changes of a session's views, each list in order of appearance. */
export interface DigestInput {
  readonly messages: readonly ChatMessage[];
  readonly approvals: readonly Approval[];
  readonly events: readonly TaggedEvent[];
  readonly statuses: readonly SessionStatus[];
  /** Null if nothing is known about exchanges. */
  readonly exchanges: readonly DigestExchange[] | null;
  /** Up to when: microseconds since the Unix epoch. */
  readonly asOfUs: number;
}

export interface DigestCommand {
  /** Its first line. */
  readonly command: string;
  /** Null if unknown. */
  readonly exitCode: number | null;
  /** `shell`: typed at a prompt; `agent`: run by an agent's tool. */
  readonly by: "shell" | "agent";
  readonly message: string;
}

export interface Digest {
  readonly turn: DigestTurn;
  /** Where the turn starts. */
  readonly offset: number;
  /** Of the first message and of the last change of one. */
  readonly startUs: number;
  readonly endUs: number;
  readonly agent: string | null;
  readonly state: StatusState;
  /** Milliseconds in each state until now. */
  readonly stateMs: Partial<Readonly<Record<StatusState, number>>>;
  /** The last request to an agent; without an agent the last command. */
  readonly request: string | null;
  /** The last answer of the agent; without an agent the output of the last command. */
  readonly answer: { readonly message: string; readonly text: string; readonly isPartial: boolean } | null;
  /** What waits for a person: an open approval, else a question at the end of the answer. */
  readonly question: {
    readonly approval: string | null;
    readonly text: string;
    readonly options: readonly string[];
  } | null;
  readonly commands: readonly DigestCommand[];
  /** The most used first. */
  readonly tools: readonly { readonly name: string; readonly calls: number }[];
  /** Named in commands, in inputs of tools and in answers; in order of appearance. */
  readonly files: readonly { readonly name: string; readonly times: number }[];
  readonly events: readonly { readonly name: string; readonly trust: EventTrust; readonly isValid: boolean }[];
  readonly decisions: readonly {
    readonly approval: string;
    readonly question: string;
    readonly option: string | null;
    readonly by: string | null;
  }[];
  readonly errors: readonly string[];
  readonly tokens: SessionUsage | null;
  /** Total counts; the lists above have only the last of them. */
  readonly counts: {
    readonly messages: number;
    readonly requests: number;
    readonly commands: number;
    readonly files: number;
    readonly events: number;
    readonly errors: number;
  };
}

const TEXT_CHARS_MAX = 4000;
const LINE_CHARS_MAX = 500;
const LIST_MAX = 50;

/** Messages that start a turn. */
const asking: ReadonlySet<MessageRole> = new Set<MessageRole>(["user", "command", "shell"]);
/** Names of tools, in lower case, whose input is a command. */
const shellTools: ReadonlySet<string> = new Set(
  "bash exec exec_command execute_command run_command run_shell_command run_terminal_cmd shell terminal".split(" "),
);

export function makeDigest(input: DigestInput, turn: DigestTurn): Digest {
  const messages = (turn === "all" ? input.messages : lastTurn(input.messages)).filter((each) => !isWithdrawn(each));
  const offset = turn === "all" ? 0 : (messages[0]?.offset ?? 0);
  const startUs = messages[0]?.timeUs ?? input.statuses[0]?.sinceUs ?? input.asOfUs;
  const since = <Item extends { readonly offset: number }>(items: readonly Item[]): Item[] =>
    items.filter((item) => item.offset >= offset);
  const approvals = since(input.approvals);
  const events = since(input.events).filter(({ carrier }) => carrier !== "derived");
  const commands = messages.flatMap((message) => commandOf(message));
  const files = filesOf(messages);
  const errors = messages.filter(({ role }) => role === "error");
  const answer = answerOf(messages);
  const last = input.statuses.at(-1);
  return {
    turn,
    offset,
    startUs,
    endUs: messages.reduce((latest, { endTimeUs }) => Math.max(latest, endTimeUs), startUs),
    agent: messages.findLast(({ agent }) => agent !== null)?.agent ?? null,
    state: last?.state ?? "unknown",
    stateMs: stateTimes(input.statuses, startUs, input.asOfUs),
    request: requestOf(messages),
    answer,
    question: openQuestion(input.approvals) ?? askedAtEnd(answer?.text, last?.state),
    commands: commands.slice(-LIST_MAX),
    tools: toolsOf(messages),
    files: files.slice(-LIST_MAX),
    events: events.slice(-LIST_MAX).map(({ name, trust, valid }) => ({ name, trust, isValid: valid })),
    decisions: approvals
      .filter(({ state }) => state !== "open")
      .slice(-LIST_MAX)
      .map((approval) => decisionOf(approval)),
    errors: errors.slice(-LIST_MAX).map(({ text }) => cut(text, LINE_CHARS_MAX)),
    tokens: input.exchanges === null ? null : since(input.exchanges).reduce<SessionUsage>(addExchange, noUsage),
    counts: {
      messages: messages.length,
      requests: messages.filter(({ role }) => role === "user").length,
      commands: commands.length,
      files: files.length,
      events: events.length,
      errors: errors.length,
    },
  };
}

/** The messages from the last request on; all if there is none. */
export function lastTurn(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const start = messages.findLastIndex((message) => startsTurn(message));
  return start === -1 ? messages : messages.slice(start);
}

/** A request to an agent, a command to it, or a command at the prompt of a shell. */
export const startsTurn = (message: ChatMessage): boolean => asking.has(message.role) && !isWithdrawn(message);

const isWithdrawn = ({ shell, text }: ChatMessage): boolean => (shell === undefined ? text : shell.command) === "";

function requestOf(messages: readonly ChatMessage[]): string | null {
  const isTalk = messages.some(({ role }) => role === "user");
  const asked = messages.findLast(({ role }) => (isTalk ? role === "user" : asking.has(role)));
  return asked === undefined ? null : cut(asked.shell?.command ?? asked.text, TEXT_CHARS_MAX);
}

/** An empty message has only started, or is the gap between two. */
function answerOf(messages: readonly ChatMessage[]): Digest["answer"] {
  const wanted = messages.some(({ role }) => role === "user") ? "assistant" : "shell";
  const said = messages.findLast(({ role, text }) => role === wanted && text.trim() !== "");
  if (said === undefined) return null;
  return { message: said.id, text: cut(said.text, TEXT_CHARS_MAX), isPartial: said.isPartial };
}

function commandOf({ id, role, shell, tool }: ChatMessage): DigestCommand[] {
  if (shell !== undefined)
    return [{ command: firstLine(shell.command), exitCode: shell.exitCode, by: "shell", message: id }];
  const isCommand = role === "tool-call" && tool !== undefined && shellTools.has(tool.name.toLowerCase());
  if (!isCommand || tool.input === null) return [];
  return [{ command: firstLine(tool.input), exitCode: null, by: "agent", message: id }];
}

function toolsOf(messages: readonly ChatMessage[]): Digest["tools"] {
  const calls = new Map<string, number>();
  for (const { role, tool } of messages) {
    if (role === "tool-call" && tool !== undefined) calls.set(tool.name, (calls.get(tool.name) ?? 0) + 1);
  }
  return [...calls]
    .map(([name, count]) => ({ name: cut(name, LINE_CHARS_MAX), calls: count }))
    .toSorted((one, other) => other.calls - one.calls)
    .slice(0, LIST_MAX);
}

function filesOf(messages: readonly ChatMessage[]): Digest["files"] {
  const times = new Map<string, number>();
  for (const { role, shell, text, tool } of messages) {
    const named = shell?.command ?? (role === "tool-call" ? tool?.input : role === "assistant" ? text : null);
    for (const name of filesIn(named ?? "")) times.set(name, (times.get(name) ?? 0) + 1);
  }
  return [...times].map(([name, count]) => ({ name, times: count }));
}

function openQuestion(approvals: readonly Approval[]): Digest["question"] {
  const open = approvals.findLast(({ state }) => state === "open");
  if (open === undefined) return null;
  const options = open.options.map(({ id, label }) => `${id}: ${cut(label, LINE_CHARS_MAX)}`);
  return { approval: open.id, text: cut(questionLine(open), TEXT_CHARS_MAX), options };
}

/** Only while the program waits: a working program may still answer its own question. */
function askedAtEnd(answer: string | undefined, state: StatusState | undefined): Digest["question"] {
  const line = answer?.trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (!/[?？]$/.test(line) || (state !== "waiting" && state !== "blocked")) return null;
  return { approval: null, text: cut(line, LINE_CHARS_MAX), options: [] };
}

const decisionOf = (approval: Approval): Digest["decisions"][number] => ({
  approval: approval.id,
  question: cut(questionLine(approval), LINE_CHARS_MAX),
  option: approval.answer?.option ?? null,
  by: approval.answer?.by ?? null,
});

/** Milliseconds in each state between two times. */
function stateTimes(statuses: readonly SessionStatus[], startUs: number, endUs: number): Digest["stateMs"] {
  const times: Partial<Record<StatusState, number>> = {};
  for (const [index, { sinceUs, state }] of statuses.entries()) {
    const from = Math.max(startUs, sinceUs);
    const to = Math.min(endUs, statuses[index + 1]?.sinceUs ?? endUs);
    if (to > from) times[state] = (times[state] ?? 0) + (to - from) / 1000;
  }
  for (const state of Object.keys(times) as StatusState[]) times[state] = Math.round(times[state] ?? 0);
  return times;
}

function firstLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length === 0 ? cut(first, LINE_CHARS_MAX) : `${cut(first, LINE_CHARS_MAX)} …`;
}

/** Not in the middle of a character of two units. */
function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = /[\uD800-\uDBFF]/.test(text[charsMax - 1] ?? "") ? charsMax - 1 : charsMax;
  return `${text.slice(0, end)}…`;
}
