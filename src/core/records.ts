/**
 * The marks of a journal: typed facts about a session that stand between its bytes. This is the one definition of them; writers,
 * reducers and clients share it, and a test compares PROTOCOL.md with it. A field that is renamed here no longer compiles elsewhere.
 */
import type { ChainHead } from "./gate/audit-chain.ts";
import type { Effect } from "./gate/policy-schema.ts";
import type { JudgedCall } from "./gate/tool-call.ts";
import type { RequestPart } from "./wire/read-request.ts";
import type { Dialect, Finish, Usage, WireError } from "./wire/turn.ts";

/**
 * - `prompt`: waits for a line, which is echoed (`read -p`, `cat`)
 * - `password`: waits for a line without echo
 * - `raw`: waits for keys: a line editor (bash, python3, gdb) or a program on the whole screen (vim, less, an idle agent)
 * - `listening`: reads keys, but also a short timer, the network or another process: let output quiet decide
 * - `busy`: computes, sleeps, or has input that it did not read or output that nobody read
 * - `stopped`: every process of the foreground job is stopped
 * - `unknown`: the kernel does not report it
 * - `not-available`: there is no probe on this system or for this terminal
 */
export type ForegroundVerdict =
  | "prompt"
  | "password"
  | "raw"
  | "listening"
  | "busy"
  | "stopped"
  | "unknown"
  | "not-available";

/** True if the program waits for a person: for a line, a password or a key. */
export const awaitsInput = (verdict: ForegroundVerdict): boolean =>
  verdict === "prompt" || verdict === "raw" || verdict === "password";

/** It is not excluded that the program reads what is typed. */
export const mayRead = (verdict: ForegroundVerdict): boolean =>
  verdict !== "busy" && verdict !== "stopped" && verdict !== "not-available";

/** Which way an event came; `derived`: no program sent it, it was made of what the session's views report. */
export const EVENT_CARRIERS = ["derived", "socket", "wire", "encoded", "text"] as const;
export type EventCarrier = (typeof EVENT_CARRIERS)[number];

/**
 * How far an event can be trusted, least first.
 * - `unverified`: text that may be an echo, a file or the output of a tool; kept, but it may trigger nothing
 * - `text`: the plain tag in a session whose user vouches for everything it shows
 * - `nonce`: the plain tag with the session's nonce; a replay of the screen still has it
 * - `encoded`: the encoded form with a correct checksum, inside a message of the assistant
 * - `wire`: in the model's own stream
 * - `socket`: over the session's socket, peer checked
 * - `derived`: made by Lectern itself; no program can send it. The texts in it are those of the session
 */
export const TRUST_LEVELS = ["unverified", "text", "nonce", "encoded", "wire", "socket", "derived"] as const;
/** How far an event is trusted; docs/events.md explains each level. */
export type EventTrust = (typeof TRUST_LEVELS)[number];

/** All marks of this version, as plain data. A later version adds kinds: a reader gets those as `UnknownMark`. */
export type SessionEvent =
  | {
      readonly type: "session-start";
      readonly command: readonly string[];
      readonly columns: number;
      readonly rows: number;
      /** The value of `LECTERN_EVENT_NONCE` in the session: a plain tag with it is not an echo of somebody else's text. */
      readonly eventNonce?: string;
      /** The IANA name of the time zone in which the program writes times. Missing in the journals of earlier versions. */
      readonly timeZone?: string;
    }
  /** What the program in the foreground waits for has changed, as the kernel reports it. Null: not reported. */
  | {
      readonly type: "foreground";
      readonly verdict: ForegroundVerdict;
      readonly program: string | null;
      readonly pid: number | null;
      readonly echo: boolean | null;
      readonly canonical: boolean | null;
      /** Of a shell that reads: it runs a script and has no prompt. Missing for others, and in the marks of earlier versions. */
      readonly runsScript?: boolean;
      /** Whether a line editor takes the keys. Missing for programs that take none, and in the marks of earlier versions. */
      readonly editsLine?: boolean;
      /** It hands what is typed to a program that cannot be seen. Missing for others, and in the marks of earlier versions. */
      readonly isRelay?: true;
      /** When its event loop wakes up if no key comes before, in ms since 1970. Missing for others, and in the marks of earlier versions. */
      readonly timerAtMs?: number;
    }
  /** The next record is the input with this idempotency key; if it is not, nothing was typed. */
  | { readonly type: "input-key"; readonly key: string; readonly bytes: number }
  /** A program of the session sent an event over its socket. `pid` is null if the system does not name the sender. */
  | {
      readonly type: "event";
      readonly name: string;
      readonly payload: unknown;
      readonly carrier: "socket";
      readonly trust: EventTrust;
      readonly pid: number | null;
    }
  /** From here on events of this name are checked against this JSON Schema. */
  | { readonly type: "event-schema"; readonly name: string; readonly schema: unknown }
  /** Somebody answers a question on the screen: the keys that follow are theirs. */
  | { readonly type: "approval-answer"; readonly approval: string; readonly option: string; readonly by: string }
  /**
   * A shell with integration is offered this command: the input that follows is only the key for it, and the shell's answer (633;P;Act=ID) says
   * whether it was taken. `text` is at most its first 65,536 characters (UTF-16), `bytes` the length of the whole in UTF-8.
   */
  | { readonly type: "command"; readonly id: string; readonly text: string; readonly bytes: number }
  /** A prompt goes on to its next step; see `Receipt`. */
  | { readonly type: "prompt"; readonly key: string; readonly state: string }
  | { readonly type: "marker"; readonly label: string }
  | SourceFact
  | ProtocolMark
  | { readonly type: "recording-imported"; readonly format: string; readonly title: string | null }
  | { readonly type: "journal-degraded"; readonly message: string; readonly bytesLost: number }
  /**
   * A program of a sandboxed session wanted to reach a host that the session may not reach. Written at the first attempt, the 10th, the
   * 100th and so on: `attempts` counts them.
   */
  | {
      readonly type: "net-denied";
      readonly host: string;
      readonly port: number;
      readonly reason: string;
      readonly attempts: number;
    }
  /** The head of the audit log after a refusal, a question or an answer of this session. */
  | { readonly type: "audit-head"; readonly sequence: number; readonly hash: string }
  | WireToolCallEvent
  | WireEvent;

/**
 * What another source than the pty reports about the session, such as an agent's own files. `id` is unique in its source: a fact is appended
 * once and folded once. Reducers get it with its source, so the journal is enough to read it again.
 */
export interface SourceFact {
  readonly type: "fact";
  readonly source: string;
  /** "" in the marks of earlier versions, each of which is a fact of its own. */
  readonly id: string;
  readonly payload: unknown;
}

/**
 * Bytes on the pipes of a program that speaks a protocol, as they were read or written: the texts of one stream together are its bytes, and
 * where one ends means nothing. What a person reads of it is the session's output.
 */
export interface ProtocolMark {
  readonly type: "protocol";
  /** `client`: the program's standard input. `agent`: its standard output. */
  readonly stream: "client" | "agent" | "stderr";
  readonly text: string;
  /** Of bytes that are not UTF-8. */
  readonly encoding?: "base64";
}

/** A tool call of a model, written when its turn is over. */
export interface WireToolCallEvent {
  readonly type: "wire-tool-call";
  /** The call's id, as in the audit log. */
  readonly call: string;
  readonly kind: JudgedCall["kind"];
  readonly tool: string;
  /** As received; null if it is longer than a record should be. */
  readonly argumentsText: string | null;
  /** SHA-256 of the whole text. */
  readonly argumentsHash: string;
  readonly status: JudgedCall["status"];
  readonly provenance: JudgedCall["provenance"];
  readonly finish: JudgedCall["finish"];
  /** The dialect. */
  readonly source: string;
  /** The gate's decision before a person was asked; null if there was no gate. */
  readonly effect: Effect | null;
  /** As in the audit log. */
  readonly decidedBy: string | null;
  /** False in the mode `log-only` of the policy: the call passed, whatever the effect. */
  readonly enforced?: false | undefined;
}

/**
 * What the gateway saw of a session's exchanges with models. One exchange is one request and its answer: `wire-request`, then
 * `wire-intent` and `wire-tool-call` for each call, `wire-approval` if somebody was asked, and `wire-turn` at its end. None of them
 * holds credentials. Texts are cut at their limits; `cutChars` is the number of UTF-16 units that are missing in all.
 */
export type WireEvent =
  | {
      readonly type: "wire-request";
      readonly exchange: string;
      readonly dialect: Dialect;
      readonly model: string | null;
      /** How many tools are offered; requests without any are mostly asides, such as for a title. */
      readonly tools: number;
      /** What is new in the conversation. */
      readonly parts: readonly RequestPart[];
      readonly cutChars: number;
    }
  /** The model has named a tool; its arguments are on the way. */
  | { readonly type: "wire-intent"; readonly exchange: string; readonly call: string; readonly tool: string }
  /** A person is asked about a call (`open`), or it is settled. */
  | {
      readonly type: "wire-approval";
      readonly exchange: string;
      readonly call: string;
      readonly approval: string;
      readonly state: "open" | "allowed" | "denied" | "gone";
      /** Who answered; null while it is open. `timeout` if nobody did. */
      readonly by: string | null;
    }
  /** The agent requested something of which the gateway does not know whether it holds calls. Once for each path. */
  | { readonly type: "wire-refused"; readonly method: string; readonly path: string; readonly reason: string }
  /** The agent shows turns and the gateway saw no request (`not-gated`), or it sends requests again. */
  | { readonly type: "wire-gate"; readonly state: "on" | "not-gated"; readonly evidence: string | null }
  | {
      readonly type: "wire-turn";
      readonly exchange: string;
      readonly model: string | null;
      readonly text: string;
      readonly thinking: string;
      /** Ids of its tool calls, in order. */
      readonly calls: readonly string[];
      /** Of `calls`, those that were not passed on. */
      readonly refused: readonly string[];
      /** Tools that the provider's servers ran; nobody decided about them. */
      readonly serverTools: readonly string[];
      readonly finish: Finish;
      readonly usage: Usage | null;
      /** In US dollars, by the table of prices; null for a model that it does not have. */
      readonly costUsd: number | null;
      /** HTTP status of the upstream; null if there was none. */
      readonly status: number | null;
      /** How often the request was sent. */
      readonly attempts: number;
      /** From the request to the first text, thought or call; null if none came. */
      readonly firstTokenMs: number | null;
      readonly durationMs: number;
      readonly error: WireError | null;
      readonly cutChars: number;
      /** A limit of usage is reached: `untilUs` is when it ends, microseconds since the Unix epoch, null if the server does not say. */
      readonly limit?: { readonly untilUs: number | null };
      /** Of the audit log, after the rows of its calls. Missing for a turn without calls and in older journals. */
      readonly auditHead?: ChainHead;
    };

/** A mark that a later version wrote, or one without the fields of its type. No reducer acts on it. */
interface UnknownMark {
  readonly type: "unknown";
  readonly name: string;
}

export type Mark = SessionEvent | UnknownMark;

type FieldCheck = (value: unknown) => boolean;
type Checked<Type extends SessionEvent["type"]> = Partial<
  Record<Exclude<keyof Extract<SessionEvent, { readonly type: Type }>, "type">, FieldCheck>
>;

const isString: FieldCheck = (value) => typeof value === "string";
const isNumber: FieldCheck = (value) => typeof value === "number";
const isList: FieldCheck = (value) => Array.isArray(value);
const isAny: FieldCheck = () => true;
const orNull =
  (check: FieldCheck): FieldCheck =>
  (value) =>
    value === null || check(value);
const isParts: FieldCheck = (value) =>
  Array.isArray(value) && value.every((part: unknown) => typeof part === "object" && part !== null && hasText(part));
const hasText = (part: object): boolean => "text" in part && isString(part.text);
const isObject: FieldCheck = (value) => typeof value === "object" && value !== null;

/** The fields that a reducer reads. The others of a mark may be missing: an older version did not write each of today's. */
const checks: { readonly [Type in SessionEvent["type"]]: Checked<Type> } = {
  "session-start": { command: isList, columns: isNumber, rows: isNumber },
  foreground: { verdict: isString, program: orNull(isString) },
  "input-key": {},
  event: { name: isString, payload: isAny, carrier: isString, trust: isString },
  "event-schema": { name: isString, schema: isAny },
  "approval-answer": { approval: isString, by: isString },
  command: { id: isString, text: isString },
  prompt: {},
  marker: { label: isString },
  fact: { source: isString, id: isString, payload: isAny },
  protocol: { stream: isString, text: isString },
  "recording-imported": { title: orNull(isString) },
  "journal-degraded": {},
  "net-denied": {},
  "audit-head": { sequence: isNumber, hash: isString },
  "wire-tool-call": { call: isString, tool: isString, argumentsText: orNull(isString) },
  "wire-request": { exchange: isString, tools: isNumber, parts: isParts },
  "wire-intent": { exchange: isString, call: isString, tool: isString },
  "wire-approval": { call: isString, approval: isString, state: isString },
  "wire-refused": {},
  "wire-gate": {},
  "wire-turn": { exchange: isString, text: isString, usage: orNull(isObject), costUsd: orNull(isNumber) },
};

/** The mark that the JSON of a record is. */
export function readMark(value: unknown): Mark {
  const fields = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const name = typeof fields["type"] === "string" ? fields["type"] : "";
  // Until November 2026 the conversation of an agent had a mark of its own.
  if (name === "conversation") return { type: "fact", source: "agent-files", id: "", payload: fields };
  const wanted = Object.hasOwn(checks, name) ? Object.entries(checks[name as SessionEvent["type"]]) : null;
  const isWhole = wanted?.every(([field, check]) => check(fields[field])) === true;
  // The fields that anybody reads were checked; a journal is written by hosts of this program only.
  return isWhole ? (value as SessionEvent) : { type: "unknown", name };
}
