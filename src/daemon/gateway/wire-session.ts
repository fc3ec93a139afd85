/** A session whose agent talks to its models through the gateway: its upstreams, its policy, and one exchange after the other. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, zstdDecompress } from "node:zlib";
import type { ChainHead } from "../../core/gate/audit-chain.ts";
import { LecternError } from "../../core/errors.ts";
import type { Dialect } from "../../core/wire/turn.ts";
import type { NetworkProxy } from "./network-proxy.ts";
import { AgentResponse } from "./agent-response.ts";
import { CallJudge, type CallJudgeOptions } from "./call-judge.ts";
import { Exchange } from "./exchange.ts";
import type { GateWatch } from "../sessions/gate-watch.ts";
import { GatewayProblem } from "./gateway-problem.ts";
import { requestHeaders, headerOf } from "./headers.ts";
import { type Passed, type PassOptions, type PassContext, passStream } from "./pass-stream.ts";
import { passPlain, isEventStream, isJson, passError, passWhole } from "./pass-whole.ts";
import { judgePath, overrideIn, type WireTarget } from "./routes.ts";
import type { WireRoute } from "../../core/agents/agent-file.ts";
import type { UpstreamAnswer, UpstreamRequest, Upstreams } from "./upstream.ts";

export interface WireSessionOptions extends CallJudgeOptions {
  /** Base URLs, without a slash at the end. */
  readonly upstreams: Readonly<Record<WireRoute, string>>;
  /** The proxy of the network in the session's environment. */
  readonly proxy: NetworkProxy | null;
  readonly pass?: PassOptions;
  /** Texts without which the agent takes no text of an answer for a tool call. */
  readonly textCalls?: () => readonly string[];
  /** Where the audit log stands, for the journal. */
  readonly auditHead?: () => ChainHead | undefined;
  /** Hears of each request for a turn, and of its end. */
  readonly watch?: Pick<GateWatch, "begin" | "end">;
}

/** Requests with images and long conversations are large. */
const REQUEST_BYTES_MAX = 64 * 1024 * 1024;
/** UTF-16 units of a path in the journal, and how many paths it gets. */
const REFUSED_PATH_CHARS_MAX = 500;
const REFUSED_PATHS_MAX = 100;
/** With this header Codex says that a login of ChatGPT pays: that has another server. */
const CHATGPT_HEADER = "chatgpt-account-id";
const CHATGPT_URL = "https://chatgpt.com/backend-api/codex";
const OPENAI_URL = "https://api.openai.com/v1";

export class WireSession {
  readonly #options: WireSessionOptions;
  readonly #servers: Upstreams;
  readonly #judge: CallJudge;
  readonly #refusedPaths = new Set<string>();

  constructor(options: WireSessionOptions, servers: Upstreams) {
    this.#options = options;
    this.#servers = servers;
    this.#judge = new CallJudge(options);
  }

  /** Answers one request. Never rejects: what went wrong is in the answer and in the journal. */
  async answer(target: WireTarget, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const controller = new AbortController();
    const verdict = judgePath(incoming.method ?? "GET", target);
    const dialect = verdict.type === "plain" ? undefined : verdict.dialect;
    const agent = new AgentResponse(response, dialect);
    response.once("close", () => {
      if (!response.writableFinished) controller.abort(new Error("the agent went away"));
    });
    try {
      if (verdict.type === "refused") throw this.#refused(verdict.message, incoming, target);
      const override = overrideIn(incoming.headers, target.path);
      if (override !== undefined) {
        const message = `A server may take this request for another one by ${override}: leave that out`;
        throw this.#refused(message, incoming, target);
      }
      const request = await this.#requestOf(target, incoming, controller.signal);
      if (dialect === undefined) await this.#answerPlain(request, agent);
      else await this.#answerTurn(request, { agent, dialect, encoding: incoming.headers["content-encoding"] });
    } catch (error) {
      if (!controller.signal.aborted) agent.fail(problemOf(error));
    }
  }

  end(): Promise<void> {
    return this.#judge.end(Date.now());
  }

  /** Agents try the same path again and again: the journal has it once. */
  #refused(message: string, { method = "GET" }: IncomingMessage, { path: target }: WireTarget): GatewayProblem {
    // The query may hold a key.
    const path = (target.split("?")[0] ?? "").slice(0, REFUSED_PATH_CHARS_MAX);
    const line = `${method} ${path}`;
    if (!this.#refusedPaths.has(line) && this.#refusedPaths.size < REFUSED_PATHS_MAX) {
      this.#refusedPaths.add(line);
      void this.#options.mark({ type: "wire-refused", method, path, reason: message });
    }
    return new GatewayProblem("gateway_refused", 404, { message });
  }

  async #answerPlain(request: UpstreamRequest, agent: AgentResponse): Promise<void> {
    const answer = await this.#servers.send(request);
    try {
      await passPlain(answer, agent, this.#options.pass ?? {});
    } catch (error) {
      answer.settle(request.signal.aborted ? "ignored" : problemOf(error).outcome);
      throw error;
    }
  }

  async #answerTurn(
    request: UpstreamRequest,
    {
      agent,
      dialect,
      encoding,
    }: { readonly agent: AgentResponse; readonly dialect: Dialect; readonly encoding?: string | undefined },
  ): Promise<void> {
    const { mark, pass: options = {}, textCalls: callsOf } = this.#options;
    const body = await unpackedBody(request.body ?? Buffer.alloc(0), encoding);
    const id = `x${randomBytes(6).toString("hex")}`;
    const exchange = new Exchange({ id, dialect, body: body.toString(), path: request.url.pathname, mark });
    exchange.begin();
    this.#options.watch?.begin();
    let answer: UpstreamAnswer | undefined;
    let passed: Partial<Passed> = {};
    try {
      await this.#judge.settle(exchange.request.parts, Date.now());
      answer = await this.#servers.send(request);
      const textCalls = callsOf?.() ?? [];
      const { signal } = request;
      passed = await passAnswer(answer, { exchange, agent, judge: this.#judge, options, textCalls, signal });
    } catch (error) {
      const isAway = request.signal.aborted;
      const problem = isAway
        ? new GatewayProblem("gateway_failed", 499, { message: "The agent went away before the end of the turn" })
        : problemOf(error);
      answer?.settle(isAway ? "ignored" : problem.outcome);
      answer?.body.stop();
      passed = { problem };
      agent.fail(problem);
    }
    this.#options.watch?.end(passed.callIds?.length ?? 0);
    await exchange.end({
      turn: passed.turn ?? null,
      callIds: passed.callIds ?? [],
      denials: passed.denials ?? new Map(),
      status: answer?.status ?? null,
      attempts: answer?.attempts ?? 0,
      error: passed.problem?.wireError ?? null,
      limit: passed.limit ?? null,
      auditHead: passed.callIds === undefined || passed.callIds.length === 0 ? undefined : this.#options.auditHead?.(),
    });
    passed.finish?.();
  }

  async #requestOf(target: WireTarget, incoming: IncomingMessage, signal: AbortSignal): Promise<UpstreamRequest> {
    const base = this.#baseOf(target.route, incoming);
    return {
      method: incoming.method ?? "GET",
      url: new URL(base + versioned(target)),
      headers: requestHeaders(incoming.rawHeaders),
      body: await bodyOf(incoming),
      proxy: this.#options.proxy,
      signal,
    };
  }

  #baseOf(route: WireRoute, { headers }: IncomingMessage): string {
    const base = this.#options.upstreams[route];
    return base === OPENAI_URL && headers[CHATGPT_HEADER] !== undefined ? CHATGPT_URL : base;
  }
}

/** Some libraries take the version for a part of the base URL, and Anthropic's own do not. */
const versioned = ({ path, route }: WireTarget): string =>
  route === "anthropic" && /^\/(?:messages|models)\b/.test(path) ? `/v1${path}` : path;

/** Null for a method that has none. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > REQUEST_BYTES_MAX) {
      throw new GatewayProblem("gateway_refused", 413, {
        message: `The request is larger than ${REQUEST_BYTES_MAX} bytes`,
      });
    }
    chunks.push(chunk);
  }
  return bytes === 0 ? null : Buffer.concat(chunks);
}

const unpackers: Readonly<
  Record<string, (body: Buffer, limit: { readonly maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** To be read here; the upstream gets it as it came. */
async function unpackedBody(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding === undefined || encoding === "identity") return body;
  const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined;
  if (unpack === undefined) {
    throw new GatewayProblem("gateway_refused", 415, { message: `The request is packed as "${encoding}"` });
  }
  try {
    return await unpack(body, { maxOutputLength: REQUEST_BYTES_MAX });
  } catch (cause) {
    throw new GatewayProblem("gateway_refused", 400, {
      message: `The request cannot be unpacked as "${encoding}"`,
      cause,
    });
  }
}

function problemOf(error: unknown): GatewayProblem {
  if (error instanceof GatewayProblem) return error;
  if (error instanceof LecternError && error.code === "MALFORMED") {
    return new GatewayProblem("upstream_malformed", 502, { message: error.message, cause: error });
  }
  return new GatewayProblem("gateway_failed", 500, {
    message: "The gateway could not pass the answer on",
    cause: error,
  });
}

/** Throws `GatewayProblem`, and whatever broke the body. */
export async function passAnswer(answer: UpstreamAnswer, context: PassContext): Promise<Partial<Passed>> {
  const type = headerOf(answer.headers, "content-type") ?? "";
  if (answer.status !== 200 || !isUtf8(type)) return passError(answer, context);
  if (isJson(type)) return passWhole(answer, context);
  const isStream = isEventStream(type) || (type === "" && context.exchange.request.stream);
  return isStream ? passStream(answer, context) : passError(answer, context);
}

/** The answer is read as UTF-8, and some clients read it as the header says. */
function isUtf8(contentType: string): boolean {
  const charsets = [...contentType.matchAll(/charset\s*=\s*["']?([^\s"';,]*)/gi)].map(([, name = ""]) => name);
  return charsets.every((name) => /^(?:utf-?8|us-ascii)$/i.test(name));
}
