/** What the gateway writes into the journal about the model's stream, as a signal: the best there is, where the gateway is used. */
import type { Mark } from "../records.ts";
import type { SignalPlace } from "./osc-signals.ts";
import type { Signal } from "./signal.ts";

export interface WireState {
  /** Requests with tools that were not answered yet; requests without are asides, such as for a title. */
  readonly exchanges: readonly Exchange[];
  /** Approvals of held tool calls that are open. */
  readonly held: readonly string[];
  readonly offset: number;
  readonly timeUs: number;
}

interface Exchange {
  readonly name: string;
  readonly timeUs: number;
}

export const noWire: WireState = { exchanges: [], held: [], offset: 0, timeUs: 0 };

/** A request whose end nobody wrote down, because the gateway went away, counts no longer. */
const exchangeUsMax = 15 * 60e6;
const namesMax = 64;

export function wireAfter(before: WireState, event: Mark, at: SignalPlace): WireState {
  const { held } = before;
  const exchanges = openExchanges(before, at.timeUs);
  switch (event.type) {
    case "wire-request":
      if (event.tools === 0) return before;
      return { exchanges: added(exchanges, { name: event.exchange, timeUs: at.timeUs }), held, ...at };
    case "wire-turn":
      return { exchanges: exchanges.filter(({ name }) => name !== event.exchange), held, ...at };
    case "wire-approval": {
      const others = held.filter((name) => name !== event.approval);
      return {
        exchanges,
        held: event.state === "open" ? [...others.slice(-(namesMax - 1)), event.approval] : others,
        ...at,
      };
    }
    default:
      return before;
  }
}

/** Null where no request is open and nobody is asked. */
export function wireSignal(wire: WireState, nowUs: number): Signal | null {
  const { held, offset, timeUs } = wire;
  const at = { kind: "wire", isFirm: true, rule: null, offset, timeUs } as const;
  const [approval] = held;
  if (approval !== undefined)
    return { ...at, says: "blocked", allows: ["blocked"], text: `a tool call is held: approval ${approval}` };
  const exchanges = openExchanges(wire, nowUs);
  if (exchanges.length === 0) return null;
  return {
    ...at,
    says: "working",
    allows: ["working", "blocked"],
    text: `the model answers: ${exchanges.map(({ name }) => name).join(", ")}`,
  };
}

/** When an exchange counts no longer; null where none is open. */
export const wireWakeUs = ({ exchanges }: WireState): number | null =>
  exchanges.length === 0 ? null : Math.min(...exchanges.map(({ timeUs }) => timeUs + exchangeUsMax)) + 1;

const openExchanges = ({ exchanges }: WireState, nowUs: number): readonly Exchange[] =>
  exchanges.filter(({ timeUs }) => nowUs - timeUs <= exchangeUsMax);

const added = (exchanges: readonly Exchange[], exchange: Exchange): readonly Exchange[] => [
  ...exchanges.filter(({ name }) => name !== exchange.name).slice(-(namesMax - 1)),
  exchange,
];
