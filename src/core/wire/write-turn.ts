/** The other way: a turn or an error in the words of each dialect, as a gateway or a scripted model says it. */
import { encodeSseEvent, type SseFields } from "../sse/encode-sse-event.ts";
import type { Dialect, Finish, ToolCall, Usage, WireError } from "./turn.ts";
import { anthropicAnswer, anthropicError, anthropicStream } from "./write-anthropic.ts";
import { chatAnswer, chatStream, openAiError } from "./write-chat.ts";
import { geminiAnswer, geminiError, geminiStream } from "./write-gemini.ts";
import { responsesAnswer, responsesStream, responsesStreamError } from "./write-responses.ts";

/** A tool call to be written; each `ToolCall` is one. */
export type CallToWrite = Pick<ToolCall, "id" | "name" | "argumentsText"> &
  Partial<Pick<ToolCall, "kind" | "idSynthetic">>;

/** A turn to be written; each `Turn` with an id and a model is one. */
export interface TurnToWrite {
  readonly id: string;
  readonly model: string;
  readonly text: string;
  readonly thinking?: string;
  readonly toolCalls: readonly CallToWrite[];
  /** With `truncated` and `error` a stream is left without an end, so that `writeStreamError` can follow. */
  readonly finish: Finish;
  readonly usage?: Usage | null;
}

/** Where in a stream the written events stand. */
export interface StreamPlace {
  /** True where the stream's opening event was sent before. */
  readonly opened: boolean;
  /** The index of the next content block, call or output item. */
  readonly nextIndex: number;
  /** The next sequence number (Responses). */
  readonly nextSequence: number;
}

const streamStart: StreamPlace = { opened: false, nextIndex: 0, nextSequence: 0 };

/**
 * Writes a turn as a stream: one text for each SSE event. With `place` the events continue a stream that others began.
 *
 * @throws LecternError `MALFORMED` where a dialect carries arguments as JSON values and a call's text is no whole JSON
 * @example
 * ```ts
 * const denied = { id: "x", model: "m", text: "Denied by the rule no-network", toolCalls: [], finish: "stop" };
 * writeTurn("anthropic", denied).join("");
 * ```
 */
export function writeTurn(dialect: Dialect, turn: TurnToWrite, place: Partial<StreamPlace> = {}): string[] {
  return streamOf(dialect, turn, { ...streamStart, ...place }).map(encodeSseEvent);
}

/** Writes a turn as the JSON body of an answer that is not streamed. Throws as `writeTurn` does. */
export function writeAnswer(dialect: Dialect, turn: TurnToWrite): string {
  return JSON.stringify(answerOf(dialect, turn));
}

/** Writes an error into a stream that has begun: one SSE event. */
export function writeStreamError(dialect: Dialect, error: WireError, httpStatus = 500): string {
  return encodeSseEvent(errorEventOf(dialect, error, httpStatus));
}

/** Writes an error as the JSON body of an answer. */
export function writeErrorAnswer(dialect: Dialect, error: WireError, httpStatus = 500): string {
  return JSON.stringify(errorOf(dialect, error, httpStatus));
}

function streamOf(dialect: Dialect, turn: TurnToWrite, place: StreamPlace): SseFields[] {
  switch (dialect) {
    case "openai-chat":
      return chatStream(turn, place);
    case "openai-responses":
      return responsesStream(turn, place);
    case "anthropic":
      return anthropicStream(turn, place);
    case "gemini":
      return geminiStream(turn);
  }
}

function answerOf(dialect: Dialect, turn: TurnToWrite): object {
  switch (dialect) {
    case "openai-chat":
      return chatAnswer(turn);
    case "openai-responses":
      return responsesAnswer(turn);
    case "anthropic":
      return anthropicAnswer(turn);
    case "gemini":
      return geminiAnswer(turn);
  }
}

function errorOf(dialect: Dialect, error: WireError, httpStatus: number): object {
  switch (dialect) {
    case "openai-chat":
    case "openai-responses":
      return openAiError(error);
    case "anthropic":
      return anthropicError(error);
    case "gemini":
      return geminiError(error, httpStatus);
  }
}

function errorEventOf(dialect: Dialect, error: WireError, httpStatus: number): SseFields {
  if (dialect === "openai-responses") return responsesStreamError(error);
  const data = JSON.stringify(errorOf(dialect, error, httpStatus));
  return dialect === "anthropic" ? { event: "error", data } : { data };
}
