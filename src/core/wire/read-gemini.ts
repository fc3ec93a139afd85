/**
 * Gemini generateContent and streamGenerateContent, of the Gemini API, Vertex AI and Code Assist.
 *
 * Calls mostly have no ids, and each part is a separate call, even if two are equal. With `willContinue` the arguments of one call come
 * in parts.
 *
 * @see https://ai.google.dev/api/generate-content
 */
import { PartialArguments } from "./partial-arguments.ts";
import { asCount, asList, asName, asObject, asText, fieldsOf, objectsIn, type JsonObject } from "./shape.ts";
import type { Finish, ToolSlot } from "./turn.ts";
import type { TurnBuilder } from "./turn-builder.ts";

const finishes: Readonly<Record<string, Finish>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  IMAGE_SAFETY: "content_filter",
};

interface OpenCall {
  readonly slot: ToolSlot;
  readonly partial: PartialArguments;
}

/** Reads the chunks of one stream, or one whole answer, which is a single chunk. */
export class GeminiReader {
  /** Calls whose arguments continue in later parts. */
  #open: readonly OpenCall[] = [];
  /** Whether the chunks with candidates are wrapped; undefined before the first. */
  #isWrapped: boolean | undefined;

  read(event: JsonObject, turn: TurnBuilder): void {
    // Code Assist wraps each chunk.
    const chunk = asObject(event["response"]) ?? event;
    turn.identify(chunk["responseId"], chunk["modelVersion"]);
    readUsage(chunk["usageMetadata"], turn);
    const candidate = asObject(asList(chunk["candidates"])[0]);
    this.#isWrapped ??= candidate === undefined ? undefined : chunk !== event;
    // A client reads the ones or the others.
    if (turn.strict && candidate !== undefined && this.#isWrapped !== (chunk !== event))
      return turn.fail("MALFORMED", "Some chunks of the stream are wrapped and others are not");
    if (candidate !== undefined) this.#readCandidate(candidate, turn);
    const blocked = asName(fieldsOf(chunk["promptFeedback"])["blockReason"]);
    if (blocked !== undefined) turn.setFinish("content_filter", blocked);
    // After the candidates, because some clients accept a call beside an error.
    const error = asObject(chunk["error"]) ?? asObject(event["error"]);
    if (error !== undefined) readError(error, turn);
  }

  #readCandidate(candidate: JsonObject, turn: TurnBuilder): void {
    for (const part of objectsIn(fieldsOf(candidate["content"])["parts"])) {
      const text = asText(part["text"]);
      const served = serverTool(part);
      if (served !== undefined) turn.addServerTool(served);
      if (asObject(part["functionCall"]) !== undefined) this.readCall(part, turn);
      else if (text === undefined) continue;
      else if (part["thought"] === true) turn.addThinking(text);
      else turn.addText(text);
    }
    const reason = asName(candidate["finishReason"]);
    if (reason === undefined || reason === "FINISH_REASON_UNSPECIFIED") return;
    const finish = finishes[reason];
    turn.setFinish(finish ?? "error", reason);
    // MALFORMED_FUNCTION_CALL and the like: the model failed, often without any content.
    if (finish === undefined) turn.fail(reason, asText(candidate["finishMessage"]) ?? null);
  }

  /** Reads a part with a `functionCall`. Returns the call that it starts or continues. */
  readCall(part: JsonObject, turn: TurnBuilder): ToolSlot {
    const call = fieldsOf(part["functionCall"]);
    const name = asName(call["name"]);
    const id = asName(call["id"]);
    const signature = asName(part["thoughtSignature"]);
    const continues = call["willContinue"] === true;
    const open = this.#openCall(id, name);
    // Clients without a look at the ids add a piece without a name to the latest call, and take one with a name for another call.
    if (turn.strict && (open !== this.#open.at(-1) || (open !== undefined && name !== undefined))) {
      const message = "Arguments of a call come in pieces that clients assign in different ways";
      turn.fail("MALFORMED", message);
    }
    if (open !== undefined) {
      this.#readParts(open, { call, continues }, turn);
      return open.slot;
    }
    const slot = turn.openCall(undefined, { ...(id && { id }), ...(name && { name }) });
    if (signature !== undefined) slot.signature = signature;
    if (call["args"] !== undefined && call["args"] !== null) turn.appendArguments(slot, JSON.stringify(call["args"]));
    if (continues || call["partialArgs"] !== undefined) {
      slot.numberIsWhole = true;
      const opened = { slot, partial: new PartialArguments() };
      this.#open = [...this.#open, opened];
      this.#readParts(opened, { call, continues }, turn);
    } else turn.endCall(slot);
    return slot;
  }

  /** By its id; a part without id and name continues the latest one. */
  #openCall(id: string | undefined, name: string | undefined): OpenCall | undefined {
    if (id === undefined) return name === undefined ? this.#open.at(-1) : undefined;
    return this.#open.find(({ slot }) => slot.id === id);
  }

  #readParts(open: OpenCall, { call, continues }: { call: JsonObject; continues: boolean }, turn: TurnBuilder): void {
    const parts = call["partialArgs"];
    const text = parts === undefined ? "" : open.partial.feed(parts);
    if (text === undefined) return turn.fail("MALFORMED", "The partial arguments have an invalid path");
    turn.appendArguments(open.slot, text);
    if (continues) return;
    if (open.slot.text !== "") turn.correctArguments(open.slot, open.partial.end());
    turn.endCall(open.slot);
    this.#open = this.#open.filter((other) => other !== open);
  }
}

/** The tool that Google's servers run for this part, if any. */
function serverTool(part: JsonObject): string | undefined {
  if (asObject(part["executableCode"]) !== undefined) return "code_execution";
  const call = asObject(part["toolCall"]);
  return call === undefined ? undefined : (asName(call["toolType"]) ?? "toolCall");
}

function readUsage(value: unknown, turn: TurnBuilder): void {
  const usage = asObject(value);
  if (usage === undefined) return;
  const prompt = asCount(usage["promptTokenCount"]);
  const candidates = asCount(usage["candidatesTokenCount"]);
  const thoughts = asCount(usage["thoughtsTokenCount"]);
  const isCounted = candidates !== undefined || thoughts !== undefined;
  turn.setUsage({
    inputTokens: prompt === undefined ? undefined : prompt + (asCount(usage["toolUsePromptTokenCount"]) ?? 0),
    outputTokens: isCounted ? (candidates ?? 0) + (thoughts ?? 0) : undefined,
    cachedInputTokens: asCount(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  });
}

function readError(error: JsonObject, turn: TurnBuilder): void {
  turn.fail(asName(error["status"]) ?? "error", asText(error["message"]) ?? null);
}
