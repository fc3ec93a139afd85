/**
 * What the daemon offers to the servers in front of it: one handler for each operation of the table.
 * Servers check scopes and schemas before they call; handlers throw `LecternError`.
 */
import type { Socket } from "node:net";
import type { Transport } from "../client/transport.ts";
import type {
  BytesOperation,
  ItemOf,
  ItemsOperation,
  OperationName,
  OutputOf,
  ParsedInputOf,
  Scope,
  UploadOperation,
} from "../protocol/operations.ts";
import type { TerminalSize } from "../protocol/payloads.ts";
import type { SessionCursor } from "../live/stream.ts";
import type { MetricsFormat } from "../core/metrics/render-metrics.ts";

/**
 * Where the process of a caller runs, as the kernel reports it for a connection over the unix socket. `unchecked`: this system does
 * not report it.
 */
export type CallerOrigin = { readonly type: "outside" | "unchecked" } | InsideOrigin;

export interface InsideOrigin {
  readonly type: "inside";
  /** Id of the session; null if it is not known which one: then the strictest rules apply. */
  readonly session: string | null;
  readonly pid: number;
  readonly program: string;
  /** What shows it. `unreadable`: the process has ended or hides its facts, so it is not taken for a process outside. */
  readonly evidence: "ancestor" | "kernel-session" | "environment" | "pty-host" | "unreadable";
  /** A coding agent between the process and the leader of its session. */
  readonly agent: string | null;
}

export interface Caller {
  readonly scope: Scope;
  /** An id if the caller is limited to one session. */
  readonly session: string | null;
  /** Label or id of the token that was presented. */
  readonly token?: string;
  /** Undefined over TCP. */
  readonly origin?: CallerOrigin;
}

export interface WantedAction {
  readonly operation: string;
  readonly scope: Scope;
  /** Only people may do it. */
  readonly person: boolean;
  /** Id of the session it acts on. */
  readonly session: string | undefined;
}

export interface CallContext {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

interface UploadContext extends CallContext {
  readonly body: AsyncIterable<Uint8Array>;
}

/** What a handler resolves to, by the `output` or `stream` of its row in the operation table. */
type AnswerOf<Name extends OperationName> = Name extends BytesOperation
  ? ByteBody
  : Name extends ItemsOperation
    ? ItemStream<ItemOf<Name>>
    : Name extends "sessions.attach"
      ? SessionAttachment
      : OutputOf<Name>;

/** One handler for each operation; the compiler refuses a missing one and one that no operation has. */
export type Handlers = {
  readonly [Name in OperationName]: (
    input: ParsedInputOf<Name>,
    context: Name extends UploadOperation ? UploadContext : CallContext,
  ) => Promise<AnswerOf<Name>>;
};

/** A body of bytes that is made while it is read. */
export interface ByteBody {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** An HTTP trailer: what is only known behind the last chunk. Undefined if there is nothing to report. */
  readonly trailer?: { readonly name: string; value(): string | undefined };
}

/** Items as they come, until the source ends or the signal of the call is aborted. Dispose it, also if it was never read. */
export interface ItemStream<Item> extends Disposable {
  /** Nothing follows at the offset where the reader resumes. */
  readonly isOver: boolean;
  readonly batches: AsyncIterable<readonly StreamedItem<Item>[]>;
}

export interface StreamedItem<Item> {
  /** Its kind. */
  readonly event: string;
  /** Undefined if the reader did not ask for this kind: then only its offset counts. */
  readonly item: Item | undefined;
  /** Where a reader resumes after it; undefined in a stream that cannot be resumed. */
  readonly resumeAt: number | undefined;
}

/** A screen as escape sequences for a terminal of its size that was just reset. */
export interface DrawnScreen {
  /** The output before it is on the screen. */
  readonly offset: number;
  readonly columns: number;
  readonly rows: number;
  readonly text: string;
}

interface TypingWriter {
  /** Null if nobody does. */
  readonly writer: string | null;
  /** It is this reader. */
  readonly isMine: boolean;
}

/** A reader with a keyboard, unless it is read-only. */
export interface SessionAttachment extends Disposable {
  readonly sessionId: string;
  readonly cursor: SessionCursor;
  readonly columns: number;
  readonly rows: number;
  /** Drawn before the first item: it stands for everything before the cursor. Undefined if the cursor resumes. */
  readonly initial: DrawnScreen | undefined;
  /** Throws `SESSION_ENDED` or `LIMIT_EXCEEDED`; resolves when the host has taken it. */
  input(bytes: Uint8Array): Promise<void>;
  /** Takes the input lease as a key press would, but types nothing. */
  take(): void;
  /** Calls back when another writer types or the last one stops; immediately if somebody is typing. */
  watchWriter(listener: (writer: TypingWriter) => void): Disposable;
  /** Calls back with notices for the terminal of this reader; undefined if it gets none. */
  watchNotices(listener: (notice: { readonly title: string; readonly body: string }) => void): Disposable | undefined;
  /** This reader's window has this size, which the session gets when the reader types. */
  setWindow(size: TerminalSize): Promise<void>;
  /** The session gets the size of this reader's window now. */
  resize(size: TerminalSize): Promise<void>;
  signal(name: string): Promise<void>;
  /** The screen as escape sequences at an offset near the end; undefined if no emulator runs. */
  snapshot(): Promise<DrawnScreen | undefined>;
}

/** A notice for a terminal; `session`: the id of the one that it is about, null for a machine or a test. */
export interface TerminalNotice {
  readonly title: string;
  readonly body: string;
  readonly session: string | null;
}

export interface NoticeSource {
  subscribe(listener: (notice: TerminalNotice) => void): Disposable;
}

/** What somebody who opened a link of a notice is shown. */
export type AnswerPage =
  /** Asks once more. */
  | { readonly type: "ask"; readonly question: string; readonly label: string }
  /** `status`: of HTTP. */
  | { readonly type: "end"; readonly status: 200 | 404 | 409 | 410 | 429; readonly text: string };

/** What servers report for the metrics, and how they get them. */
export interface ServiceMetrics {
  /** A request was refused before it was read. */
  rejected(reason: string): void;
  render(format: MetricsFormat): Promise<string>;
}

export interface DaemonService {
  readonly handlers: Handlers;
  /** What a one-time answer link shows, and with `use` does. The token is all that whoever has it needs. */
  readonly answerLink: (token: string, use: boolean) => Promise<AnswerPage>;
  /** The id of the session that a reference means, so that a token for one session can be checked. Throws `SESSION_NOT_FOUND`. */
  readonly resolve: (reference: string) => string;
  /** Reaches another machine with no more rights than `scope`. Throws `MACHINE_NOT_FOUND`. */
  readonly machineTransport: (name: string, scope: Scope) => Promise<Transport>;
  /** Where the process at the other end of a connection over the unix socket runs. Called once, as soon as it is connected. */
  readonly originOf: (socket: Socket) => CallerOrigin;
  /** Throws `FORBIDDEN` if a caller inside a session may not do this, and records the attempt in the audit log. */
  readonly permit: (caller: Caller, action: WantedAction) => void;
  /** Undefined for a token that does not exist, has ended or was revoked. */
  readonly authenticate: (token: string) => Caller | undefined;
  readonly metrics: ServiceMetrics;
}
