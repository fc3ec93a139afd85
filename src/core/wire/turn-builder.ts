/** Builds one turn from what a dialect's reader finds, and the deltas along the way. */
import { ToolSlots } from "./tool-slots.ts";
import { closeSlot, type Finish, type ToolCallKind, type ToolSlot, type Turn, type Usage } from "./turn.ts";
import type { WireDelta, WireError } from "./turn.ts";

/** Limits of one turn; beyond one of them the turn ends with the error `TOO_LARGE`. */
export interface TurnLimits {
  /** Default 128. */
  readonly callsMax?: number;
  /** UTF-16 units of the arguments of one call. Default 16 Mi. */
  readonly argumentsCharsMax?: number;
  /** UTF-16 units of text and thinking together. Default 64 Mi. */
  readonly textCharsMax?: number;
  /**
   * For readers in front of a gate: unknown parts that could carry a tool call, and contradictions about a call, end the turn with the
   * error `MALFORMED` instead of being skipped.
   */
  readonly strict?: boolean;
}

/** Names that a turn keeps of the tools that the provider ran, and UTF-16 units of each. */
const SERVER_TOOLS_MAX = 100;
const SERVER_TOOL_CHARS_MAX = 200;

const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};

/** Order: deltas come in the order of the method calls; a slot starts before its deltas and ends before `finish`, which is last. */
export class TurnBuilder {
  readonly #limits: TurnLimits;
  #deltas: WireDelta[] = [];
  #text = "";
  #thinking = "";
  /** Created with the first call: most turns have none. */
  #slots: ToolSlots | undefined;
  #serverTools: Set<string> | undefined;
  #id: string | null = null;
  #model: string | null = null;
  #usage: Usage | null = null;
  #finish: Finish | null = null;
  #finishRaw: string | null = null;
  #error: WireError | null = null;
  #closed = false;
  /** The finished turn, so that arguments are parsed once. */
  #final: Turn | undefined;
  sseEvents = 0;

  constructor(limits: TurnLimits = {}) {
    this.#limits = limits;
  }

  /** The turn is over; further input is ignored. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Tool calls so far, including those without a name yet. */
  get callCount(): number {
    return this.#slots?.all.length ?? 0;
  }

  get strict(): boolean {
    return this.#limits.strict === true;
  }

  /** The provider has given its reason to end the turn. */
  get hasFinish(): boolean {
    return this.#finish !== null;
  }

  get hasText(): boolean {
    return this.#text !== "";
  }

  take(): WireDelta[] {
    const deltas = this.#deltas;
    if (deltas.length > 0) this.#deltas = [];
    return deltas;
  }

  identify(id: unknown, model: unknown): void {
    if (this.#id === null && typeof id === "string") this.#id = id;
    if (this.#model === null && typeof model === "string") this.#model = model;
  }

  addText(text: string): void {
    if (text === "" || this.#closed) return;
    this.#text += text;
    this.#deltas.push({ type: "text-delta", text });
    this.#limitText();
  }

  addThinking(text: string): void {
    if (text === "" || this.#closed) return;
    this.#thinking += text;
    this.#deltas.push({ type: "thinking-delta", text });
    this.#limitText();
  }

  /** A tool that the provider's servers run. */
  addServerTool(name: string): void {
    this.#serverTools ??= new Set();
    if (this.#serverTools.size < SERVER_TOOLS_MAX) this.#serverTools.add(name.slice(0, SERVER_TOOL_CHARS_MAX));
  }

  get slots(): ToolSlots {
    this.#slots ??= new ToolSlots();
    return this.#slots;
  }

  callAt(key: number | string | undefined): ToolSlot | undefined {
    return this.#slots?.at(key);
  }

  get latestCall(): ToolSlot | undefined {
    return this.#slots?.latest;
  }

  /** Opens a call at `key`; without an id it gets one that is unique in the turn. */
  openCall(key: number | string | undefined, call: { id?: string; name?: string; kind?: ToolCallKind }): ToolSlot {
    // The event that ended the turn may contain further calls, which are not added.
    const slot = (this.#closed ? new ToolSlots() : this.slots).open(key, call);
    if (this.#closed) return slot;
    if (this.slots.all.length > (this.#limits.callsMax ?? 128)) {
      this.fail("TOO_LARGE", `The turn has more than ${this.#limits.callsMax ?? 128} tool calls`);
    } else if (slot.name !== "") this.#start(slot);
    return slot;
  }

  /** A name is set once: some servers send it with each delta. */
  nameCall(slot: ToolSlot, name: string | undefined): void {
    if (this.strict && name !== undefined && slot.name !== "" && name !== slot.name) return this.#contradict(slot);
    if (slot.name !== "" || name === undefined || this.#closed) return;
    slot.name = name;
    this.#start(slot);
  }

  /**
   * A name that may come in pieces: until the arguments begin, one that differs is added to it. The one so far, sent again, is not a
   * piece, because some servers repeat the name in each delta.
   */
  extendName(slot: ToolSlot, piece: string | undefined): void {
    const isPiece = piece !== undefined && piece !== slot.name && slot.name !== "" && slot.text === "";
    if (this.strict || !isPiece || slot.ended || this.#closed) return this.nameCall(slot, piece);
    slot.name += piece;
    this.#start(slot);
  }

  appendArguments(slot: ToolSlot, text: string): void {
    if (text === "" || this.#closed) return;
    if (slot.ended) return this.#contradict(slot);
    slot.text += text;
    if (slot.started) this.#deltas.push({ type: "tool-call-delta", slot: slot.slot, text });
    this.#limitArguments(slot);
  }

  /** The complete arguments from an event that ends them: adds what is missing, or replaces what differs. */
  correctArguments(slot: ToolSlot, text: string): void {
    if (text === "" || text === slot.text || this.#closed) return;
    if (slot.ended) return this.#contradict(slot);
    if (text.startsWith(slot.text)) return this.appendArguments(slot, text.slice(slot.text.length));
    slot.text = text;
    if (slot.started) this.#deltas.push({ type: "tool-call-delta", slot: slot.slot, text, replace: true });
    this.#limitArguments(slot);
  }

  endCall(slot: ToolSlot): void {
    if (slot.ended || this.#closed) return;
    if (!slot.started) this.#start(slot);
    slot.ended = true;
    this.#deltas.push({ type: "tool-call-end", slot: slot.slot, argumentsText: slot.text });
  }

  /** Clients disagree about which of two contradicting events counts. */
  #contradict({ name }: ToolSlot): void {
    if (this.strict) this.fail("MALFORMED", `The answer contradicts itself about the tool call "${name}"`);
  }

  setUsage(counts: { readonly [count in keyof Usage]?: number | undefined }): void {
    if (this.#closed) return;
    const known = this.#usage ?? noUsage;
    const next: Usage = {
      inputTokens: counts.inputTokens ?? known.inputTokens,
      outputTokens: counts.outputTokens ?? known.outputTokens,
      cachedInputTokens: counts.cachedInputTokens ?? known.cachedInputTokens,
      cacheWriteTokens: counts.cacheWriteTokens ?? known.cacheWriteTokens,
      reasoningTokens: counts.reasoningTokens ?? known.reasoningTokens,
    };
    const isSame = countNames.every((name) => known[name] === next[name]);
    if (this.#usage !== null && isSame) return;
    this.#usage = next;
    this.#deltas.push({ type: "usage", usage: next });
  }

  /** The provider's reason. The last one counts; the turn continues until `close`, because the usage may follow. */
  setFinish(finish: Finish, raw: string | null): void {
    if (this.#closed) return;
    this.#finish = finish;
    this.#finishRaw = raw;
  }

  /** Ends the turn by an error of the provider or a limit: none of its calls is committable. */
  fail(type: string, message: string | null): void {
    if (this.#closed) return;
    this.#error = { type, message };
    this.#deltas.push({ type: "error", error: this.#error });
    this.close();
  }

  /** Ends the turn, by the provider or at the end of the stream. */
  close(): void {
    if (this.#closed) return;
    for (const slot of this.#slots?.all ?? []) this.endCall(slot);
    this.#closed = true;
    this.#deltas.push({ type: "finish", finish: this.#finished(), raw: this.#finishRaw });
  }

  /** The turn so far; it does not change after `closed`. */
  turn(): Turn {
    if (!this.#closed) return this.#turnNow();
    this.#final ??= this.#turnNow();
    return this.#final;
  }

  #turnNow(): Turn {
    const finish = this.#finished();
    const toolCalls = (this.#slots?.all ?? []).map((slot) => closeSlot(slot, this.#closed ? finish : null));
    return {
      id: this.#id,
      model: this.#model,
      text: this.#text,
      thinking: this.#thinking,
      toolCalls,
      serverTools: [...(this.#serverTools ?? [])],
      finish,
      finishRaw: this.#finishRaw,
      healed: toolCalls.some((call) => call.status === "healed"),
      error: this.#error,
      usage: this.#usage,
      sseEvents: this.sseEvents,
    };
  }

  #finished(): Finish {
    if (this.#error !== null) return "error";
    if (this.#finish === null) return "truncated";
    return this.#finish === "stop" && (this.#slots?.all.length ?? 0) > 0 ? "tool_calls" : this.#finish;
  }

  /** Reports the call, and the arguments that came before its name; once more for a longer name. */
  #start(slot: ToolSlot): void {
    const { kind, id, idSynthetic, name } = slot;
    const replace = slot.started ? { replace: true as const } : undefined;
    slot.started = true;
    this.#deltas.push({ type: "tool-call-start", slot: slot.slot, kind, id, idSynthetic, name, ...replace });
    if (slot.text !== "") this.#deltas.push({ type: "tool-call-delta", slot: slot.slot, text: slot.text });
  }

  #limitText(): void {
    const max = this.#limits.textCharsMax ?? 64 * 1024 * 1024;
    if (this.#text.length + this.#thinking.length > max)
      this.fail("TOO_LARGE", `The text of the turn is longer than ${max} characters`);
  }

  #limitArguments(slot: ToolSlot): void {
    const max = this.#limits.argumentsCharsMax ?? 16 * 1024 * 1024;
    if (slot.text.length > max)
      this.fail("TOO_LARGE", `The arguments of the tool call "${slot.name}" are longer than ${max} characters`);
  }
}

const countNames = Object.keys(noUsage) as readonly (keyof Usage)[];
