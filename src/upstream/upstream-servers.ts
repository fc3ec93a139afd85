/** What is remembered of the model servers: whether one fails too often, and how many retries it has left. */
import { Breaker, type BreakerOptions } from "../core/gate/breaker.ts";
import { RequestSlots, type SlotLimits } from "./request-slots.ts";
import { RetryBudget } from "../core/gate/retry.ts";

export interface UpstreamServer {
  readonly breaker: Breaker;
  readonly budget: RetryBudget;
  readonly slots: RequestSlots;
}

/** What came of a request: `ignored` says nothing about the server, because it was cancelled here. */
type UpstreamOutcome = "success" | "failure" | "ignored";

/** Tells the breaker, once. */
type Settle = (outcome: UpstreamOutcome) => void;

/** Origins that are remembered; the one that was added first is forgotten beyond this. */
const SERVERS_MAX = 100;

export class UpstreamServers {
  readonly #breaker: BreakerOptions;
  readonly #limits: SlotLimits;
  readonly #servers = new Map<string, UpstreamServer>();

  constructor(breaker: BreakerOptions = {}, limits: SlotLimits = {}) {
    this.#breaker = breaker;
    this.#limits = limits;
  }

  get all(): Iterable<UpstreamServer> {
    return this.#servers.values();
  }

  of(origin: string): UpstreamServer {
    const known = this.#servers.get(origin);
    if (known !== undefined) return known;
    const [oldest] = this.#servers.keys();
    if (this.#servers.size >= SERVERS_MAX && oldest !== undefined) this.#servers.delete(oldest);
    const slots = new RequestSlots(this.#limits);
    const server = { breaker: new Breaker(this.#breaker), budget: new RetryBudget(), slots };
    this.#servers.set(origin, server);
    return server;
  }
}

/** One request that the breaker lets through; each permit is settled, once. */
export interface Permit {
  /** The answer has begun, and is not known to be an error. */
  readonly begun: () => void;
  readonly settle: Settle;
}

/** Asks the breaker for one request. */
export function permitOf({ breaker }: UpstreamServer): Permit | { readonly retryInMs: number } {
  const asked = breaker.ask(performance.now());
  if (!asked.pass) return { retryInMs: asked.retryInMs };
  let isSettled = false;
  return {
    begun: () => void (isSettled || breaker.begun(asked.permit, performance.now())),
    settle: (outcome) => {
      if (isSettled) return;
      isSettled = true;
      breaker.report({ permit: asked.permit, outcome, nowMs: performance.now() });
    },
  };
}

/** RFC 9110, section 10.2.3: seconds or a date. Null if there is neither. */
export function retryAfterMsOf(value: string | null | undefined): number | null {
  if (value == null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? null : Math.max(0, time - Date.now());
}

const refusedCodes: ReadonlySet<unknown> = new Set(
  "ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH UND_ERR_CONNECT_TIMEOUT".split(" "),
);

/** Was there no connection? The code is that of the error of a request. */
export const isRefusedCode = (code: unknown): boolean => refusedCodes.has(code);
