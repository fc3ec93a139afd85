/** The plain tags in a session's output as events, with what they are worth there. */
import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";
import type { EventReading, TaggedEvent } from "./tagged-event.ts";
import { TextEvents, type TextEventsOutput } from "./text-events.ts";
import { writesAlone } from "./writes-alone.ts";

export interface OutputEventsOptions extends EventReading {
  /** Default "FORGE_EVENT". */
  readonly tagName?: string;
  /** The value that raises a tag to the trust `nonce`. */
  readonly nonce?: string;
}

/** Plain data, to go on elsewhere. */
export interface OutputEventsState {
  readonly command: readonly string[];
  readonly held: { readonly bytes: string; readonly offset: number; readonly timeMs: number } | null;
  readonly typed: string;
}

/** What was typed last: a terminal echoes it. */
const typedCharsMax = 65_536;
const decoder = new TextDecoder();

export class OutputEvents {
  readonly #options: OutputEventsOptions;
  #command: readonly string[] = [];
  #events: TextEvents;
  #typed = "";

  constructor(options: OutputEventsOptions = {}, state?: OutputEventsState) {
    this.#options = options;
    this.#events = this.#open(state?.command ?? []);
    this.#typed = state?.typed ?? "";
    const held = state?.held ?? null;
    const bytes = held === null ? undefined : decodeBase64Url(held.bytes);
    if (held !== null && bytes !== undefined) this.#events.feed(bytes, { offset: held.offset, timeMs: held.timeMs });
  }

  /** When `tick` has something to do. */
  get wakeUs(): number | null {
    const { wakeMs } = this.#events;
    return wakeMs === null ? null : (wakeMs + 1) * 1000;
  }

  start(command: readonly string[]): void {
    this.#command = command;
    this.#events = this.#open(command);
  }

  /** What a terminal echoes is no event of the program. */
  input(bytes: Uint8Array): void {
    this.#typed = (this.#typed + decoder.decode(bytes)).slice(-typedCharsMax);
  }

  output(bytes: Uint8Array, offset: number, timeUs: number): TaggedEvent[] {
    return this.#judge(this.#events.feed(bytes, { offset, timeMs: timeUs / 1000 }));
  }

  tick(timeUs: number): TaggedEvent[] {
    return this.#judge(this.#events.tick(timeUs / 1000));
  }

  end(): TaggedEvent[] {
    return this.#judge(this.#events.end());
  }

  save(): OutputEventsState {
    const { held } = this.#events;
    return {
      command: this.#command,
      held: held === null ? null : { bytes: encodeBase64Url(held.bytes), ...held.position },
      typed: this.#typed,
    };
  }

  #open(command: readonly string[]): TextEvents {
    return new TextEvents({ ...this.#options, trust: writesAlone(command) ? "text" : "unverified" });
  }

  #judge({ events }: TextEventsOutput): TaggedEvent[] {
    return events.map((event) =>
      event.trust === "text" && this.#typed.includes(`"${event.name}"`) ? { ...event, trust: "unverified" } : event,
    );
  }
}
