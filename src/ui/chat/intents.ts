/** Tools that a model has named in a turn that is not over, from the marks of a journal. Pure. */
import type { SessionEvent } from "../../client.ts";

export interface Intent {
  readonly call: string;
  readonly tool: string;
  /** Milliseconds since 1970. */
  readonly sinceMs: number;
  /** A person is asked about it. */
  readonly isHeld: boolean;
}

/** A gateway that went away in between leaves no end of a turn: older ones are forgotten. */
const INTENTS_MAX = 50;

export class Intents {
  readonly #open = new Map<string, Intent & { readonly exchange: string }>();

  get list(): readonly Intent[] {
    return [...this.#open.values()];
  }

  feed(event: SessionEvent, timeUs: number): void {
    switch (event.type) {
      case "wire-intent": {
        const { call, tool, exchange } = event;
        this.#open.set(call, { call, tool, exchange, sinceMs: timeUs / 1000, isHeld: false });
        const [oldest] = this.#open.keys();
        if (this.#open.size > INTENTS_MAX && oldest !== undefined) this.#open.delete(oldest);
        return;
      }
      case "wire-approval": {
        const known = this.#open.get(event.call);
        if (known !== undefined) this.#open.set(event.call, { ...known, isHeld: event.state === "open" });
        return;
      }
      case "wire-turn":
        for (const { call, exchange } of this.#open.values()) if (exchange === event.exchange) this.#open.delete(call);
        return;
      default:
    }
  }
}
