/** Shared by the files that remove refused calls from a turn. */
import type { SseFields } from "../sse/encode-sse-event.ts";
import type { SseEvent } from "../sse/sse-reader.ts";
import type { JsonObject } from "./shape.ts";
import type { ToolCall, Turn } from "./turn.ts";

/** A finished turn and, by slot, why calls of it are refused. */
export interface DeniedTurn {
  readonly turn: Turn;
  readonly denials: ReadonlyMap<number, string>;
}

/** One event of a stream with its parsed data; `payload` is undefined if that is not a JSON object (`[DONE]`). */
export interface ParsedEvent {
  readonly event: SseEvent;
  readonly payload: JsonObject | undefined;
}

export const denialText = (call: Pick<ToolCall, "name">, reason: string): string =>
  `[Lectern] The tool call "${call.name}" was refused and not executed: ${reason}`;

export const callsLeft = ({ denials, turn }: DeniedTurn): number => turn.toolCalls.length - denials.size;

/** The texts of all refused calls, in order. */
export const denialTexts = ({ denials, turn }: DeniedTurn): readonly string[] =>
  turn.toolCalls.flatMap((call) => {
    const reason = denials.get(call.slot);
    return reason === undefined ? [] : [denialText(call, reason)];
  });

export const unchanged = ({ event, payload }: ParsedEvent): SseFields => withData(event, payload ?? event.data);

/** An event with other data. */
export const withData = (event: SseEvent, data: JsonObject | string): SseFields => ({
  ...(event.event !== "message" && { event: event.event }),
  data: typeof data === "string" ? data : JSON.stringify(data),
});
