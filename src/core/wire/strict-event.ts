/**
 * Finds parts of a model's answer that are not understood and could carry a tool call. A reader in front of a gate must not skip them, or
 * a call would pass without a decision. The reference is how vendors' and other client libraries read the same bytes.
 */
import { repeatedKey } from "../json/repeated-key.ts";
import type { JsonObject } from "./shape.ts";
import { foreignInAnthropicEvent, foreignInMessage } from "./strict-anthropic.ts";
import { foreignInChat } from "./strict-chat.ts";
import { foreignInGemini } from "./strict-gemini.ts";
import { foreignInResponse, foreignInResponsesEvent } from "./strict-responses.ts";
import type { Dialect } from "./turn.ts";

/** One event or answer to check. */
export interface StrictPart {
  readonly payload: JsonObject;
  /** Its JSON text, if that was not checked before. */
  readonly text?: string | undefined;
  /** The event's name in the stream; undefined for an answer that is not streamed. */
  readonly event: string | undefined;
}

/** A message that names the first part that is not understood; undefined if there is none. */
export function foreignPart(dialect: Dialect, { event, payload, text }: StrictPart): string | undefined {
  const key = text === undefined ? undefined : repeatedKey(text, payload);
  if (key !== undefined) return `The answer has the field "${short(key)}" twice in one object`;
  const found = foreignIn(dialect, payload, event);
  return found === undefined ? undefined : `The gateway does not understand ${short(found)} of the answer`;
}

function foreignIn(dialect: Dialect, payload: JsonObject, event: string | undefined): string | undefined {
  switch (dialect) {
    case "openai-chat":
      return foreignInChat(payload, event !== undefined);
    case "gemini":
      return foreignInGemini(payload);
    case "anthropic":
      if (event === undefined) return foreignInMessage(payload);
      return otherName(event, payload) ?? foreignInAnthropicEvent(payload);
    case "openai-responses":
      if (event === undefined) return foreignInResponse(payload);
      return otherName(event, payload) ?? foreignInResponsesEvent(payload);
  }
}

/** Some clients use the name of the event and some the type in its data. */
function otherName(event: string, { type }: JsonObject): string | undefined {
  if (type === undefined && event !== "message" && event !== "error") return `the event "${event}" without a type`;
  return event === "message" || type === undefined || type === event
    ? undefined
    : `the event "${event}" with another type`;
}

/** Names come from the server, so they are shortened and cleaned. */
const short = (text: string): string => text.slice(0, 200).replaceAll(/\p{Cc}/gu, " ");
