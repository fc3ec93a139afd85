/** The model's side: pure pieces that turn the bytes of a model's stream into text, intents and tool calls. */
export { encodeSseEvent, type SseFields } from "./core/sse/encode-sse-event.ts";
export { SseReader, type PendingSseEvent, type SseEvent, type SseReaderOptions } from "./core/sse/sse-reader.ts";
