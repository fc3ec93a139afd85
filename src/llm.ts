/** The model's side: pure pieces that turn the bytes of a model's stream into text, intents and tool calls. */
export { heal } from "./core/json/heal.ts";
export {
  JsonReader,
  type HealResult,
  type JsonDropped,
  type JsonLimits,
  type JsonRefusal,
  type JsonStringPiece,
} from "./core/json/json-reader.ts";
export { parseJson } from "./core/json/parse-json.ts";
export { encodeSseEvent, type SseFields } from "./core/sse/encode-sse-event.ts";
export { EventSplitter } from "./core/sse/event-splitter.ts";
export { SseReader, type PendingSseEvent, type SseEvent, type SseReaderOptions } from "./core/sse/sse-reader.ts";
export { denyInAnswer } from "./core/wire/deny-calls.ts";
export type { DeniedTurn } from "./core/wire/denied-turn.ts";
export { readRequest, type RequestPart, type WireRequest } from "./core/wire/read-request.ts";
export { readToolSchemas, type ToolSchema } from "./core/wire/tool-schemas.ts";
export type { TurnLimits } from "./core/wire/turn-builder.ts";
export type { Dialect, Finish, ToolCall, ToolCallKind, Turn, Usage, WireDelta, WireError } from "./core/wire/turn.ts";
export { TurnHold, type CallDenials, type HoldLimits, type HoldStep } from "./core/wire/turn-hold.ts";
export { readAnswer, WireReader, type WireLimits } from "./core/wire/wire-reader.ts";
export {
  vendorBaseUrls,
  writeRequest,
  type ConversationMessage,
  type RequestToWrite,
  type ToolResultMessage,
  type WrittenRequest,
} from "./core/wire/write-request.ts";
export {
  writeAnswer,
  writeErrorAnswer,
  writeStreamError,
  writeTurn,
  type CallToWrite,
  type StreamPlace,
  type TurnToWrite,
} from "./core/wire/write-turn.ts";
