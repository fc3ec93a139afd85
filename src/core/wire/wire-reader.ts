/** Reads a model's answer in any dialect: bytes in, deltas and one turn out. */
import { LecternError } from "../errors.ts";
import { parseJson } from "../json/parse-json.ts";
import { keepShape } from "../kept-shapes.ts";
import { type SseEvent, SseReader } from "../sse/sse-reader.ts";
import { AnthropicReader, readAnthropicMessage } from "./read-anthropic.ts";
import { chatDone, readChatChunk } from "./read-chat.ts";
import { GeminiReader } from "./read-gemini.ts";
import { readResponse, ResponsesReader } from "./read-responses.ts";
import { asName, asObject, type JsonObject } from "./shape.ts";
import { foreignPart } from "./strict-event.ts";
import type { Dialect, Turn, WireDelta } from "./turn.ts";
import { TurnBuilder, type TurnLimits } from "./turn-builder.ts";

/** Limits of a stream and its turn; over one of them the turn ends with the error `TOO_LARGE`. */
export interface WireLimits extends TurnLimits {
  /** Bytes of one event. Default 32 MiB. */
  readonly eventBytesMax?: number;
}

type ReadEvent = (event: JsonObject, turn: TurnBuilder) => void;

/**
 * Reads one streamed answer. Never throws: a broken or refused stream is a turn with an error, and none of its calls is committable.
 *
 * @example
 * ```ts
 * const reader = new WireReader("anthropic");
 * for await (const chunk of response.body) for (const delta of reader.feed(chunk)) show(delta);
 * for (const delta of reader.end()) show(delta);
 * reader.turn.toolCalls.filter((call) => call.committable);
 * ```
 */
export class WireReader {
  readonly #sse: SseReader;
  readonly #turn: TurnBuilder;
  readonly #readEvent: ReadEvent;
  readonly #dialect: Dialect;
  readonly #strict: boolean;
  /** Whether the events about content blocks have names; undefined before the first. */
  #isNamed: boolean | undefined;

  constructor(dialect: Dialect, limits: WireLimits = {}) {
    const { eventBytesMax } = limits;
    this.#sse = new SseReader({ eof: "llm", ...(eventBytesMax !== undefined && { eventBytesMax }) });
    this.#turn = new TurnBuilder(limits);
    this.#readEvent = dialects[dialect].events();
    this.#dialect = dialect;
    this.#strict = limits.strict === true;
  }

  /** The turn so far. Whether its calls are committable is only known at its end. */
  get turn(): Turn {
    return this.#turn.turn();
  }

  /** Tool calls so far, including those without a name yet. */
  get callCount(): number {
    return this.#turn.callCount;
  }

  /** True if clients disagree about which call some of the arguments belong to. */
  get ambiguous(): boolean {
    return this.callCount > 0 && this.#turn.slots.ambiguous;
  }

  /** The turn is over; the stream may go on. */
  get closed(): boolean {
    return this.#turn.closed;
  }

  /** Takes the next bytes of the stream. */
  feed(chunk: Uint8Array): WireDelta[] {
    if (this.#turn.closed) return [];
    for (const event of this.#sse.feed(chunk)) this.#read(event);
    const failure = this.#sse.failure;
    if (failure !== null) this.#turn.fail(failure.code, failure.message);
    return this.#turn.take();
  }

  /** Takes events that contain only these texts, for callers that recognised them by their bytes. */
  feedTexts(texts: readonly string[]): WireDelta[] {
    for (const text of texts) {
      if (this.#turn.closed) break;
      this.#turn.sseEvents += 1;
      this.#turn.addText(text);
    }
    return this.#turn.take();
  }

  /** The stream is over. */
  end(): WireDelta[] {
    if (!this.#turn.closed) for (const event of this.#sse.end()) this.#read(event);
    this.#turn.close();
    return this.#turn.take();
  }

  /** Anthropic's library skips events without a name. */
  #otherNaming({ event }: SseEvent, { type }: JsonObject): string | undefined {
    if (this.#dialect !== "anthropic" || asName(type)?.startsWith("content_block_") !== true) return undefined;
    const isNamed = event !== "message";
    this.#isNamed ??= isNamed;
    return isNamed === this.#isNamed ? undefined : "The stream has events with a name and others without";
  }

  #read(event: SseEvent): void {
    if (this.#turn.closed) return;
    this.#turn.sseEvents += 1;
    const { data } = event;
    if (data.length <= chatDone.length + 2 && data.trim() === chatDone) return this.#turn.close();
    const payload = parseOrFail(data, this.#turn);
    if (payload === undefined) return;
    const part = { payload, text: data, event: event.event };
    const foreign = this.#strict ? (foreignPart(this.#dialect, part) ?? this.#otherNaming(event, payload)) : undefined;
    if (foreign !== undefined) this.#turn.fail("MALFORMED", foreign);
    else this.#readEvent(payload, this.#turn);
  }
}

/**
 * Reads an answer that was not streamed: the JSON body of a success or of an error, also the list of chunks that Gemini sends without
 * `alt=sse`. Never throws: a broken answer is a turn with an error.
 */
export function readAnswer(
  dialect: Dialect,
  body: string,
  limits: WireLimits = {},
): { deltas: WireDelta[]; turn: Turn } {
  const turn = new TurnBuilder(limits);
  const isList = body.trimStart().startsWith("[") && (dialect === "gemini" || limits.strict !== true);
  const answers = isList ? parseList(body, turn) : [parseOrFail(body, turn)];
  const read = dialects[dialect].answer();
  let text: string | undefined = body;
  for (const payload of answers) {
    if (payload === undefined) continue;
    const foreign = limits.strict === true ? foreignPart(dialect, { payload, text, event: undefined }) : undefined;
    text = undefined;
    if (foreign !== undefined) turn.fail("MALFORMED", foreign);
    else read(payload, turn);
  }
  turn.close();
  return { deltas: turn.take(), turn: turn.turn() };
}

/** Readers with the state of one answer. */
interface DialectReaders {
  readonly events: () => ReadEvent;
  /** For an answer that is not streamed. */
  readonly answer: () => ReadEvent;
}

const readerOf = (reader: { read(event: JsonObject, turn: TurnBuilder): void }): ReadEvent => reader.read.bind(reader);
const chat = (): ReadEvent => readChatChunk;
const gemini = (): ReadEvent => readerOf(new GeminiReader());

const dialects: Readonly<Record<Dialect, DialectReaders>> = {
  "openai-chat": { events: chat, answer: chat },
  "openai-responses": { events: () => readerOf(new ResponsesReader()), answer: () => readResponse },
  anthropic: { events: () => readerOf(new AnthropicReader()), answer: () => readAnthropicMessage },
  gemini: { events: gemini, answer: gemini },
};

for (const dialect of Object.keys(dialects) as Dialect[]) keepShape(new WireReader(dialect));

/** Undefined if the text is not a JSON object: then the turn has failed. */
const parseOrFail = (text: string, turn: TurnBuilder): JsonObject | undefined => asObjectOrFail(parse(text), turn);

function parseList(text: string, turn: TurnBuilder): (JsonObject | undefined)[] {
  const list = parse(text);
  return Array.isArray(list) ? list.map((item) => asObjectOrFail(item, turn)) : [asObjectOrFail(list, turn)];
}

function parse(text: string): unknown {
  try {
    return parseJson(text, { textCharsMax: Infinity });
  } catch (error) {
    if (error instanceof LecternError) return error;
    throw error;
  }
}

function asObjectOrFail(value: unknown, turn: TurnBuilder): JsonObject | undefined {
  if (value instanceof LecternError) turn.fail(value.code, value.message);
  else {
    const object = asObject(value);
    if (object !== undefined) return object;
    turn.fail("MALFORMED", "The answer contains something that is not a JSON object");
  }
  return undefined;
}
