/**
 * What the gateway saw of a session's talk with models, as events in its journal. One exchange is one request and its answer:
 * `wire-request`, then `wire-intent` and `wire-tool-call` for each call, `wire-approval` where somebody was asked, and `wire-turn`
 * at its end. Credentials stand in none of them.
 */
import type { RequestPart } from "../core/wire/read-request.ts";
import type { Dialect, Finish, Usage, WireError } from "../core/wire/turn.ts";

/** Texts in an event are cut at their limits; `cutChars` says how many UTF-16 units are missing in all. */
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
      /** Who answered; null while it is open. `timeout` where nobody did. */
      readonly by: string | null;
    }
  /** The agent asked for something of which the gateway does not know whether it holds calls. Once for each path. */
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
      readonly finish: Finish;
      readonly usage: Usage | null;
      /** In US dollars, by the table of prices; null for a model that it does not have. */
      readonly costUsd: number | null;
      /** HTTP status of the upstream; null where it gave none. */
      readonly status: number | null;
      /** How often the request was sent. */
      readonly attempts: number;
      /** From the request to the first text, thought or call; null where none came. */
      readonly firstTokenMs: number | null;
      readonly durationMs: number;
      readonly error: WireError | null;
      readonly cutChars: number;
    };
