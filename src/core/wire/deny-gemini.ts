/** Gemini generateContent: a text part takes the place of each refused `functionCall` part. */
import type { SseFields } from "../sse/encode-sse-event.ts";
import { denialText, type DeniedTurn, type ParsedEvent, withData } from "./denied-turn.ts";
import { asList, asName, asObject, type JsonObject } from "./shape.ts";

export function denyGeminiEvents(events: readonly ParsedEvent[], denied: DeniedTurn): SseFields[] {
  const editor = new PartEditor(denied);
  return events.map(({ event, payload }) =>
    payload === undefined ? { data: event.data } : withData(event, editor.edit(payload)),
  );
}

export const denyGeminiAnswer = (body: JsonObject, denied: DeniedTurn): JsonObject => new PartEditor(denied).edit(body);

/** Counts the calls over all chunks of a turn, as the reader does. */
class PartEditor {
  readonly #denied: DeniedTurn;
  #slot = -1;
  /** The arguments of the call go on in the next part that has no name. */
  #continues = false;

  constructor(denied: DeniedTurn) {
    this.#denied = denied;
  }

  edit(chunk: JsonObject): JsonObject {
    // Code Assist wraps each chunk.
    const inner = asObject(chunk["response"]);
    if (inner !== undefined) return { ...chunk, response: this.edit(inner) };
    const candidates = asList(chunk["candidates"]).map((value, position) => {
      const candidate = asObject(value) ?? {};
      const content = asObject(candidate["content"]);
      if (content === undefined) return candidate;
      const parts = asList(content["parts"]).flatMap((part) => this.#part(asObject(part) ?? {}, position));
      return { ...candidate, content: { ...content, parts } };
    });
    return candidates.length === 0 ? chunk : { ...chunk, candidates };
  }

  #part(part: JsonObject, position: number): JsonObject[] {
    const call = asObject(part["functionCall"]);
    if (call === undefined) return [part];
    // Only the first candidate is read.
    if (position > 0) return [];
    const isFurther = this.#continues && asName(call["name"]) === undefined;
    if (!isFurther) this.#slot += 1;
    this.#continues = call["willContinue"] === true;
    const known = this.#denied.turn.toolCalls[this.#slot];
    const reason = known === undefined ? "it was not read" : this.#denied.denials.get(this.#slot);
    if (reason === undefined) return [part];
    const text = denialText(known ?? { name: asName(call["name"]) ?? "" }, reason);
    return isFurther ? [] : [{ text }];
  }
}
