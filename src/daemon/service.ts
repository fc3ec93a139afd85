/**
 * What the daemon offers to the servers in front of it: one handler for each operation of the table.
 * Servers check scopes and schemas before they call; handlers throw `LecternError`.
 */
import type { Socket } from "node:net";
import type { ParsedInputOf, OutputOf } from "../protocol/operations.ts";
import type { routes, OperationName, Scope } from "../protocol/routes.ts";
import type { SessionChange, SessionUpdate } from "../protocol/views.ts";
import type { SessionCursor } from "../session/stream.ts";

/** The operations whose answer is one JSON document and whose whole input is one. */
export type JsonOperation = Exclude<
  { [Name in OperationName]: (typeof routes)[Name]["kind"] extends "json" ? Name : never }[OperationName],
  "sessions.import"
>;

/**
 * Where the process of a caller runs, as the kernel reports it for a connection over the unix socket. `unchecked`: this system does
 * not report it.
 */
export type CallerOrigin = { readonly type: "outside" | "unchecked" } | InsideOrigin;

/** A process inside a session of this daemon. */
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

/** Who calls. */
export interface Caller {
  readonly scope: Scope;
  /** An id if the caller is limited to one session. */
  readonly session: string | null;
  /** Label or id of the token that was presented. */
  readonly token?: string;
  /** Undefined over TCP. */
  readonly origin?: CallerOrigin;
}

/** An action that `DaemonService.permit` judges. */
export interface WantedAction {
  /** Name of the operation. */
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

export type JsonHandlers = {
  readonly [Name in JsonOperation]: (input: ParsedInputOf<Name>, context: CallContext) => Promise<OutputOf<Name>>;
};

/** A body of bytes that is made while it is read. */
export interface ByteBody {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A screen as escape sequences for a terminal of its size that was just reset. */
export interface DrawnScreen {
  /** The output before it is on the screen. */
  readonly offset: number;
  readonly columns: number;
  readonly rows: number;
  readonly text: string;
}

/** Who types into a session now. */
interface TypingWriter {
  /** Null where nobody does. */
  readonly writer: string | null;
  /** It is this reader. */
  readonly isMine: boolean;
}

/** A reader with a keyboard, unless it is read-only. */
export interface Attachment extends Disposable {
  readonly sessionId: string;
  readonly cursor: SessionCursor;
  readonly columns: number;
  readonly rows: number;
  /** Drawn before the first item: what stands for all that came before the cursor. Undefined where the cursor resumes. */
  readonly initial: DrawnScreen | undefined;
  /** Throws `SESSION_ENDED` or `LIMIT_EXCEEDED`; resolves when the host has taken it. */
  input(bytes: Uint8Array): Promise<void>;
  /** Takes the input lease as a key would, and types nothing. */
  take(): void;
  /** Calls back when somebody else types, or nobody any more; at once where somebody does. */
  watchWriter(listener: (writer: TypingWriter) => void): Disposable;
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
  signal(name: string): Promise<void>;
  /** The screen as escape sequences at an offset near the end; undefined where no emulator runs. */
  snapshot(): Promise<DrawnScreen | undefined>;
}

export interface DaemonService {
  readonly handlers: JsonHandlers;
  readonly importRecording: (
    input: ParsedInputOf<"sessions.import">,
    body: AsyncIterable<Uint8Array>,
    context: CallContext,
  ) => Promise<OutputOf<"sessions.import">>;
  readonly output: (input: ParsedInputOf<"sessions.output">, context: CallContext) => Promise<ByteBody>;
  readonly exportRecording: (input: ParsedInputOf<"sessions.export">, context: CallContext) => Promise<ByteBody>;
  readonly blob: (input: ParsedInputOf<"blobs.get">) => Promise<ByteBody>;
  /** What the views of a session tell and what becomes of its prompts, from an offset on and then as it comes, until it has ended. */
  readonly updates: (
    input: ParsedInputOf<"sessions.updates">,
    context: CallContext,
  ) => AsyncIterable<readonly SessionChange[]>;
  /** What the views of all sessions tell from now on, and sessions that start, end or change. */
  readonly allUpdates: (
    input: ParsedInputOf<"daemon.updates">,
    context: CallContext,
  ) => AsyncIterable<readonly SessionUpdate[]>;
  /** A cursor at `from`, for server-sent events. */
  readonly openCursor: (session: string, from: number | undefined, context: CallContext) => Promise<SessionCursor>;
  readonly attach: (input: ParsedInputOf<"sessions.attach">, context: CallContext) => Promise<Attachment>;
  /** The id of the session that a reference means, so that a token for one session can be checked. Throws `SESSION_NOT_FOUND`. */
  readonly resolve: (reference: string) => string;
  /** Where the process at the other end of a connection over the unix socket runs. Called once, as soon as it is connected. */
  readonly originOf: (socket: Socket) => CallerOrigin;
  /** Throws `FORBIDDEN` if a caller inside a session may not do this, and records the attempt in the audit log. */
  readonly permit: (caller: Caller, action: WantedAction) => void;
  /** Undefined for a token that does not exist, has ended or was revoked. */
  readonly authenticate: (token: string) => Caller | undefined;
}
