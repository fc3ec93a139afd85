/** Gemini generateContent: each refused `functionCall` part is replaced by a text part. */
import type { SseFields } from "../sse/encode-sse-event.ts";
import { denialText, type DeniedTurn, type ParsedEvent, withData } from "./denied-turn.ts";
import { GeminiReader } from "./read-gemini.ts";
import { asList, asObject, fieldsOf, objectsIn, stringOf, type JsonObject } from "./shape.ts";
import { TurnBuilder } from "./turn-builder.ts";

export function denyGeminiEvents(events: readonly ParsedEvent[], denied: DeniedTurn): SseFields[] {
  const editor = new PartEditor(denied);
  return events.map(({ event, payload }) =>
    payload === undefined ? { data: event.data } : withData(event, editor.edit(payload)),
  );
}

export const denyGeminiAnswer = (body: JsonObject, denied: DeniedTurn): JsonObject => new PartEditor(denied).edit(body);

/** Reads the calls again as the reader did, so that both assign each part to the same call. */
class PartEditor {
  readonly #denied: DeniedTurn;
  readonly #reader = new GeminiReader();
  readonly #turn = new TurnBuilder({ callsMax: Infinity, argumentsCharsMax: Infinity });
  /** Slots that were replaced by a text. */
  readonly #replaced = new Set<number>();

  constructor(denied: DeniedTurn) {
    this.#denied = denied;
  }

  edit(chunk: JsonObject): JsonObject {
    // Code Assist wraps each chunk.
    const inner = asObject(chunk["response"]);
    if (inner !== undefined) return { ...chunk, response: this.edit(inner) };
    const candidates = asList(chunk["candidates"]).map((value, position) => {
      const candidate = fieldsOf(value);
      const content = asObject(candidate["content"]);
      if (content === undefined) return candidate;
      const parts = objectsIn(content["parts"]).flatMap((part) => this.#part(part, position));
      return { ...candidate, content: { ...content, parts } };
    });
    return candidates.length === 0 ? chunk : { ...chunk, candidates };
  }

  #part(part: JsonObject, position: number): JsonObject[] {
    const call = asObject(part["functionCall"]);
    if (call === undefined) return [part];
    // Only the first candidate is read.
    if (position > 0) return [];
    const { slot } = this.#reader.readCall(part, this.#turn);
    const known = this.#turn.closed ? undefined : this.#denied.turn.toolCalls[slot];
    const reason = known === undefined ? "it was not read" : this.#denied.denials.get(slot);
    if (reason === undefined) return [part];
    if (this.#replaced.has(slot)) return [];
    this.#replaced.add(slot);
    return [{ text: denialText(known ?? { name: stringOf(call["name"]) }, reason) }];
  }
}
