/** The span of one request to a model and its answer. */
import type { WireEvent } from "../../../core/records.ts";
import { providerOf } from "../../../core/wire/provider.ts";
import type { Dialect } from "../../../core/wire/turn.ts";
import { names, spanOperations, providerNames } from "./names.ts";
import { attributesOf, nanosOf, type OtlpSpan, type SpanPlace } from "./span.ts";

/** A request whose answer has not come. */
export interface OpenExchange extends SpanPlace {
  readonly dialect: Dialect | null;
  readonly model: string | null;
  readonly startUs: number;
  /** Null without content. */
  readonly prompt: string | null;
  readonly conversation: Readonly<Record<string, string>>;
}

interface ChatEnd {
  readonly spanId: string;
  readonly endUs: number;
  /** Of the answer; null without content. */
  readonly text: string | null;
}

type Answer = Extract<WireEvent, { readonly type: "wire-turn" }>;

export function chatSpan(open: OpenExchange, answer: Answer, { spanId, endUs, text }: ChatEnd): OtlpSpan {
  const { attempts, costUsd, error, finish, firstTokenMs, model, status, usage } = answer;
  const named = open.model ?? model;
  const errorType = error?.type ?? (status !== null && status >= 400 ? String(status) : null);
  return {
    traceId: open.traceId,
    ...(open.parentSpanId !== undefined && { parentSpanId: open.parentSpanId }),
    spanId,
    name: named === null ? spanOperations.chat : `${spanOperations.chat} ${named}`,
    kind: 3,
    startTimeUnixNano: nanosOf(open.startUs),
    endTimeUnixNano: nanosOf(Math.max(open.startUs, endUs)),
    attributes: attributesOf({
      [names.operation]: spanOperations.chat,
      [names.provider]: open.dialect === null ? null : providerNames[providerOf(open.dialect)],
      ...open.conversation,
      [names.requestModel]: open.model,
      [names.responseModel]: model,
      [names.finishReasons]: [finish],
      [names.firstChunk]: firstTokenMs === null ? null : firstTokenMs / 1000,
      [names.inputTokens]: usage?.inputTokens,
      [names.outputTokens]: usage?.outputTokens,
      [names.cacheReadTokens]: usage?.cachedInputTokens,
      [names.cacheWriteTokens]: usage?.cacheWriteTokens,
      [names.cost]: costUsd,
      [names.httpStatus]: status,
      [names.resends]: attempts > 1 ? attempts - 1 : null,
      [names.error]: errorType,
      [names.inputMessages]: open.prompt === null ? null : messageText("user", open.prompt),
      [names.outputMessages]: text === null ? null : messageText("assistant", text),
    }),
    events: [],
    status: errorType === null ? { code: 0 } : { code: 2, message: error?.message ?? errorType },
  };
}

/** In the form that the conventions give for attributes that hold JSON. */
const messageText = (role: string, content: string): string =>
  JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
