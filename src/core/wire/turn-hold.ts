/**
 * Passes a model's stream on: text at once and unchanged; from the first sign of a tool call everything is held until the calls are
 * decided.
 *
 * Order: the output is a prefix of the stream until `release`, which returns the rest. Nothing overtakes a held call, because clients
 * keep the parts of a turn in the order in which they come.
 */
import { EventSplitter } from "../sse/event-splitter.ts";
import { type SseEvent, SseReader } from "../sse/sse-reader.ts";
import { LecternError } from "../errors.ts";
import { TextEnvelope } from "./text-envelope.ts";
import { TextMarks } from "./text-marks.ts";
import { agreement, denyInStream, parsedEvents } from "./deny-calls.ts";
import type { ParsedEvent } from "./denied-turn.ts";
import type { Dialect, Turn, WireDelta } from "./turn.ts";
import { WireReader, type WireLimits } from "./wire-reader.ts";

/** Limits of a held stream; beyond one of them the turn ends with the error `TOO_LARGE`, and nothing more is output. */
export interface HoldLimits extends WireLimits {
  /** Held bytes. Default 64 MiB. */
  readonly heldBytesMax?: number;
  /** Texts without which the client takes no text of an answer for a tool call. Default: it never does. */
  readonly textCalls?: readonly string[];
}

/** The result of a chunk. */
export interface HoldStep {
  /** To be sent to the client now, in this order. */
  readonly pass: readonly Uint8Array[];
  readonly deltas: readonly WireDelta[];
  /** Number of events, without pings and comments. */
  readonly events: number;
}

/** By slot: why the call is refused, in one sentence for the model. */
export type CallDenials = ReadonlyMap<number, string>;

const heldBytesDefault = 64 * 1024 * 1024;
const eventBytesDefault = 32 * 1024 * 1024;

/**
 * @example
 * ```ts
 * const hold = new TurnHold("anthropic");
 * for await (const chunk of upstream) for (const bytes of hold.feed(chunk).pass) client.write(bytes);
 * for (const bytes of hold.end().pass) client.write(bytes);
 * for (const bytes of hold.release(new Map([[0, "The rule no-network denies it"]]))) client.write(bytes);
 * ```
 */
export class TurnHold {
  readonly #dialect: Dialect;
  readonly #reader: WireReader;
  readonly #splitter: EventSplitter;
  readonly #envelope = new TextEnvelope();
  readonly #textCalls: TextMarks;
  readonly #heldBytesMax: number;
  #held: Uint8Array[] = [];
  #heldEvents: readonly ParsedEvent[] | undefined;
  #heldBytes = 0;
  #holding = false;
  /** Clients read the calls in different ways, so that they are written anew. */
  #isAmbiguous = false;
  #begun = false;
  /** The server has reported an error, and further events may follow it. */
  #errorRest = false;
  #failure: LecternError | undefined;

  constructor(dialect: Dialect, limits: HoldLimits = {}) {
    const eventBytesMax = limits.eventBytesMax ?? eventBytesDefault;
    this.#dialect = dialect;
    this.#reader = new WireReader(dialect, { ...limits, eventBytesMax, strict: true });
    this.#splitter = new EventSplitter({ eventBytesMax });
    this.#heldBytesMax = limits.heldBytesMax ?? heldBytesDefault;
    this.#textCalls = new TextMarks(limits.textCalls ?? []);
  }

  get turn(): Turn {
    return this.#reader.turn;
  }

  /** The turn is over: by the provider, by a limit or at the end of the stream. */
  get closed(): boolean {
    return (this.#reader.closed && !this.#errorRest) || this.#failure !== undefined;
  }

  /** The turn ended with an error, and the events that the vendor may send after one have not come. */
  get awaitsErrorRest(): boolean {
    return this.#errorRest;
  }

  /** Something is held for `release`. */
  get holding(): boolean {
    return this.#holding;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Set if a limit was exceeded or the stream is malformed: it must end with an error, and held bytes must not be sent. */
  get failure(): LecternError | undefined {
    return this.#failure;
  }

  /** Takes the next bytes. The result may contain views of the chunk: do not reuse it before they are written. */
  feed(chunk: Uint8Array): HoldStep {
    return this.#failing(() => {
      const texts = this.#textsIn(chunk);
      if (texts !== undefined) return this.#passTexts(chunk, texts);
      const step = emptyStep();
      for (const event of this.#splitter.feed(chunk)) this.#take(event, step);
      return step;
    });
  }

  /** The stream is over. */
  end(): HoldStep {
    return this.#failing(() => {
      const step = emptyStep();
      const rest = this.#splitter.end();
      // Clients accept a last event without its blank line, so the line is added.
      if (rest.length > 0) this.#take(closed(rest), step);
      this.#errorRest = false;
      step.deltas.push(...this.#reader.end());
      if (this.#holding) this.#compare();
      return step;
    });
  }

  /**
   * The held bytes: unchanged if no call is refused, else with a text in place of each refused call. Call it after `end`, which checks
   * them. Calls whose pieces are numbered ambiguously are written anew, each in one piece.
   */
  release(denials: CallDenials): readonly Uint8Array[] {
    const held = this.#held;
    const isFine = this.#holding && this.#failure === undefined;
    const isAsItCame = denials.size === 0 && !this.#isAmbiguous;
    const events = isFine && !isAsItCame ? this.#events() : [];
    this.#held = [];
    this.#heldEvents = undefined;
    this.#heldBytes = 0;
    if (!isFine) return [];
    this.#holding = false;
    if (isAsItCame) return held;
    return [new TextEncoder().encode(denyInStream(this.#dialect, events, { turn: this.turn, denials }))];
  }

  #compare(): void {
    const found = agreement(this.#dialect, () => this.#events(), this.turn);
    if (found === "contradict")
      throw new LecternError("MALFORMED", "The stream gives a tool call two different arguments");
    this.#isAmbiguous = found === "lack" || (this.#dialect === "openai-chat" && this.#reader.ambiguous);
  }

  /** The held events, parsed once for the check at the end and for refusals. */
  #events(): readonly ParsedEvent[] {
    this.#heldEvents ??= parsedEvents(eventsIn(this.#held));
    return this.#heldEvents;
  }

  /** The fast path: most chunks contain only text events, which are recognised by their bytes. */
  #textsIn(chunk: Uint8Array): readonly string[] | undefined {
    const isWithin = this.#splitter.openBytes > 0 || this.#holding || this.#reader.closed;
    return isWithin ? undefined : this.#envelope.textsIn(chunk);
  }

  #passTexts(chunk: Uint8Array, texts: readonly string[]): HoldStep {
    const deltas = this.#reader.feedTexts(texts);
    if (this.#reader.closed) throw unreadable(this.#reader.turn);
    return { pass: [chunk], deltas, events: texts.length };
  }

  #take(event: Uint8Array, step: OpenStep): void {
    // Events after the end are not judged, so they are not passed.
    if (this.#reader.closed && !this.#errorRest) return;
    if (hasForeignLine(this.#begun ? event : withoutByteOrderMark(event)))
      throw new LecternError("MALFORMED", "The stream has a line that does not belong in an event stream");
    this.#begun = true;
    if (this.#errorRest) return this.#takeErrorRest(event, step);
    const deltas = this.#reader.feed(event);
    const [only] = deltas;
    if (deltas.length === 1 && only?.type === "text-delta") this.#envelope.learn(event, only.text);
    step.deltas.push(...deltas);
    if (!isPing(event)) step.events += 1;
    this.#holding ||= this.#reader.callCount > 0;
    if (this.#reader.closed && isOurs(this.#reader.turn)) throw unreadable(this.#reader.turn);
    if (!this.#holding) {
      step.pass.push(event);
      this.#errorRest = this.#reader.closed && this.#reader.turn.error !== null && this.#goesOnBehind(event);
    } else {
      this.#held.push(new Uint8Array(event));
      this.#heldBytes += event.length;
      if (this.#heldBytes > this.#heldBytesMax) throw tooLarge(this.#heldBytesMax);
    }
  }

  /** After an error only errors and the end of the stream are passed: the client may use the last of them. */
  #takeErrorRest(event: Uint8Array, step: OpenStep): void {
    const reader = new WireReader(this.#dialect, { strict: true });
    reader.feed(event);
    const { error, sseEvents } = reader.turn;
    const isComment = sseEvents === 0;
    const isEnd = reader.closed && reader.callCount === 0 && !isOurs(reader.turn);
    this.#errorRest = isComment || (isEnd && error !== null && this.#goesOnBehind(event));
    if (isComment || isEnd) step.pass.push(event);
    step.events += sseEvents;
  }

  /** OpenAI sends `response.failed` after `error`; servers of the chat dialect end each stream with `[DONE]`. */
  #goesOnBehind(error: Uint8Array): boolean {
    if (this.#dialect !== "openai-responses") return this.#dialect === "openai-chat";
    return parsedEvents(eventsIn([error])).some(({ payload }) => payload?.["type"] === "error");
  }

  #failing(read: () => HoldStep): HoldStep {
    if (this.#failure !== undefined) return emptyStep();
    try {
      const step = read();
      for (const delta of step.deltas) if (delta.type === "text-delta") this.#textCalls.refuse(delta.text);
      return step;
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      this.#failure = error;
      this.#held = [];
      return { ...emptyStep(), deltas: this.#reader.end() };
    }
  }
}

interface OpenStep {
  readonly pass: Uint8Array[];
  readonly deltas: WireDelta[];
  events: number;
}

const emptyStep = (): OpenStep => ({ pass: [], deltas: [], events: 0 });

/** A comment, or the event with which Anthropic keeps a connection open. */
const isPing = (event: Uint8Array): boolean => event[0] === 58 || pingStart.every((byte, at) => event[at] === byte);
const pingStart = new TextEncoder().encode("event: ping");

/** True for errors that the reader found, not the provider. */
const isOurs = ({ error }: Turn): boolean => error?.type === "MALFORMED" || error?.type === "TOO_LARGE";

const unreadable = ({ error }: Turn): LecternError =>
  new LecternError(
    error?.type === "TOO_LARGE" ? "TOO_LARGE" : "MALFORMED",
    error?.message ?? "The stream cannot be read",
  );

function eventsIn(held: readonly Uint8Array[]): SseEvent[] {
  const reader = new SseReader({ eof: "llm" });
  return [...held.flatMap((bytes) => reader.feed(bytes)), ...reader.end()];
}

function closed(event: Uint8Array): Uint8Array {
  const whole = new Uint8Array(event.length + 2);
  whole.set(event);
  whole.fill(10, event.length);
  return whole;
}

const tooLarge = (heldBytesMax: number): LecternError =>
  new LecternError("TOO_LARGE", `Cannot hold the tool calls: they are larger than ${heldBytesMax} bytes`, {
    details: { heldBytesMax },
  });

/**
 * Detects lines in an event stream about which readers disagree. All agree about `data`, `event`, `id`, `retry` and plain comments; they
 * disagree about a field behind a space, a second byte order mark, unusual line separators, and a line of JSON without a field.
 */
const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;
const tab = 9;
const encoder = new TextEncoder();
const byteOrderMark = encoder.encode("\u{feff}");
const data = encoder.encode("data");
const plainFields = ["event", "id", "retry", ""].map((name) => encoder.encode(name));

/** True if readers disagree about a line of the event. */
export function hasForeignLine(event: Uint8Array): boolean {
  for (let at = 0; at < event.length;) {
    const end = lineEnd(event, at);
    if (end > at && !hasField(event, at, { end, name: data })) {
      const isKnown = plainFields.some((name) => hasField(event, at, { end, name }));
      if (!isKnown || !isPlain(event, at, end)) return true;
    }
    at = end + 1;
  }
  return false;
}

/** Without the byte order mark that a stream may start with. */
export const withoutByteOrderMark = (bytes: Uint8Array): Uint8Array =>
  byteOrderMark.every((byte, at) => bytes[at] === byte) ? bytes.subarray(byteOrderMark.length) : bytes;

function lineEnd(event: Uint8Array, start: number): number {
  const feed = event.indexOf(lineFeed, start);
  const end = feed === -1 ? event.length : feed;
  const back = event.subarray(start, end).indexOf(carriageReturn);
  return back === -1 ? end : start + back;
}

/** A comment is a field without a name. */
function hasField(event: Uint8Array, start: number, { end, name }: { end: number; name: Uint8Array }): boolean {
  for (let at = 0; at < name.length; at += 1) if (event[start + at] !== name[at]) return false;
  const after = start + name.length;
  return after === end ? name.length > 0 : after < end && event[after] === colon;
}

function isPlain(event: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = event[at] ?? 0;
    if ((byte < 32 && byte !== tab) || byte > 126) return false;
  }
  return true;
}
