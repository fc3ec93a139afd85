/** An answer of a model server, in parts that can be changed before it becomes bytes. */
import type { Dialect } from "../../../src/core/wire/turn.ts";

/** One event of a stream. `data` that is a text stands for itself, everything else for its JSON. */
export interface StreamEvent {
  readonly event?: string | undefined;
  readonly data: unknown;
}

/** An answer before it is changed: the events of a stream, or one JSON body. */
export interface BaseAnswer {
  readonly dialect: Dialect;
  readonly name: string;
  readonly isStream: boolean;
  readonly events: readonly StreamEvent[];
}

/** An answer as the model server sends it. */
export interface ServerAnswer {
  readonly dialect: Dialect;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly chunks: readonly Uint8Array[];
}

/** What reaches the agent's library. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** The calls that were judged and allowed. */
  readonly allowed: readonly SeenCall[];
  readonly calls: number;
}

/** A call as a library gives it to its user, who would execute it. `input` is the value, or a text where it is no JSON. */
export interface SeenCall {
  readonly name: string;
  readonly input: unknown;
  /** The library gives a part of the arguments, under its own names (tools that the Responses API defines). */
  readonly isPart?: boolean;
}
