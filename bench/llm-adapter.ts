/**
 * The public API in the shape that the comparison with other libraries asks for: nothing but re-shaping, no caches and
 * no special paths. A scorer imports this module.
 */
import {
  heal as healText,
  type HealResult as OwnHealResult,
  type JsonDropped,
  JsonReader,
  type Dialect,
  type SseEvent as OwnSseEvent,
  SseReader,
  type ToolCall as OwnToolCall,
  type Turn as OwnTurn,
  WireReader,
} from "../src/llm.ts";

export type Format = Dialect;
export type SseEvent = OwnSseEvent;
export type Dropped = JsonDropped;

export interface SseOptions {
  onEvent(event: SseEvent): void;
  onRetry?(milliseconds: number): void;
  onError?(error: Error): void;
  maxEventBytes?: number;
  eof?: "spec" | "llm";
}

export interface SseParser {
  push(chunk: Uint8Array): void;
  end(): {
    lastEventId: string;
    retry: number | null;
    pending: { event: string; data: string; id: string; lineComplete: boolean } | null;
  };
}

export function createSseParser(options: SseOptions): SseParser {
  const { eof, maxEventBytes } = options;
  const sizes = maxEventBytes === undefined ? {} : { eventBytesMax: maxEventBytes };
  const reader = new SseReader({ ...(eof && { eof }), ...sizes });
  return {
    push(chunk) {
      if (reader.failure !== null) return;
      const events = reader.feed(chunk);
      for (const milliseconds of reader.retriesMs) options.onRetry?.(milliseconds);
      for (const event of events) options.onEvent(event);
      // The failure was set by this very chunk: earlier ones returned above.
      const failure = reader.failure as Error | null;
      if (failure !== null) options.onError?.(failure);
    },
    end() {
      if (reader.failure === null) for (const event of reader.end()) options.onEvent(event);
      return { lastEventId: reader.lastEventId, retry: reader.retryMs, pending: reader.pending };
    },
  };
}

export type ToolCall = Omit<OwnToolCall, "slot" | "kind" | "finish" | "signature">;
export type Turn = Pick<OwnTurn, "text" | "finish" | "finishRaw" | "healed" | "error" | "sseEvents"> & {
  reasoning?: string;
  toolCalls: ToolCall[];
};

export interface Accumulator {
  push(chunk: Uint8Array): void;
  end(): Turn;
}

export function createAccumulator(format: Format): Accumulator {
  const reader = new WireReader(format);
  return {
    push(chunk) {
      reader.feed(chunk);
    },
    end() {
      reader.end();
      const { text, thinking, toolCalls, finish, finishRaw, healed, error, sseEvents } = reader.turn;
      const calls = toolCalls.map(
        ({ slot: _slot, kind: _kind, finish: _finish, signature: _signature, ...call }) => call,
      );
      const turn = { text, toolCalls: calls, finish, finishRaw, healed, error, sseEvents };
      return thinking === "" ? turn : { ...turn, reasoning: thinking };
    },
  };
}

export type HealResult =
  | Extract<OwnHealResult, { ok: true }>
  | { ok: false; reason: "empty" | "invalid" | "trailing" | "depth"; at: number };

export interface JsonAssembler {
  push(delta: string): void;
  snapshot(): unknown;
  end(): HealResult;
}

export function createJsonAssembler(): JsonAssembler {
  const reader = new JsonReader();
  return {
    push(delta) {
      reader.feed(delta);
    },
    snapshot: () => reader.value,
    end: () => reshaped(reader.end()),
  };
}

export function heal(text: string): HealResult {
  return reshaped(healText(text));
}

/** The comparison knows no limit of size. */
function reshaped(result: OwnHealResult): HealResult {
  if (result.ok) return result;
  return { ok: false, reason: result.reason === "size" ? "invalid" : result.reason, at: result.at };
}
