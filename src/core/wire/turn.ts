/** One turn of a model in one vocabulary, whichever of the four dialects it was spoken in. */
import { LecternError } from "../errors.ts";
import { heal } from "../json/heal.ts";
import type { JsonDropped } from "../json/json-reader.ts";
import { parseJson } from "../json/parse-json.ts";
import { repeatedKey } from "../json/repeated-key.ts";

/** The APIs of model servers: OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini. */
export type Dialect = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/**
 * Why a turn ended.
 * - `stop`, `tool_calls`, `length`, `content_filter`: reported by the provider; `stop` with calls is `tool_calls`
 * - `error`: reported by the provider or by this reader
 * - `truncated`: the stream ended before the provider ended the turn
 */
export type Finish = "stop" | "tool_calls" | "length" | "content_filter" | "error" | "truncated";

/** Token counts, as the provider reports them. */
export interface Usage {
  /** All input, that from a cache included. */
  readonly inputTokens: number;
  /** All output, reasoning included. */
  readonly outputTokens: number;
  readonly cachedInputTokens: number;
  /** Input that was written to a cache (Anthropic). */
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
}

/** An error in the stream: the type or code of the provider, or in capitals one of ours (`MALFORMED`, `TOO_LARGE`). */
export interface WireError {
  readonly type: string;
  readonly message: string | null;
}

/**
 * The content of a call's arguments:
 * - `function`: JSON by the tool's schema
 * - `custom`: free text (Responses custom tools, such as a patch)
 * - `native`: JSON of a tool that the API itself defines and the client executes (Responses shell, computer, patch)
 */
export type ToolCallKind = "function" | "custom" | "native";

/** One tool call of a turn. Only a `committable` one may be executed. */
export interface ToolCall {
  /** The `slot` of its deltas; the order of first appearance. */
  readonly slot: number;
  readonly kind: ToolCallKind;
  readonly id: string;
  /** True where the provider gave no id and this reader made one up. */
  readonly idSynthetic: boolean;
  /** Empty where none ever came. A namespace of the Responses API is a part of it: `mcp__github__delete`. */
  readonly name: string;
  /** As received; for Gemini, whose arguments are no text, compact JSON in order of arrival. */
  readonly argumentsText: string;
  /** Parsed; the text itself for `custom`; null where the status is `invalid`. */
  readonly arguments: unknown;
  readonly status: "complete" | "healed" | "invalid";
  /** `empty`: no text at all, which stands for `{}`. */
  readonly provenance: "wire" | "empty" | "healed";
  /** JSON Pointer of the one string that was cut. */
  readonly partialString: string | null;
  readonly dropped: JsonDropped | null;
  /** What the provider wants back with the call (Gemini's thoughtSignature); null where it gave nothing. */
  readonly signature: string | null;
  /** How the turn ended; null while it is open. */
  readonly finish: Finish | null;
  /** True where the call may pass the structural commit: complete, named, and the provider ended the turn. */
  readonly committable: boolean;
}

/** One answer of a model, in the same form for each dialect. */
export interface Turn {
  readonly id: string | null;
  readonly model: string | null;
  readonly text: string;
  readonly thinking: string;
  readonly toolCalls: readonly ToolCall[];
  /** Tools that the provider's servers ran by themselves, each once; at most 100. Nobody decides about them, and no client runs them. */
  readonly serverTools: readonly string[];
  readonly finish: Finish;
  /** The provider's own word. */
  readonly finishRaw: string | null;
  /** True where a call was cut and had to be healed. */
  readonly healed: boolean;
  readonly error: WireError | null;
  readonly usage: Usage | null;
  /** Events of the stream that were read. */
  readonly sseEvents: number;
}

/**
 * What happens in a turn. For each slot: one `tool-call-start`, any number of `tool-call-delta`, one `tool-call-end`. `finish` comes once,
 * last. A name in pieces has a `tool-call-start` for each piece, before the first `tool-call-delta`.
 */
export type WireDelta =
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking-delta"; readonly text: string }
  /** The intent: the name is known, the arguments are not. `replace`: another piece of the name came, this is the name so far. */
  | {
      readonly type: "tool-call-start";
      readonly slot: number;
      readonly kind: ToolCallKind;
      readonly id: string;
      readonly idSynthetic: boolean;
      readonly name: string;
      readonly replace?: true;
    }
  /** `replace`: the provider corrected itself, the text stands for all before it. */
  | { readonly type: "tool-call-delta"; readonly slot: number; readonly text: string; readonly replace?: true }
  | { readonly type: "tool-call-end"; readonly slot: number; readonly argumentsText: string }
  | { readonly type: "usage"; readonly usage: Usage }
  | { readonly type: "error"; readonly error: WireError }
  | { readonly type: "finish"; readonly finish: Finish; readonly raw: string | null };

/** A tool call while it gathers. */
export interface ToolSlot {
  readonly slot: number;
  readonly kind: ToolCallKind;
  id: string;
  idSynthetic: boolean;
  /** With its namespace. */
  name: string;
  /** Of the Responses API; none in most calls. */
  namespace?: string;
  text: string;
  /** `tool-call-start` was sent. */
  started: boolean;
  ended: boolean;
  /** A number at the end of the text is complete (Gemini partial arguments). */
  numberIsWhole: boolean;
  signature?: string;
  /** An event had the complete arguments: later deltas repeat them. */
  isWhole?: boolean;
}

/**
 * The call of a slot at the end of its turn, or its current state if `finish` is null.
 *
 * Empty arguments stand for `{}`, but they do not commit if the turn hit the length limit, because they may be missing.
 */
export function closeSlot(slot: ToolSlot, finish: Finish | null): ToolCall {
  const read = slot.kind === "custom" ? readCustom(slot, finish) : readArguments(slot);
  const endedByProvider = finish === "stop" || finish === "tool_calls" || finish === "length";
  const cutBeforeBegin = finish === "length" && read.provenance === "empty";
  const { id, idSynthetic, kind, name } = slot;
  return {
    slot: slot.slot,
    kind,
    id,
    idSynthetic,
    name,
    argumentsText: slot.text,
    ...read,
    signature: slot.signature ?? null,
    finish,
    committable: read.status === "complete" && name !== "" && endedByProvider && !cutBeforeBegin,
  };
}

type ReadArguments = Pick<ToolCall, "arguments" | "status" | "provenance" | "partialString" | "dropped">;

function readArguments(slot: ToolSlot): ReadArguments {
  if (/^[ \t\n\r]*$/.test(slot.text)) return { ...whole({}), provenance: "empty" };
  try {
    const value = parseJson(slot.text);
    // Parsers disagree about which of two equal keys counts.
    return repeatedKey(slot.text, value) === undefined ? whole(value) : { ...whole(null), status: "invalid" };
  } catch (error) {
    if (!(error instanceof LecternError)) throw error;
  }
  const result = heal(slot.text, { numberIsWhole: slot.numberIsWhole });
  if (!result.ok) return { ...whole(null), status: "invalid" };
  const { value, partialString, dropped } = result;
  return { arguments: value, status: "healed", provenance: "healed", partialString, dropped };
}

/** Free text has no end marker: it is complete if the provider ended the call and did not hit its limit. */
function readCustom(slot: ToolSlot, finish: Finish | null): ReadArguments {
  const isWhole = slot.ended && finish !== null && finish !== "length" && finish !== "truncated";
  if (isWhole) return whole(slot.text);
  return { ...whole(slot.text), status: "healed", provenance: "healed", partialString: "" };
}

function whole(value: unknown): ReadArguments {
  return { arguments: value, status: "complete", provenance: "wire", partialString: null, dropped: null };
}
