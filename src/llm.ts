/** `lectern/llm`: the streams of model servers as text, tool intents and tool calls. Pure: no files, sockets or timers. */
export { heal } from "./core/json/heal.ts";
export { JsonReader, type HealResult, type JsonDropped, type JsonLimits } from "./core/json/json-reader.ts";
export { SseReader, type SseEvent, type SseReaderOptions } from "./core/sse/sse-reader.ts";
export { readToolSchemas, type ToolSchema } from "./core/wire/tool-schemas.ts";
export type { Dialect, Finish, ToolCall, Turn, Usage, WireDelta, WireError } from "./core/wire/turn.ts";
export { readAnswer, WireReader, type WireLimits } from "./core/wire/wire-reader.ts";
