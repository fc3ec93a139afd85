/** What the files that take refused calls out of a turn share. */
import type { SseFields } from "../sse/encode-sse-event.ts";
import type { SseEvent } from "../sse/sse-reader.ts";
import type { JsonObject } from "./shape.ts";
import type { ToolCall, Turn } from "./turn.ts";

/** A turn that is over, and by slot the reasons for which calls of it are refused. */
export interface DeniedTurn {
  readonly turn: Turn;
  readonly denials: ReadonlyMap<number, string>;
}

/** One event of a stream with its data parsed; `payload` is undefined where it is no JSON object (`[DONE]`). */
export interface ParsedEvent {
  readonly event: SseEvent;
  readonly payload: JsonObject | undefined;
}

/** What stands in the place of a call. */
export const denialText = (call: Pick<ToolCall, "name">, reason: string): string =>
  `[Lectern] The tool call "${call.name}" was refused and not executed: ${reason}`;

/** How many calls are left. */
export const callsLeft = ({ denials, turn }: DeniedTurn): number => turn.toolCalls.length - denials.size;

/** The texts of all refused calls, in order. */
export function denialTexts({ denials, turn }: DeniedTurn): readonly string[] {
  return turn.toolCalls.flatMap((call) => {
    const reason = denials.get(call.slot);
    return reason === undefined ? [] : [denialText(call, reason)];
  });
}

/** An event as it came. */
export const unchanged = ({ event, payload }: ParsedEvent): SseFields => withData(event, payload ?? event.data);

/** An event with other data. */
export const withData = (event: SseEvent, data: JsonObject | string): SseFields => ({
  ...(event.event !== "message" && { event: event.event }),
  data: typeof data === "string" ? data : JSON.stringify(data),
});
