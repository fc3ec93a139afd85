/** What a live session needs of whatever runs it: a client of the daemon, or this process. */
import type { SessionFollowOptions, SessionUpdatesOptions } from "../client/client.ts";
import type { SessionRecord } from "../client/session-record.ts";
import type { InputOf, OutputOf } from "../protocol/operations.ts";
import type { SessionUpdate } from "../protocol/views.ts";

export type SessionOperation =
  | "approvals.answer"
  | "approvals.list"
  | "sessions.exec"
  | "sessions.get"
  | "sessions.input"
  | "sessions.keys"
  | "sessions.kill"
  | "sessions.messages"
  | "sessions.prompt"
  | "sessions.resize"
  | "sessions.screen"
  | "sessions.status";

/** The offset to start at, what is wanted, and what ends the stream with `CANCELLED`. */
export type StreamOptions<Only extends "kinds" | "types"> = Pick<
  SessionUpdatesOptions & SessionFollowOptions,
  "from" | "signal" | Only
>;

export interface SessionCalls {
  call<Name extends SessionOperation>(
    name: Name,
    input: InputOf<Name>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<OutputOf<Name>>;
  updates(session: string, options?: StreamOptions<"kinds">): AsyncIterable<SessionUpdate>;
  follow(session: string, options?: StreamOptions<"types">): AsyncIterable<SessionRecord>;
}
