/** Writes an error in each dialect, for a gateway that answers in place of a model server. */
import { encodeSseEvent, type SseFields } from "../sse/encode-sse-event.ts";
import type { Dialect, WireError } from "./turn.ts";

/** One SSE event that ends a stream with an error. */
export const writeStreamError = (dialect: Dialect, error: WireError, httpStatus = 500): string =>
  encodeSseEvent(errorEventOf(dialect, error, httpStatus));

/** The JSON body of an error response. */
export const writeErrorAnswer = (dialect: Dialect, error: WireError, httpStatus = 500): string =>
  JSON.stringify(errorOf(dialect, error, httpStatus));

function errorOf(dialect: Dialect, { message, type }: WireError, httpStatus: number): object {
  const text = message ?? type;
  switch (dialect) {
    case "openai-chat":
    case "openai-responses":
      return { error: { message: text, type, param: null, code: type } };
    case "anthropic":
      return { type: "error", error: { type, message: text } };
    case "gemini":
      return { error: { code: httpStatus, message: text, status: type } };
  }
}

function errorEventOf(dialect: Dialect, error: WireError, httpStatus: number): SseFields {
  if (dialect === "openai-responses") {
    // Agents take this event as the end of the response.
    const failure = { code: error.type, message: error.message ?? error.type };
    const response = { id: "resp_error", object: "response", status: "failed", error: failure, output: [] };
    return { event: "response.failed", data: JSON.stringify({ type: "response.failed", response }) };
  }
  const data = JSON.stringify(errorOf(dialect, error, httpStatus));
  return dialect === "anthropic" ? { event: "error", data } : { data };
}
