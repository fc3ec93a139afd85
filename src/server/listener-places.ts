/**
 * Which connections of a TCP listener stay open when there are too many. Any user of the machine can connect to it, so a connection is a
 * stranger's until it has sent a valid token. Too many strangers only take places from each other: the oldest one of whoever has the most
 * is closed, so that one user's flood takes nothing from another user. Connections that sent a valid token have places of their own.
 */
import type { Socket } from "node:net";
import type { ServerLimits } from "./limits.ts";

/** Part of the strangers that stays, so that a flood does not cause a pass for each connection. */
const STAYS = 3 / 4;
/** A pass reads tables of the kernel, which take long on a machine with many sockets: so many times as long none follows. */
const REST_TIMES = 7;
/** A pass does not wait for the end of that rest with more than so many times the strangers. */
const OVERFULL_TIMES = 4;

export interface PlacesOptions {
  readonly limits: Pick<ServerLimits, "strangersMax" | "authenticatedMax">;
  /** Where each connection comes from, in the same order; connections of one source have the same text. */
  readonly sourcesOf: (sockets: readonly Socket[]) => readonly string[];
  /** Strangers were closed. */
  readonly onClosed: (count: number) => void;
  readonly nowMs?: () => number;
}

export class ListenerPlaces {
  readonly #options: PlacesOptions;
  /** In order of age, each with its source once it is known. */
  readonly #strangers = new Map<Socket, string | undefined>();
  readonly #authenticated = new Set<Socket>();
  readonly #nowMs: () => number;
  #isPassDue = false;
  #restsUntilMs = 0;
  #isResting = false;

  constructor(options: PlacesOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  add(socket: Socket): void {
    this.#strangers.set(socket, undefined);
    socket.once("close", () => {
      this.#strangers.delete(socket);
      this.#authenticated.delete(socket);
    });
    if (this.#strangers.size > this.#options.limits.strangersMax) this.#schedulePass();
  }

  /** A request on this connection had a valid token. Beyond the limit it stays among the strangers, and is answered all the same. */
  authenticate(socket: Socket): void {
    if (this.#authenticated.size >= this.#options.limits.authenticatedMax) return;
    if (this.#strangers.delete(socket)) this.#authenticated.add(socket);
  }

  /** One full turn of the event loop later: a request that has already arrived is read first, and its token may keep the connection. */
  #schedulePass(): void {
    if (this.#isPassDue) return;
    const restMs = this.#restsUntilMs - this.#nowMs();
    if (restMs > 0 && this.#strangers.size <= OVERFULL_TIMES * this.#options.limits.strangersMax) {
      if (!this.#isResting) setTimeout(() => this.#endRest(), restMs).unref();
      this.#isResting = true;
      return;
    }
    this.#isPassDue = true;
    setImmediate(() => setImmediate(() => this.#pass()));
  }

  #endRest(): void {
    this.#isResting = false;
    this.#schedulePass();
  }

  #pass(): void {
    this.#isPassDue = false;
    const { strangersMax } = this.#options.limits;
    if (this.#strangers.size <= strangersMax) return;
    const startMs = this.#nowMs();
    this.#lookUpSources();
    const endMs = this.#nowMs();
    this.#restsUntilMs = endMs + REST_TIMES * (endMs - startMs);
    const strangers = [...this.#strangers].map(([socket, source = ""]) => ({ socket, source }));
    const surplus = surplusOf(strangers, Math.floor(strangersMax * STAYS));
    // A reset: a closed connection would stay in the kernel for a minute.
    for (const { socket } of surplus) socket.resetAndDestroy();
    this.#options.onClosed(surplus.length);
  }

  #lookUpSources(): void {
    const unknown = [...this.#strangers].flatMap(([socket, source]) => (source === undefined ? [socket] : []));
    const sources = this.#options.sourcesOf(unknown);
    for (const [index, socket] of unknown.entries()) this.#strangers.set(socket, sources[index]);
  }
}

/** Those that have to go until `stays` are left: always the oldest one of the source that has the most. `all` is in order of age. */
export function surplusOf<Each extends { readonly source: string }>(all: readonly Each[], stays: number): Each[] {
  const bySource = [...Map.groupBy(all, ({ source }) => source).values()];
  const surplus: Each[] = [];
  while (all.length - surplus.length > stays) {
    const largest = bySource.reduce((most, each) => (each.length > most.length ? each : most));
    surplus.push(...largest.splice(0, 1));
  }
  return surplus;
}
