/** What the gateway writes into the journal about the model's stream, as a signal: the best there is, where the gateway is used. */
import type { Mark } from "../records.ts";
import type { SignalPlace } from "./osc-signals.ts";
import type { Signal } from "./signal.ts";

export interface WireState {
  /** Requests with tools that were not answered yet; requests without are asides, such as for a title. */
  readonly exchanges: readonly string[];
  /** Approvals of held tool calls that are open. */
  readonly held: readonly string[];
  readonly offset: number;
  readonly timeUs: number;
}

export const noWire: WireState = { exchanges: [], held: [], offset: 0, timeUs: 0 };

/** A request whose end nobody wrote down, because the gateway went away, counts no longer. */
const exchangeMinutesMax = 15;
const namesMax = 64;

export function wireAfter(before: WireState, event: Mark, at: SignalPlace): WireState {
  const { exchanges, held } = before;
  switch (event.type) {
    case "wire-request":
      return event.tools === 0 ? before : { exchanges: added(exchanges, event.exchange), held, ...at };
    case "wire-turn":
      return { exchanges: exchanges.filter((name) => name !== event.exchange), held, ...at };
    case "wire-approval": {
      const others = held.filter((name) => name !== event.approval);
      return { exchanges, held: event.state === "open" ? added(others, event.approval) : others, ...at };
    }
    default:
      return before;
  }
}

/** Null where no request is open and nobody is asked. */
export function wireSignal({ exchanges, held, offset, timeUs }: WireState, nowUs: number): Signal | null {
  const at = { kind: "wire", isFirm: true, rule: null, offset, timeUs } as const;
  const [approval] = held;
  if (approval !== undefined) {
    return { ...at, says: "blocked", allows: ["blocked"], text: `a tool call is held: approval ${approval}` };
  }
  if (exchanges.length === 0 || nowUs - timeUs > exchangeMinutesMax * 60e6) return null;
  return { ...at, says: "working", allows: ["working", "blocked"], text: `the model answers: ${exchanges.join(", ")}` };
}

const added = (names: readonly string[], name: string): readonly string[] =>
  names.includes(name) ? names : [...names.slice(-(namesMax - 1)), name];
