/**
 * The spans of one session, from the marks of its journal and from what its views report: a turn of an agent, the requests to its model
 * in it, and its tool calls; of a shell its commands.
 *
 * Law: the ids of a span follow from the session, the number of its turn and what the span is about. So spans that are made again, from the
 * same state, are the same spans, and a collector that gets one twice can know it.
 * Items come in the order of the journal. A view may report the same fact twice, and each is taken once.
 */
import type { Approval } from "../../../core/dialogs/approval.ts";
import type { ChatMessage } from "../../../core/chat/message.ts";
import type { Mark, WireEvent } from "../../../core/records.ts";
import type { SessionStatus } from "../../../core/status/status.ts";
import { names, spanOperations, providerNames } from "./names.ts";
import { attributesOf, nanosOf, type OtlpEvent, type OtlpSpan, type SpanPlace } from "./span.ts";
import { toolSpan, type OpenCall, type CallEnd } from "./tool-span.ts";
import type { TraceParent } from "./trace-parent.ts";
import { providerOf } from "../../../core/wire/provider.ts";
import type { Dialect } from "../../../core/wire/turn.ts";

/** Requests, calls and questions that are open at the same time; the oldest is given up for a further one. */
const OPEN_MAX = 500;
/** Of one turn; further ones are counted. */
const EVENTS_MAX = 128;
/** UTF-16 units of one text. */
const CONTENT_CHARS_MAX = 8192;

export type SpanItem =
  | { readonly type: "mark"; readonly timeUs: number; readonly mark: Mark }
  | { readonly type: "status"; readonly timeUs: number; readonly status: SessionStatus }
  | { readonly type: "approval"; readonly timeUs: number; readonly approval: Approval }
  | { readonly type: "message"; readonly timeUs: number; readonly message: ChatMessage }
  | { readonly type: "exit"; readonly timeUs: number };

export interface SessionSpansOptions {
  /** Id and name of the session. */
  readonly session: string;
  readonly name: string;
  /** What started the session in a trace of its own. */
  readonly parent: TraceParent | null;
  /** At least 32 hex digits of a text; the same text has the same ones. */
  readonly hash: (text: string) => string;
  /** Texts of prompts, answers, arguments and commands, after this. Null leaves them out. */
  readonly content: ((text: string) => string) | null;
}

interface OpenTurn {
  readonly place: SpanPlace;
  readonly spanId: string;
  startUs: number;
  agent: string | null;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  unpriced: number;
  requests: number;
  events: OtlpEvent[];
  eventsDropped: number;
  /** End of the last thing that belongs to it. */
  lastUs: number;
}

interface OpenQuestion {
  readonly kind: string;
  readonly source: string;
  readonly sinceUs: number;
}

/** Plain data, bounded. */
export interface SessionSpansState {
  readonly turns: number;
  readonly isWired: boolean;
  readonly statusSinceUs: number;
  readonly lastMessage: number;
  readonly turn: OpenTurn | null;
  readonly exchanges: readonly (readonly [string, OpenExchange])[];
  readonly calls: readonly (readonly [string, OpenCall])[];
  /** Null for one that is settled. */
  readonly questions: readonly (readonly [string, OpenQuestion | null])[];
}

export class SessionSpans {
  readonly #options: SessionSpansOptions;
  #turns: number;
  #isWired: boolean;
  #statusSinceUs: number;
  #lastMessage: number;
  #turn: OpenTurn | null;
  readonly #exchanges: Map<string, OpenExchange>;
  readonly #calls: Map<string, OpenCall>;
  readonly #questions: Map<string, OpenQuestion | null>;

  constructor(options: SessionSpansOptions, state?: SessionSpansState) {
    this.#options = options;
    this.#turns = state?.turns ?? 0;
    this.#isWired = state?.isWired ?? false;
    this.#statusSinceUs = state?.statusSinceUs ?? -1;
    this.#lastMessage = state?.lastMessage ?? 0;
    this.#turn = state?.turn == null ? null : { ...state.turn, events: [...state.turn.events] };
    this.#exchanges = new Map(state?.exchanges);
    this.#calls = new Map(state?.calls);
    this.#questions = new Map(state?.questions);
  }

  /** Spans that end with this. */
  step(item: SpanItem): OtlpSpan[] {
    switch (item.type) {
      case "mark":
        return this.#mark(item.mark, item.timeUs);
      case "status":
        return this.#status(item.status);
      case "approval":
        return this.#approval(item.approval, item.timeUs);
      case "message":
        return this.#message(item.message);
      case "exit":
        return this.#exit(item.timeUs);
    }
  }

  save(): SessionSpansState {
    return structuredCloneOf({
      turns: this.#turns,
      isWired: this.#isWired,
      statusSinceUs: this.#statusSinceUs,
      lastMessage: this.#lastMessage,
      turn: this.#turn,
      exchanges: [...this.#exchanges],
      calls: [...this.#calls],
      questions: [...this.#questions],
    });
  }

  #mark(mark: Mark, timeUs: number): OtlpSpan[] {
    switch (mark.type) {
      case "wire-request":
        return this.#request(mark, timeUs);
      case "wire-tool-call": {
        const { argumentsText, call, decidedBy, effect, tool } = mark;
        const place = this.#childPlace(timeUs);
        const text = this.#contentOf(argumentsText);
        bound(this.#calls).set(call, { ...place, tool, startUs: timeUs, decidedBy, effect, argumentsText: text });
        return [];
      }
      case "wire-turn":
        return this.#answer(mark, timeUs);
      case "wire-approval": {
        const { approval, by, state } = mark;
        if (state === "open") this.#ask(approval, { kind: "permission", source: "wire", sinceUs: timeUs });
        else this.#settle(approval, by, timeUs);
        return [];
      }
      default:
        return [];
    }
  }

  #request(mark: Extract<WireEvent, { readonly type: "wire-request" }>, timeUs: number): OtlpSpan[] {
    this.#isWired = true;
    const spans: OtlpSpan[] = [];
    for (const part of mark.parts) {
      if (part.type !== "tool-result") continue;
      const call = part.call ?? [...this.#calls].find(([, { tool }]) => tool === part.tool)?.[0];
      const end = { timeUs, error: part.isError ? "tool_error" : null, result: this.#contentOf(part.text) };
      if (call !== undefined) spans.push(...this.#endCall(call, end));
    }
    const prompt = this.#contentOf(mark.parts.map(({ text }) => text).join("\n"));
    const { dialect, exchange, model } = mark;
    bound(this.#exchanges).set(exchange, { ...this.#childPlace(timeUs), dialect, model, startUs: timeUs, prompt });
    return spans;
  }

  #answer(mark: Extract<WireEvent, { readonly type: "wire-turn" }>, timeUs: number): OtlpSpan[] {
    const known = this.#exchanges.get(mark.exchange);
    this.#exchanges.delete(mark.exchange);
    const startUs = timeUs - mark.durationMs * 1000;
    const open = known ?? { ...this.#childPlace(startUs), dialect: null, model: null, startUs, prompt: null };
    const spanId = this.#id(`chat ${mark.exchange}`);
    const spans = [chatSpan(open, mark, { spanId, endUs: timeUs, text: this.#contentOf(mark.text) })];
    for (const call of mark.refused) spans.push(...this.#endCall(call, { timeUs, error: "denied", result: null }));
    const turn = this.#turn;
    if (turn === null) return spans;
    turn.requests += 1;
    turn.inputTokens += mark.usage?.inputTokens ?? 0;
    turn.outputTokens += mark.usage?.outputTokens ?? 0;
    if (mark.costUsd !== null) turn.costUsd += mark.costUsd;
    else if (mark.usage !== null) turn.unpriced += 1;
    turn.lastUs = Math.max(turn.lastUs, timeUs);
    return spans;
  }

  #endCall(call: string, end: CallEnd): OtlpSpan[] {
    const open = this.#calls.get(call);
    if (open === undefined) return [];
    this.#calls.delete(call);
    if (this.#turn !== null) this.#turn.lastUs = Math.max(this.#turn.lastUs, end.timeUs);
    return [toolSpan(open, end, { call, spanId: this.#id(`tool ${call}`) })];
  }

  #status({ agent, sinceUs, state }: SessionStatus): OtlpSpan[] {
    if (sinceUs <= this.#statusSinceUs) return [];
    const before = this.#statusSinceUs;
    this.#statusSinceUs = sinceUs;
    if (state === "working" || state === "blocked") {
      if (agent === null && !this.#isWired) return [];
      const turn = this.#openTurn(sinceUs);
      // The status is reported later than it begins, so a request may have come before the report.
      if (sinceUs > before) turn.startUs = Math.min(turn.startUs, sinceUs);
      turn.agent ??= agent;
      return [];
    }
    return state === "waiting" || state === "idle" || state === "exited" ? this.#closeTurn(sinceUs, "done") : [];
  }

  #approval({ answer, id, kind, source, state, timeUs: sinceUs }: Approval, timeUs: number): OtlpSpan[] {
    if (state === "hint") return [];
    this.#ask(id, { kind, source, sinceUs });
    if (state !== "open") this.#settle(id, answer?.by ?? null, answer?.timeUs ?? timeUs);
    return [];
  }

  #message({ agent, endTimeUs, id, isPartial, role, shell, timeUs }: ChatMessage): OtlpSpan[] {
    const number = Number(id.slice(1));
    if (role !== "shell" || agent !== null || shell === undefined || isPartial || number <= this.#lastMessage)
      return [];
    this.#lastMessage = number;
    const argumentsText = this.#contentOf(shell.command);
    const given = { tool: "shell", startUs: timeUs, effect: null, decidedBy: null, argumentsText };
    const open = { ...this.#topPlace(`command ${id}`), ...given, conversation: this.#conversation };
    const end = { timeUs: endTimeUs, error: null, result: null, exitCode: shell.exitCode };
    return [toolSpan(open, end, { call: null, spanId: this.#id(`command ${id}`) })];
  }

  /** What is open ends here: nothing follows. */
  #exit(timeUs: number): OtlpSpan[] {
    const calls = [...this.#calls.keys()];
    const ended = calls.flatMap((call) => this.#endCall(call, { timeUs, error: "session_exit", result: null }));
    return [...ended, ...this.#closeTurn(timeUs, "exited")];
  }

  #ask(id: string, question: OpenQuestion): void {
    if (this.#questions.has(id)) return;
    bound(this.#questions).set(id, question);
    const { kind, sinceUs, source } = question;
    this.#event(names.blocked, sinceUs, { [names.questionKind]: kind, [names.questionSource]: source });
  }

  #settle(id: string, by: string | null, timeUs: number): void {
    const question = this.#questions.get(id);
    if (question == null) return;
    this.#questions.set(id, null);
    const { kind, sinceUs, source } = question;
    this.#event(names.unblocked, timeUs, {
      [names.questionKind]: kind,
      [names.questionSource]: source,
      [names.waitedMs]: Math.max(0, Math.round((timeUs - sinceUs) / 1000)),
      [names.answeredBy]: by,
    });
  }

  /** A question without a turn is not reported: there is no span that it could be in. */
  #event(name: string, timeUs: number, attributes: Parameters<typeof attributesOf>[0]): void {
    const turn = this.#turn;
    if (turn === null) return;
    if (turn.events.length >= EVENTS_MAX) turn.eventsDropped += 1;
    else turn.events.push({ timeUnixNano: nanosOf(timeUs), name, attributes: attributesOf(attributes) });
  }

  #openTurn(startUs: number): OpenTurn {
    if (this.#turn !== null) return this.#turn;
    this.#turns += 1;
    const key = `turn ${this.#turns}`;
    this.#turn = {
      place: this.#topPlace(key),
      spanId: this.#id(key),
      startUs,
      agent: null,
      inputTokens: 0,
      outputTokens: 0,
      costUsd: 0,
      unpriced: 0,
      requests: 0,
      events: [],
      eventsDropped: 0,
      lastUs: startUs,
    };
    return this.#turn;
  }

  #closeTurn(timeUs: number, end: "done" | "exited"): OtlpSpan[] {
    const turn = this.#turn;
    if (turn === null) return [];
    this.#turn = null;
    const { agent, costUsd, events, inputTokens, outputTokens, place, requests, spanId, startUs, unpriced } = turn;
    return [
      {
        ...place,
        spanId,
        name: agent === null ? spanOperations.agent : `${spanOperations.agent} ${agent}`,
        kind: 1,
        startTimeUnixNano: nanosOf(startUs),
        endTimeUnixNano: nanosOf(Math.max(timeUs, turn.lastUs, startUs)),
        attributes: attributesOf({
          [names.operation]: spanOperations.agent,
          [names.agent]: agent,
          ...this.#conversation,
          [names.turnEnd]: end,
          ...(requests > 0 && {
            [names.inputTokens]: inputTokens,
            [names.outputTokens]: outputTokens,
            [names.cost]: costUsd,
            [names.unpriced]: unpriced === 0 ? null : unpriced,
          }),
        }),
        events,
        status: { code: 0 },
      },
    ];
  }

  /** In the trace that started the session, or in one of its own. */
  #topPlace(key: string): SpanPlace {
    const { parent, session } = this.#options;
    if (parent === null) return { traceId: this.#hash(`${session} ${key}`, 32) };
    return { traceId: parent.traceId, parentSpanId: parent.spanId };
  }

  /** Inside of the turn, which begins if there is none. */
  #childPlace(timeUs: number): SpanPlace & { readonly conversation: Readonly<Record<string, string>> } {
    const { place, spanId } = this.#openTurn(timeUs);
    return { traceId: place.traceId, parentSpanId: spanId, conversation: this.#conversation };
  }

  get #conversation(): Readonly<Record<string, string>> {
    return { [names.conversation]: this.#options.session, [names.session]: this.#options.name };
  }

  #contentOf(text: string | null): string | null {
    if (text === null || this.#options.content === null) return null;
    return this.#options.content(text).slice(0, CONTENT_CHARS_MAX).toWellFormed();
  }

  #id(key: string): string {
    return this.#hash(`${this.#options.session} span ${key}`, 16);
  }

  /** Ids of zeros only are not valid. */
  #hash(text: string, digits: number): string {
    const id = this.#options.hash(text).slice(0, digits);
    return /^0+$/.test(id) ? `${id.slice(1)}1` : id;
  }
}

/** The same map, with room for one more. */
function bound<Value>(map: Map<string, Value>): Map<string, Value> {
  const [oldest] = map.size >= OPEN_MAX ? map.keys() : [];
  if (oldest !== undefined) map.delete(oldest);
  return map;
}

/** What is saved does not change with what follows. */
const structuredCloneOf = (state: SessionSpansState): SessionSpansState => ({
  ...state,
  turn: state.turn === null ? null : { ...state.turn, events: [...state.turn.events] },
});

// The span of one request to a model and its answer.

/** A request whose answer has not come. */
interface OpenExchange extends SpanPlace {
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
