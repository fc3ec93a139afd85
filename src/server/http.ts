/** The operation table over HTTP, plus health, docs and login. The guard has let the request in before it comes here. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TLSSocket } from "node:tls";
import { TrieRouter } from "hono/router/trie-router";
import { LecternError } from "../core/errors.ts";
import { metricsContentTypes, metricsFormat } from "../core/metrics/render-metrics.ts";
import { toLecternError } from "../protocol/errors.ts";
import { operationNames, operations, type Operation, type OperationName } from "../protocol/operations.ts";
import { hasBody, splitEndpoint } from "../protocol/routes.ts";
import type { ByteBody, CallContext, Caller, DaemonService, ItemStream, StreamedItem } from "../daemon/service.ts";
import { authorize, authorizeMetrics } from "./access.ts";
import { readBody, streamBody } from "./body.ts";
import { docsPage } from "./docs-page.ts";
import { pathOf } from "./guard.ts";
import { parseInput } from "./input.ts";
import type { ServerLimits } from "./limits.ts";
import { createCode, loginPage, redeemCode, type Login } from "./login.ts";
import type { LoginCodes } from "./login-codes.ts";
import { openApiDocument } from "./openapi.ts";
import { Outlet } from "./outlet.ts";
import type { PageFiles } from "./page-files.ts";
import { parseBody } from "./parse-body.ts";
import {
  RequestProblem,
  securityHeaders,
  sendJson,
  sendPage,
  sendProblem,
  type AdmittedExchange,
  type HttpExchange,
} from "./reply.ts";
import { waits } from "../core/waits.ts";

export interface HttpOptions {
  readonly service: DaemonService;
  readonly limits: ServerLimits;
  readonly codes: LoginCodes;
  /** Where browsers reach this server, such as `http://127.0.0.1:7777`; called when a login code is made. */
  readonly browserUrls: () => readonly string[];
  /** The cookie of this listener; undefined where no browser comes. */
  readonly cookieName: string | undefined;
  readonly onFailure: (error: LecternError, exchange: HttpExchange) => void;
  /** Undefined where no web page is served. */
  readonly page: PageFiles | undefined;
}

type Handle = (call: AdmittedExchange) => Promise<void> | void;

/** What a server calls for each request that was admitted. `caller` is undefined on the paths that need no token. */
export type HttpHandler = (exchange: HttpExchange, caller: Caller | undefined, signal: AbortSignal) => void;

/** One-time answer links, of notices. */
const ANSWER_PATH = "/v1/answers/{token}";
const nobody: Caller = { scope: "read", session: null };

export function createHttpHandler(options: HttpOptions): HttpHandler {
  const router = createRouter(options);
  const notFoundHere: Handle = async (call) => {
    const isAnswered = (await options.page?.answer(call)) ?? false;
    if (!isAnswered) throw notFound(call.incoming);
  };
  const answer = async (call: AdmittedExchange): Promise<void> => {
    const { method = "", url = "" } = call.incoming;
    const [[found] = []] = router.match(method === "HEAD" ? "GET" : method, pathOf(url));
    try {
      // Not at once: a refusal closes the connection while the request is not complete.
      await Promise.try(found?.[0] ?? notFoundHere, call);
    } catch (error) {
      fail(call, error, options.onFailure);
    }
  };
  return (exchange, caller, signal) => void answer({ ...exchange, caller: caller ?? nobody, signal });
}

function createRouter(options: HttpOptions): TrieRouter<Handle> {
  const router = new TrieRouter<Handle>();
  const allowed = new Map<string, string[]>();
  const mount: Mount = (method, path, handle) => {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
    allowed.set(pattern, [...(allowed.get(pattern) ?? []), method]);
    router.add(method, pattern, handle);
  };
  mountOperations(mount, options);
  mount("GET", "/metrics", (call) => sendMetrics(call, options));
  mountPages(mount, options);
  const answers: Handle = async (call) => {
    // Loaded when it is used: most daemons send no notices.
    const { answerLink } = await import("./answer-page.ts");
    await answerLink(call, options);
  };
  for (const method of ["GET", "POST"]) mount(method, ANSWER_PATH, answers);
  mount("POST", "/mcp", async (call) => {
    // Loaded when it is used: the SDK costs a daemon that nobody asks for MCP time and memory.
    const { answerMcp } = await import("./mcp/http-endpoint.ts");
    await answerMcp(call, options);
  });
  // Behind all of them, because the first one that was added and fits is the one.
  for (const [pattern, names] of allowed) {
    const headers = { allow: names.includes("GET") ? ["HEAD", ...names].join(", ") : names.join(", ") };
    router.add("ALL", pattern, () => {
      throw new RequestProblem("METHOD_NOT_ALLOWED", "Cannot use this method here", { headers });
    });
  }
  router.add("ALL", "/v1/machines/:machine/*", async (call) => {
    // Loaded when it is used: most daemons have no other machine.
    const { proxyRequest } = await import("./machines/proxy-request.ts");
    await proxyRequest(call, options);
  });
  return router;
}

type Mount = (method: string, path: string, handle: Handle) => void;

function mountOperations(mount: Mount, options: HttpOptions): void {
  for (const name of operationNames) {
    const { method, path } = splitEndpoint(operations[name].endpoint);
    mount(method, path, (call) => serveOperation({ name, path, call }, options));
  }
}

function mountPages(mount: Mount, { service, codes, browserUrls, cookieName, limits }: HttpOptions): void {
  mount("GET", "/healthz", (call) => sendJson(call, 200, { status: "ok" }));
  mount("GET", "/readyz", async (call) => {
    await service.handlers["daemon.info"]({}, { caller: nobody, signal: call.signal });
    sendJson(call, 200, { status: "ready" });
  });
  mount("GET", "/openapi.json", (call) => sendJson(call, 200, openApiDocument()));
  mount("GET", "/docs", (call) => {
    const { html, contentSecurityPolicy } = docsPage(cookieName === undefined ? undefined : call.incoming.headers.host);
    sendPage(call, html, contentSecurityPolicy);
  });
  const login: Login = { service, codes, cookieName, now: Date.now };
  mount("POST", "/login-codes", async (call) => {
    const body = parseBody(await readBody(call.incoming, { bytesMax: 4096, deadlineMs: limits.bodyMs }));
    const { code, expiresInMs } = createCode(login, body, call.caller);
    // Behind "#": a browser sends that part to nobody.
    sendJson(call, 200, { code, expiresInMs, urls: browserUrls().map((url) => `${url}/login#${code}`) });
  });
  mount("GET", "/login", (call) => {
    const { html, contentSecurityPolicy } = loginPage();
    sendPage(call, html, contentSecurityPolicy);
  });
  mount("POST", "/login", async (call) => {
    const body = parseBody(await readBody(call.incoming, { bytesMax: 4096, deadlineMs: limits.bodyMs }));
    const cookies = call.incoming.headers.cookie ?? "";
    const { cookie, path } = await redeemCode(login, {
      body,
      cookies,
      device: deviceOf(call.incoming),
      isSecure: isOverTls(call.incoming),
      signal: call.signal,
    });
    if (cookie !== undefined) call.outgoing.setHeader("set-cookie", cookie);
    sendJson(call, 200, { status: "ok", path });
  });
}

/** "Safari on iPhone at 192.168.1.20"; the address is that of the proxy where there is one. */
function deviceOf({ headers, socket: { remoteAddress } }: IncomingMessage): string {
  const address = remoteAddress?.replace(/^::ffff:/, "");
  const place = address === undefined || /^(?:127\.|::1$)/.test(address) ? "here" : `at ${address}`;
  return `${browserName(headers["user-agent"] ?? "")} ${place}`;
}

/** Here, or at a proxy in front: the guard has checked the origin. */
const isOverTls = ({ headers, socket }: IncomingMessage): boolean =>
  socket instanceof TLSSocket || headers.origin?.startsWith("https://") === true;

async function sendMetrics({ caller, incoming, outgoing }: AdmittedExchange, { service }: HttpOptions): Promise<void> {
  authorizeMetrics(caller, service);
  const format = metricsFormat(incoming.headers.accept);
  const body = Buffer.from(await service.metrics.render(format));
  const headers = { ...securityHeaders, "content-type": metricsContentTypes[format], "content-length": body.length };
  outgoing.writeHead(200, headers).end(incoming.method === "HEAD" ? undefined : body);
}

interface OperationCall {
  readonly name: OperationName;
  /** Of the endpoint that was called. */
  readonly path: string;
  readonly call: AdmittedExchange;
}

/** Answers as the row of the operation says: with JSON, bytes or server-sent events. */
async function serveOperation(served: OperationCall, options: HttpOptions): Promise<void> {
  const { name, call } = served;
  const { caller, incoming, signal } = call;
  const { stream }: Operation = operations[name];
  if (stream?.item === "frames") throw upgradeRequired();
  if (stream !== undefined && incoming.method === "HEAD")
    throw new RequestProblem("METHOD_NOT_ALLOWED", "Cannot use HEAD on a stream", { headers: { allow: "GET" } });
  const { input, ...context } = await readCall(served, options);
  // The table pairs each name with its handler, its input and its answer; the compiler cannot follow that through a variable.
  const handler = options.service.handlers[name] as (input: unknown, context: CallContext) => Promise<unknown>;
  const answer = await handler(input, { caller, signal, ...context });
  if (stream === undefined) await sendDocument(call, answer, options.limits);
  else if (stream.item === "bytes") await sendBytes(call, answer as ByteBody, options.limits);
  else await sendStream(call, answer as ItemStream<unknown>, options.limits);
}

/** The checked input, once the caller is known to be allowed to call the operation. An upload is read by the handler. */
async function readCall(
  { name, path, call }: OperationCall,
  { service, limits }: HttpOptions,
): Promise<{ readonly input: object; readonly body?: AsyncIterable<Uint8Array> }> {
  const { incoming, caller } = call;
  const { input: schema, upload, stream }: Operation = operations[name];
  const url = incoming.url ?? "/";
  const wantsJson = upload === undefined && hasBody(splitEndpoint(operations[name].endpoint).method);
  const { bodyBytesMax: bytesMax, bodyMs: deadlineMs } = limits;
  const json = wantsJson ? { body: parseBody(await readBody(incoming, { bytesMax, deadlineMs })) } : {};
  const given = parseInput(schema, { template: path, url, ...json });
  const resumed =
    stream?.resume === "offset" ? resumeFrom(incoming.headers["last-event-id"], given["from"]) : undefined;
  const input = authorize(
    { caller, name, input: resumed === undefined ? given : { ...given, from: resumed } },
    service,
  );
  if (upload === undefined) return { input };
  return { input, body: streamBody(incoming, { bytesMax: limits.importBytesMax, idleMs: limits.importIdleMs }) };
}

/** Other requests are served between the pieces of a long text. */
async function sendDocument(call: AdmittedExchange, document: unknown, { stallMs }: ServerLimits): Promise<void> {
  if (!isLong(document)) return sendJson(call, 200, document);
  const { outgoing, signal } = call;
  outgoing.writeHead(200, { ...securityHeaders, "content-type": "application/json" });
  const outlet = new Outlet(outgoing, stallMs);
  for (const piece of jsonPieces(document)) {
    if (signal.aborted || !(await outlet.write(piece))) return void outgoing.destroy();
    await nextTurn();
  }
  outgoing.end();
}

async function sendStream(call: AdmittedExchange, stream: ItemStream<unknown>, limits: ServerLimits): Promise<void> {
  using held = stream;
  if (held.isOver && call.incoming.headers["last-event-id"] !== undefined) {
    // The only answer after which an EventSource does not reconnect.
    call.outgoing.writeHead(204, securityHeaders).end();
    return;
  }
  await sendItems(call.outgoing, held, { limits, signal: call.signal });
}

async function sendBytes({ outgoing, signal }: AdmittedExchange, body: ByteBody, limits: ServerLimits): Promise<void> {
  const { contentType, headers, trailer } = body;
  outgoing.writeHead(200, {
    ...headers,
    ...securityHeaders,
    "content-type": contentType,
    ...(trailer && { trailer: trailer.name }),
  });
  outgoing.flushHeaders();
  const outlet = new Outlet(outgoing, limits.stallMs);
  for await (const chunk of body.chunks) {
    if (signal.aborted || !(await outlet.write(chunk))) break;
  }
  // A body that was cut must not look like one that came to its end.
  if (signal.aborted) return void outgoing.destroy();
  const value = trailer?.value();
  if (trailer !== undefined && value !== undefined) outgoing.addTrailers({ [trailer.name]: value });
  outgoing.end();
}

const upgradeRequired = (): RequestProblem =>
  new RequestProblem("MALFORMED", "Cannot attach with a plain request: open a WebSocket here", {
    status: 426,
    headers: { upgrade: "websocket", connection: "upgrade" },
  });

function fail(exchange: HttpExchange, error: unknown, onFailure: HttpOptions["onFailure"]): void {
  const problem = toLecternError(error);
  onFailure(problem, exchange);
  sendProblem(exchange, problem);
}

const notFound = (incoming: IncomingMessage): LecternError =>
  new LecternError(
    "NOT_FOUND",
    `Cannot find anything for ${incoming.method ?? "this method"} at this path: see "/docs"`,
  );

/** Aborts when the client goes away before it has the whole answer, or with `stop`; the reason is the error that a wait then answers with. */
export function signalOf(outgoing: ServerResponse, stop: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const abort = (): void => gone.abort(stop.reason);
  stop.addEventListener("abort", abort, { once: true });
  outgoing.once("close", () => {
    stop.removeEventListener("abort", abort);
    if (!outgoing.writableFinished) gone.abort(new LecternError("CANCELLED", "The client went away"));
  });
  if (stop.aborted) abort();
  return gone.signal;
}

/** Writes items until the stream ends, the reader is gone, or `signal` is aborted. */
async function sendItems(
  outgoing: ServerResponse,
  { batches }: ItemStream<unknown>,
  { limits, signal }: { readonly limits: Pick<ServerLimits, "heartbeatMs" | "stallMs">; readonly signal: AbortSignal },
): Promise<void> {
  outgoing.writeHead(200, { ...securityHeaders, "content-type": "text/event-stream" });
  const outlet = new Outlet(outgoing, limits.stallMs);
  const heartbeat = setInterval(() => void outlet.write(": alive\n\n"), limits.heartbeatMs);
  try {
    if (!(await outlet.write(`retry: ${waits.retryMs}\n\n`))) return;
    for await (const batch of batches) {
      if (signal.aborted || !(await outlet.write(encodeBatch(batch)))) break;
    }
  } finally {
    clearInterval(heartbeat);
    outgoing.end();
  }
}

/** Where to start: what an `EventSource` saw last counts more than the address it was made with. */
const resumeFrom = (lastEventId: unknown, from: unknown): unknown =>
  typeof lastEventId === "string" && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : from;

/** The items that the reader asked for; then, if others came after them, an `id:` alone, so that a reader resumes behind those too. */
function encodeBatch(batch: readonly StreamedItem<unknown>[]): string {
  const resumeAt = batch.at(-1)?.item === undefined ? batch.at(-1)?.resumeAt : undefined;
  const events = batch.filter(({ item }) => item !== undefined).map(encodeItem);
  return events.join("") + (resumeAt === undefined ? "" : `id: ${resumeAt}\n\n`);
}

/** JSON has no line breaks, so one `data:` line is enough. */
function encodeItem({ event, item, resumeAt }: StreamedItem<unknown>): string {
  const id = resumeAt === undefined ? "" : `id: ${resumeAt}\n`;
  return `${id}event: ${event}\ndata: ${JSON.stringify(item)}\n\n`;
}

// What a browser calls itself, in the words of a person who looks for the device that was lost.

/** In this order: Edge and Chrome also name the ones below them. */
const browsers = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
] as const;

/** A phone with Android names Linux, and one with iOS names Mac OS. */
const systems = [
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["Mac", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** "Firefox on Linux"; "browser" for what is not known. `userAgent`: the header of RFC 9110, section 10.1.5. */
export function browserName(userAgent: string): string {
  const browser = browsers.find(([, mark]) => mark.test(userAgent))?.[0] ?? "browser";
  const system = systems.find(([, mark]) => mark.test(userAgent))?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}

// The JSON of an answer in pieces: as one text, the 16 MiB of a page of logs held the event loop for a tenth of a second.

/** So many characters of a text take some 2 ms. */
const PIECE_CHARS = 262_144;

/** Whether a document has a text that is worth pieces. */
export const isLong = (document: unknown): document is object =>
  typeof document === "object" && document !== null && Object.values(document).some((value) => isLongText(value));

const isLongText = (value: unknown): value is string => typeof value === "string" && value.length > PIECE_CHARS;

/** Together the same as `JSON.stringify`, of a document that has no `toJSON`. */
export function* jsonPieces(document: object): Generator<string> {
  let lead = "{";
  for (const [key, value] of Object.entries(document) as [string, unknown][]) {
    if (value === undefined) continue;
    yield `${lead}${JSON.stringify(key)}:`;
    lead = ",";
    if (isLongText(value)) yield* textPieces(value);
    else yield JSON.stringify(value);
  }
  yield lead === "{" ? "{}" : "}";
}

function* textPieces(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE_CHARS, text.length);
    // A character of two units is not cut: each half would be written as an escape.
    if ((text.codePointAt(to - 1) ?? 0) > 0xff_ff) to += 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}
