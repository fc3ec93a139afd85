/**
 * What the daemon offers to the servers in front of it: one handler for each operation of the table.
 * Servers check scopes and schemas before they call; handlers throw `LecternError`.
 */
import type { ParsedInputOf, OutputOf } from "../protocol/operations.ts";
import type { routes, OperationName, Scope } from "../protocol/routes.ts";
import type { SessionChange, SessionUpdate } from "../protocol/views.ts";
import type { SessionCursor } from "../session/stream.ts";

/** The operations whose answer is one JSON document and whose whole input is one. */
export type JsonOperation = Exclude<
  { [Name in OperationName]: (typeof routes)[Name]["kind"] extends "json" ? Name : never }[OperationName],
  "sessions.import"
>;

/** Who calls. `session` is an id where the token is good for one session only. */
export interface Caller {
  readonly scope: Scope;
  readonly session: string | null;
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
  /** Undefined for a token that does not exist, has ended or was revoked. */
  readonly authenticate: (token: string) => Caller | undefined;
}
