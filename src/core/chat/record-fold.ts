/**
 * What the agent's own record says of the conversation: exact texts for the messages of the screen, and those that the screen never showed.
 *
 * Law: the record adds messages and replaces texts. It removes nothing: what the agent took back stays, and says so.
 */
import { readRecordFact } from "../transcripts/record-fact.ts";
import type { RecordEntry, RecordMessage } from "../transcripts/record-entry.ts";
import { orderOf, type ChatMessage, type TakenBack } from "./message.ts";
import type { MessageLog, MessagePlace } from "./message-log.ts";
import { pairRecord, type RecordedMessage } from "./record-pairing.ts";
import { letters } from "./revision.ts";

/** An entry that the screen has not shown by then is added. */
const WAIT_US = 3_000_000;
/** So many entries are known at least, to pair those that follow and to mark those that are taken back; no more wait. */
const ENTRIES_MAX = 256;
/** A clock that is further ahead than this is not right. */
const AHEAD_US_MAX = 60_000_000;

interface Recorded extends RecordedMessage {
  readonly agent: string;
  /** Id of the entry, unique in the session. */
  readonly id: string;
  /** When the journal got it. */
  readonly seenUs: number;
  /** Of a result: id of the entry of its call. */
  readonly call?: string | undefined;
  readonly subAgent?: string | undefined;
  readonly incomplete?: RecordMessage["incomplete"];
  readonly takenBack?: TakenBack;
}

export type RecordFoldState = readonly Recorded[];

export class RecordFold {
  readonly #log: MessageLog;
  #entries: Recorded[];
  #hasNews = false;

  constructor(log: MessageLog, state: RecordFoldState = []) {
    this.#log = log;
    this.#entries = [...state];
  }

  /** When it wants to settle, though nothing happens; null if nothing waits. */
  get wakeUs(): number | null {
    const waiting = this.#waiting.map(({ seenUs }) => seenUs + WAIT_US);
    return waiting.length === 0 ? null : Math.min(...waiting);
  }

  save(): RecordFoldState {
    return this.#entries;
  }

  /** A fact of the journal whose source is the record. */
  take(payload: unknown, place: MessagePlace): void {
    const fact = readRecordFact(payload);
    if (fact === null || !("entry" in fact)) return;
    const { agent, conversation, entry } = fact;
    const idOf = (id: string): string => `${conversation} ${id}`;
    const base = { agent, seenUs: place.timeUs, message: null } as const;
    switch (entry.kind) {
      case "message": {
        const ids = { id: idOf(entry.id), call: entry.call && idOf(entry.call) };
        this.#put({ ...recordedOf(entry, place), ...base, ...ids }, place);
        break;
      }
      case "failed": {
        const { text, timeMs } = entry;
        const own = { id: idOf(`failed ${timeMs}`), role: "error", text, timeUs: saidUs(timeMs, place) } as const;
        this.#put({ ...base, ...own }, place);
        break;
      }
      case "taken-back":
        this.#takeBack(new Set(entry.ids.map(idOf)), entry.why, place);
        break;
      case "conversation":
      case "unknown":
        break;
    }
  }

  /**
   * Pairs what waits with what the screen shows now, and adds what the screen has not shown for a while. `hasChanged`: messages have changed;
   * `isOver`: nothing comes any more.
   */
  settle(
    place: MessagePlace,
    { hasChanged, isOver }: { readonly hasChanged: boolean; readonly isOver: boolean },
  ): void {
    const { wakeUs } = this;
    if (wakeUs === null || !(isOver || hasChanged || this.#hasNews || place.timeUs >= wakeUs)) return;
    this.#hasNews = false;
    const shown = this.#log.revisable.filter(({ subAgent }) => subAgent === undefined);
    const entries = this.#entries.filter(({ subAgent }) => subAgent === undefined);
    const growing = new Set<string>();
    const seen = shown.map((message) => ({ ...message, isIncomplete: message.isIncomplete || message.isPartial }));
    for (const [index, at] of pairRecord(seen, entries)) {
      const [message, entry] = [shown[index], entries[at]];
      if (message === undefined || entry === undefined) continue;
      if (message.isPartial && !isOver) growing.add(entry.id);
      else this.#pair(entry, message, place);
    }
    for (const entry of this.#waiting)
      if (!growing.has(entry.id) && (isOver || place.timeUs >= entry.seenUs + WAIT_US)) this.#add(entry, place);
  }

  get #waiting(): Recorded[] {
    return this.#entries.filter(({ message }) => message === null);
  }

  #put(entry: Recorded, place: MessagePlace): void {
    const index = this.#entries.findIndex(({ id }) => id === entry.id);
    const known = this.#entries[index];
    if (known === undefined && this.#isForgotten(entry)) return;
    this.#hasNews = true;
    if (known === undefined) {
      this.#entries.push(entry);
      return this.#forget(place);
    }
    const { message, seenUs, takenBack } = known;
    this.#entries[index] = { ...entry, message, seenUs, ...(takenBack !== undefined && { takenBack }) };
    if (message !== null) this.#log.revise(message, sayingOf(entry), place);
  }

  /** One that waits is added before; one whose message can still be revised stays: no other entry may be that message. */
  #forget(place: MessagePlace): void {
    if (this.#entries.length <= ENTRIES_MAX) return;
    for (const old of this.#waiting.slice(0, -ENTRIES_MAX)) this.#add(old, place);
    const revisable = new Set(this.#log.revisable.map(({ id }) => id));
    this.#entries = this.#entries.filter(
      ({ message }, index, { length }) => index >= length - ENTRIES_MAX || message === null || revisable.has(message),
    );
  }

  /** The record is read again from its beginning, and the entry was folded long ago. */
  #isForgotten({ timeUs }: Recorded): boolean {
    if (this.#entries.length < ENTRIES_MAX || timeUs === null) return false;
    return this.#entries.every((entry) => entry.timeUs === null || entry.timeUs > timeUs);
  }

  #takeBack(
    ids: ReadonlySet<string>,
    why: Extract<RecordEntry, { kind: "taken-back" }>["why"],
    place: MessagePlace,
  ): void {
    // Compacted messages stay said: only the model is not sent them any more.
    if (why === "compacted") return;
    this.#entries = this.#entries.map((entry) => {
      if (!ids.has(entry.id)) return entry;
      if (entry.message !== null) this.#log.takeBack(entry.message, why, place);
      return { ...entry, takenBack: why };
    });
  }

  #pair(entry: Recorded, message: ChatMessage, place: MessagePlace): void {
    this.#link(entry, message.id, place);
    // What the agent itself has cut may be less than the screen shows.
    const isLess = entry.incomplete !== undefined && letters(entry.text).length < letters(message.text).length;
    if (!isLess) this.#log.revise(message.id, sayingOf(entry), place);
  }

  #add(entry: Recorded, place: MessagePlace): void {
    const { agent, role, subAgent, text, timeUs } = entry;
    const tool = role === "tool-call" ? { name: entry.tool ?? "", input: text, call: null } : this.#resultOf(entry);
    const id = this.#log.add(
      { role, agent, text, tool, subAgent, isIncomplete: entry.incomplete !== undefined },
      { source: "record", after: this.#before(entry) },
      { ...place, timeUs: timeUs ?? place.timeUs },
    );
    this.#link(entry, id, place);
  }

  /** For a result: its tool and the message of its call. */
  #resultOf({ call }: Recorded): NonNullable<ChatMessage["tool"]> | null {
    const known = call === undefined ? undefined : this.#entries.find(({ id }) => id === call);
    return known === undefined ? null : { name: known.tool ?? "", input: null, call: known.message };
  }

  /** Id of the message behind which it stands; null: behind all. */
  #before(entry: Recorded): string | null {
    const messages = this.#log.revisable;
    const places = new Map(messages.map((message) => [message.id, orderOf(message)]));
    const at = this.#entries.indexOf(entry);
    const orderIn = (entries: readonly Recorded[]): number[] =>
      entries.flatMap(({ message }) => (message === null ? [] : (places.get(message) ?? [])));
    const from = Math.max(-Infinity, ...orderIn(this.#entries.slice(0, Math.max(0, at))));
    const to = Math.min(Infinity, ...orderIn(this.#entries.slice(at + 1)).filter((order) => order > from));
    const before = messages.filter((message) => {
      const order = orderOf(message);
      return order === from || (order > from && order < to && message.timeUs <= (entry.timeUs ?? -Infinity));
    });
    return before.at(-1)?.id ?? null;
  }

  #link({ id, takenBack }: Recorded, message: string, place: MessagePlace): void {
    this.#entries = this.#entries.map((entry) => (entry.id === id ? { ...entry, message } : entry));
    if (takenBack !== undefined) this.#log.takeBack(message, takenBack, place);
  }
}

function recordedOf(
  { role, text, timeMs, tool, agent: subAgent, incomplete }: RecordMessage,
  place: MessagePlace,
): Pick<Recorded, "role" | "text" | "tool" | "timeUs" | "subAgent" | "incomplete"> {
  return {
    role,
    text,
    timeUs: saidUs(timeMs, place),
    ...(tool !== undefined && { tool }),
    ...(subAgent !== undefined && { subAgent }),
    ...(incomplete !== undefined && { incomplete }),
  };
}

/** Null if the record has no time, or one that cannot be right. */
function saidUs(timeMs: number, { timeUs }: MessagePlace): number | null {
  const said = timeMs * 1000;
  return timeMs <= 0 || said > timeUs + AHEAD_US_MAX ? null : said;
}

const sayingOf = ({ incomplete, role, text, tool }: Recorded) => ({
  source: "record" as const,
  text,
  isIncomplete: incomplete !== undefined,
  ...(role === "tool-call" && { tool: { name: tool ?? "", input: text } }),
});
