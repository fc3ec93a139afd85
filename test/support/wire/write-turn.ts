/** Writes whole turns in each dialect, as a model server does: the counterpart of the readers in `core/wire`. */
import { encodeSseEvent, type SseFields } from "../../../src/core/sse/encode-sse-event.ts";
import type { Dialect, Finish, ToolCall, Usage } from "../../../src/core/wire/turn.ts";
import { anthropicAnswer, anthropicStream } from "./write-anthropic.ts";
import { chatAnswer, chatStream } from "./write-chat.ts";
import { geminiAnswer, geminiStream } from "./write-gemini.ts";
import { responsesAnswer, responsesStream } from "./write-responses.ts";

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
  /** With `truncated` and `error` a stream has no end, so that an error can follow. */
  readonly finish: Finish;
  readonly usage?: Usage | null;
}

/** The position of the written events in a stream. */
export interface StreamPlace {
  /** The opening event was sent before. */
  readonly opened: boolean;
  /** The index of the next content block, call or output item. */
  readonly nextIndex: number;
  /** The next sequence number (Responses). */
  readonly nextSequence: number;
}

const streamStart: StreamPlace = { opened: false, nextIndex: 0, nextSequence: 0 };

interface Writer {
  readonly stream: (turn: TurnToWrite, place: StreamPlace) => SseFields[];
  readonly answer: (turn: TurnToWrite) => object;
}

const writers: Readonly<Record<Dialect, Writer>> = {
  "openai-chat": { stream: chatStream, answer: chatAnswer },
  "openai-responses": { stream: responsesStream, answer: responsesAnswer },
  anthropic: { stream: anthropicStream, answer: anthropicAnswer },
  gemini: { stream: geminiStream, answer: geminiAnswer },
};

/** One text for each SSE event. With `place` the events continue a stream. */
export function writeTurn(dialect: Dialect, turn: TurnToWrite, place: Partial<StreamPlace> = {}): string[] {
  return writers[dialect].stream(turn, { ...streamStart, ...place }).map(encodeSseEvent);
}

/** The JSON body of a response that is not streamed. */
export const writeAnswer = (dialect: Dialect, turn: TurnToWrite): string =>
  JSON.stringify(writers[dialect].answer(turn));
