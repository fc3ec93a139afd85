/** The way to the model servers: connections, retries while nothing was passed on, and a breaker for each server. */
import { waits } from "../../core/waits.ts";
import { Agent, EnvHttpProxyAgent } from "undici";
import type { BreakerOptions } from "../../core/gate/breaker.ts";
import type { RetryOptions, UpstreamFailure } from "../../core/gate/retry.ts";
import { untilAnswered } from "../../upstream/until-answered.ts";
import type { SlotLimits } from "../../upstream/request-slots.ts";
import {
  isRefusedCode,
  permitOf,
  retryAfterMsOf,
  UpstreamServers,
  type Permit,
  type UpstreamServer,
} from "../../upstream/upstream-servers.ts";
import { within } from "../../timers/within.ts";
import type { NetworkProxy } from "./network-proxy.ts";
import { AnswerBody } from "./answer-body.ts";
import { GatewayProblem } from "./gateway-problem.ts";
import { headerOf, pairsOf } from "./headers.ts";
import { type Readable, pipeline, type Transform } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from "node:zlib";

export interface UpstreamRequest {
  readonly method: string;
  readonly url: URL;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | null;
  readonly proxy: NetworkProxy | null;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** An answer of which the body has begun. */
export interface UpstreamAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Unpacked. */
  readonly body: AnswerBody;
  readonly attempts: number;
  /** Tells the breaker that it has begun, and how it went after all. */
  readonly begun: Permit["begun"];
  readonly settle: Permit["settle"];
}

export interface UpstreamOptions {
  /** Certificates beside those of the system, PEM. */
  readonly certificates?: string;
  readonly retry?: RetryOptions;
  readonly breaker?: BreakerOptions;
  readonly limits?: SlotLimits;
  /** Called with each request that is refused before it was sent. */
  readonly onRefused?: (reason: "busy" | "breaker") => void;
  /** From the request to the head of the answer, in milliseconds. Default 600,000: models think. */
  readonly headersMs?: number;
}

/** Sockets to one origin over HTTP/1.1. Requests wait for their turn before (`RequestSlots`); what is left of an aborted one may still close. */
const SOCKETS_MAX = 65_536;
/** Proxies that are remembered, with their connections; the one that was added first is closed beyond this. */
const PROXIES_MAX = 16;

export class Upstreams implements AsyncDisposable {
  readonly #agent: Agent;
  /** By the settings as text. */
  readonly #proxies = new Map<string, EnvHttpProxyAgent>();
  readonly #options: UpstreamOptions;
  readonly #servers: UpstreamServers;

  constructor(options: UpstreamOptions = {}) {
    this.#options = options;
    this.#servers = new UpstreamServers(options.breaker, options.limits);
    this.#agent = new Agent({ ...this.#connections(), connect: this.#connect() });
  }

  /**
   * Sends a request until an answer comes that is worth passing on: a passing failure is tried again, with growing waits. Throws
   * `GatewayProblem` where none came, and whatever the signal was aborted with.
   */
  async send(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const server = this.#servers.of(request.url.origin);
    const { retry } = this.#options;
    const found = await untilAnswered((attempts) => this.#attempt(request, { server, attempts }), {
      server,
      retry,
      signal: request.signal,
    });
    if (found.answer === undefined) throw found.problem;
    return found.answer;
  }

  /** Requests to all servers: those that are sent or answered, and those that wait for a place. */
  get load(): UpstreamLoad {
    const load = { active: 0, waiting: 0 };
    for (const { slots } of this.#servers.all) {
      load.active += slots.active;
      load.waiting += slots.waiting;
    }
    return load;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#agent, ...this.#proxies.values()].map((agent) => agent.destroy()));
  }

  #connections(): Agent.Options {
    return {
      allowH2: true,
      connections: SOCKETS_MAX,
      headersTimeout: this.#options.headersMs ?? 600_000,
      // Silence is judged by events, above.
      bodyTimeout: 0,
    };
  }

  #connect(): { readonly timeout: number; readonly ca?: string } {
    const { certificates } = this.#options;
    return { timeout: waits.arrivalMs, ...(certificates !== undefined && { ca: certificates }) };
  }

  #agentFor(proxy: NetworkProxy | null): Agent | EnvHttpProxyAgent {
    if (proxy === null) return this.#agent;
    const key = JSON.stringify(proxy);
    const known = this.#proxies.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#proxies;
    if (this.#proxies.size >= PROXIES_MAX && oldest !== undefined) {
      this.#proxies.delete(oldest[0]);
      void oldest[1].close();
    }
    const agent = new EnvHttpProxyAgent({
      ...this.#connections(),
      connect: this.#connect(),
      requestTls: this.#connect(),
      // Set, so that the daemon's own environment is not asked.
      httpProxy: proxy.http,
      httpsProxy: proxy.https,
      noProxy: proxy.except,
    });
    this.#proxies.set(key, agent);
    return agent;
  }

  async #attempt(
    request: UpstreamRequest,
    { attempts, server }: { readonly server: UpstreamServer; readonly attempts: number },
  ): Promise<Attempt> {
    const { begun, settle } = await this.#permitOf(request, server);
    try {
      const answer = { ...(await this.#open(request)), attempts, begun, settle };
      const failure = failureOf(answer);
      if (failure !== undefined) {
        settle(failure.status >= 500 ? "failure" : "success");
        return { failure, answer, drop: () => answer.body.stop() };
      }
      await this.#untilBegun(answer);
      return { answer };
    } catch (error) {
      if (request.signal.aborted) {
        settle("ignored");
        throw request.signal.reason;
      }
      settle("failure");
      return { ...failedConnection(error), answer: undefined };
    }
  }

  /** A place among the requests to the server, which is free again with the outcome, and the consent of its breaker. */
  async #permitOf({ signal }: UpstreamRequest, server: UpstreamServer): Promise<Permit> {
    const { onRefused } = this.#options;
    const slot = await server.slots.take(signal);
    if (typeof slot === "string") {
      onRefused?.("busy");
      throw busy(slot, server.slots.limits);
    }
    const permit = permitOf(server);
    if ("retryInMs" in permit) {
      slot.release();
      onRefused?.("breaker");
      throw new GatewayProblem("upstream_breaker_open", 503, {
        message: `The model server failed too often: it is left alone for ${Math.ceil(permit.retryInMs / 1000)} s`,
        retryAfterMs: permit.retryInMs,
      });
    }
    const settle: Permit["settle"] = (outcome) => {
      permit.settle(outcome);
      slot.release();
    };
    return { begun: permit.begun, settle };
  }

  async #open(request: UpstreamRequest): Promise<Omit<UpstreamAnswer, "attempts" | "begun" | "settle">> {
    const { body, headers, method, proxy, signal, url } = request;
    const answer = await this.#agentFor(proxy).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: [...headers],
      body,
      signal,
      responseHeaders: "raw",
    });
    const pairs = pairsOf(answer.headers as unknown as string[]);
    const answerBody = new AnswerBody(unpacked(answer.body, headerOf(pairs, "content-encoding")));
    return { status: answer.statusCode, headers: pairs, body: answerBody };
  }

  /** A connection that breaks before the first byte can be tried again; but nobody waits for ever for the head. */
  async #untilBegun({ body }: UpstreamAnswer): Promise<void> {
    await within(waits.partMs, body.begun);
  }
}

/** How many requests are on their way, and how many wait. */
export interface UpstreamLoad {
  readonly active: number;
  readonly waiting: number;
}

const BUSY_RETRY_MS = 5000;

function busy(why: "full" | "late", { connectionsMax, queueMax, queueMsMax }: Required<SlotLimits>): GatewayProblem {
  const waited = why === "full" ? `${queueMax} requests wait already` : `no place was free for ${queueMsMax} ms`;
  const message = `The model server answers ${connectionsMax} requests of this machine, and ${waited}: see "gateway" in lectern.yaml`;
  return new GatewayProblem("upstream_busy", 503, { message, retryAfterMs: BUSY_RETRY_MS });
}

/** An answer, also one with a status that is a failure, or why there is none. */
type Attempt =
  | { readonly answer: UpstreamAnswer; readonly failure?: UpstreamFailure; readonly drop?: () => void }
  | { readonly answer: undefined; readonly failure: UpstreamFailure; readonly problem: GatewayProblem };

/** Statuses that the retry rules look at; undefined for an answer that is one. */
function failureOf(answer: UpstreamAnswer): (UpstreamFailure & { readonly type: "status" }) | undefined {
  const { headers, status } = answer;
  if (status < 400) return undefined;
  return { type: "status", status, retryAfterMs: retryAfterMsOf(headerOf(headers, "retry-after")) };
}

function failedConnection(error: unknown): { readonly failure: UpstreamFailure; readonly problem: GatewayProblem } {
  const code = (error as { readonly code?: unknown }).code;
  if (error instanceof GatewayProblem) return { failure: { type: "reset" }, problem: error };
  const word = typeof code === "string" ? code : "no reason";
  const refusal = proxyRefusalOf(error);
  if (refusal !== undefined) {
    const message = `The proxy of the network did not let the gateway through to the model server (${refusal})`;
    return {
      failure: { type: "refused" },
      problem: new GatewayProblem("upstream_unreachable", 502, { message, cause: error }),
    };
  }
  if (isRefusedCode(code)) {
    const problem = new GatewayProblem("upstream_unreachable", 502, {
      message: `The model server cannot be reached (${word})`,
      cause: error,
    });
    return { failure: { type: "refused" }, problem };
  }
  const timedOut = code === "UND_ERR_HEADERS_TIMEOUT";
  const problem = new GatewayProblem(timedOut ? "upstream_idle" : "upstream_reset", timedOut ? 504 : 502, {
    message: timedOut
      ? "The model server gave no answer in time"
      : `The connection to the model server broke before it answered (${word})`,
    cause: error,
  });
  return { failure: { type: timedOut ? "idle" : "reset" }, problem };
}

/** The status with which a proxy refused a tunnel: undici has it in the message only. */
const proxyRefusalOf = (error: unknown): string | undefined =>
  error instanceof Error ? /^Proxy response \((\d+)\)/.exec(error.message)?.[1] : undefined;

/** Each piece comes out as soon as it is there: a stream is not held back for the next. */
const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  "x-gzip": () => createGunzip({ flush: constants.Z_SYNC_FLUSH }),
  br: () => createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: () => createZstdDecompress({ flush: constants.ZSTD_e_flush }),
};

/** Encodings that one body may have, one in the other. */
const ENCODINGS_MAX = 3;

/** Throws `GatewayProblem` for an encoding that nobody asked for. */
export function unpacked(body: Readable, encoding: string | undefined): Readable {
  const names = (encoding ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  const steps = names.toReversed().map((name) => unpackers[name]);
  if (steps.includes(undefined) || steps.length > ENCODINGS_MAX) {
    // Nobody else listens to it, and an aborted body reports that as an error.
    body.on("error", () => undefined).destroy();
    throw new GatewayProblem("upstream_malformed", 502, { message: `The answer is packed as "${names.join(", ")}"` });
  }
  let unpackedBody = body;
  for (const step of steps) {
    if (step === undefined) continue;
    // An error of either side ends both, and the reader of the last one sees it.
    unpackedBody = pipeline(unpackedBody, step(), () => undefined);
  }
  return unpackedBody;
}
