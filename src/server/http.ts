/** The operation table over HTTP, plus health, docs and login. The guard has let the request in before it comes here. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { LecternError } from "../core/errors.ts";
import { toLecternError } from "../protocol/errors.ts";
import { operations, type Operation } from "../protocol/operations.ts";
import { routes, type OperationName, type Route } from "../protocol/routes.ts";
import type { ByteBody, CallContext, Caller, DaemonService } from "../daemon/service.ts";
import { authorize } from "./access.ts";
import { readBody, streamBody } from "./body.ts";
import { docsPage } from "./docs-page.ts";
import { parseInput } from "./input.ts";
import type { ServerLimits } from "./limits.ts";
import { createCode, loginPage, redeemCode, type Login } from "./login.ts";
import type { LoginCodes } from "./login-codes.ts";
import { openApiDocument } from "./openapi.ts";
import { Outlet } from "./outlet.ts";
import type { PageFiles } from "./page-files.ts";
import { parseBody } from "./parse-body.ts";
import { RequestProblem, securityHeaders, sendJson, sendPage, sendProblem, type Exchange } from "./reply.ts";
import { resumeFrom, streamEvents, streamUpdates } from "./sse.ts";

export interface HttpOptions {
  readonly service: DaemonService;
  readonly limits: ServerLimits;
  readonly codes: LoginCodes;
  /** Where browsers reach this server, such as `http://127.0.0.1:7777`; called when a login code is made. */
  readonly browserUrls: () => readonly string[];
  /** The cookie of this listener; undefined where no browser comes. */
  readonly cookieName: string | undefined;
  readonly onFailure: (error: LecternError, exchange: Exchange) => void;
  /** Undefined where no web page is served. */
  readonly page: PageFiles | undefined;
}

/** One request: who calls, and a signal that fires when the client goes away or the server stops. */
interface Call extends Exchange {
  readonly caller: Caller;
  readonly signal: AbortSignal;
}

type Handle = (call: Call) => Promise<void> | void;
type Bindings = HttpBindings & { call: Call | undefined };

/** What a server calls for each request that was admitted. `caller` is undefined on the paths that need no token. */
export type HttpHandler = (exchange: Exchange, caller: Caller | undefined, signal: AbortSignal) => void;

const nobody: Caller = { scope: "read", session: null };
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function createHttpHandler(options: HttpOptions): HttpHandler {
  const app = createApp(options);
  const calls = new WeakMap<IncomingMessage, Call>();
  const listener = getRequestListener(
    // The adapter types its environment for HTTP/2 too; this server only speaks HTTP/1.
    (request, env) => app.fetch(request, { ...(env as HttpBindings), call: calls.get((env as HttpBindings).incoming) }),
    { overrideGlobalObjects: false, autoCleanupIncoming: false },
  );
  return (exchange, caller, signal) => {
    const { incoming, outgoing } = exchange;
    if (!methods.has(incoming.method ?? "")) {
      sendProblem(exchange, notFound(incoming));
      return;
    }
    calls.set(incoming, { ...exchange, caller: caller ?? nobody, signal });
    void listener(incoming, outgoing);
  };
}

function createApp(options: HttpOptions): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  const allowed = new Map<string, string[]>();
  const mount = (method: Route["method"], path: string, handle: Handle): void => {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
    allowed.set(pattern, [...(allowed.get(pattern) ?? []), method]);
    app.on(method, pattern, async ({ env }) => {
      const call = env.call ?? missingCall();
      try {
        await handle(call);
      } catch (error) {
        fail(call, error, options.onFailure);
      }
      return RESPONSE_ALREADY_SENT;
    });
  };
  mountOperations(mount, options);
  mountPages(mount, options);
  mount("POST", "/mcp", async (call) => {
    // Loaded when it is used: the SDK costs a daemon that nobody asks for MCP time and memory.
    const { answerMcp } = await import("./mcp/http-endpoint.ts");
    await answerMcp(call, options);
  });
  for (const [pattern, names] of allowed) {
    app.all(pattern, ({ env }) => {
      const headers = { allow: names.includes("GET") ? ["HEAD", ...names].join(", ") : names.join(", ") };
      sendProblem(env, new RequestProblem("METHOD_NOT_ALLOWED", "Cannot use this method here", { headers }));
      return RESPONSE_ALREADY_SENT;
    });
  }
  app.notFound(async ({ env }) => {
    const isAnswered = (await options.page?.answer(env)) ?? false;
    if (!isAnswered) sendProblem(env, notFound(env.incoming));
    return RESPONSE_ALREADY_SENT;
  });
  app.onError((error, { env }) => {
    fail(env, error, options.onFailure);
    return RESPONSE_ALREADY_SENT;
  });
  return app;
}

type Mount = (method: Route["method"], path: string, handle: Handle) => void;

function mountOperations(mount: Mount, options: HttpOptions): void {
  for (const name of Object.keys(routes) as OperationName[]) {
    const route: Route = routes[name];
    mount(route.method, route.path, handlerOf(name, options));
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
    call.outgoing.setHeader("set-cookie", await redeemCode(login, body, call.signal));
    sendJson(call, 200, { status: "ok" });
  });
}

function handlerOf(name: OperationName, options: HttpOptions): Handle {
  const { service, limits } = options;
  switch (name) {
    case "sessions.import":
      return async (call) => {
        const body = streamBody(call.incoming, { bytesMax: limits.importBytesMax, idleMs: limits.importIdleMs });
        sendJson(call, 200, await service.importRecording(inputOf(name, call, options), body, contextOf(call)));
      };
    case "sessions.output":
      return async (call) => {
        refuseHead(call);
        await sendBytes(call, await service.output(inputOf(name, call, options), contextOf(call)), limits);
      };
    case "blobs.get":
      return async (call) => {
        refuseHead(call);
        await sendBytes(call, await service.blob(inputOf(name, call, options)), limits);
      };
    case "sessions.export":
      return async (call) => {
        refuseHead(call);
        await sendBytes(call, await service.exportRecording(inputOf(name, call, options), contextOf(call)), limits);
      };
    case "sessions.events":
      return async (call) => {
        refuseHead(call);
        await sendEvents(call, options);
      };
    case "sessions.updates":
      return async (call) => {
        refuseHead(call);
        const input = inputOf(name, call, options);
        const lastEventId = call.incoming.headers["last-event-id"];
        const from = resumeFrom(typeof lastEventId === "string" ? lastEventId : undefined, input.from);
        const updates = service.updates({ ...input, from }, contextOf(call));
        await streamUpdates(call.outgoing, { updates, idOf: ({ offset }) => offset, limits, signal: call.signal });
      };
    case "daemon.updates":
      return async (call) => {
        refuseHead(call);
        const updates = service.allUpdates(inputOf(name, call, options), contextOf(call));
        await streamUpdates(call.outgoing, { updates, idOf: () => undefined, limits, signal: call.signal });
      };
    case "sessions.attach":
      return () => {
        throw new RequestProblem("MALFORMED", "Cannot attach with a plain request: open a WebSocket here", {
          status: 426,
          headers: { upgrade: "websocket", connection: "upgrade" },
        });
      };
    default:
      return async (call) => {
        const withBody = routes[name].method !== "GET" && routes[name].method !== "DELETE";
        const { bodyBytesMax: bytesMax, bodyMs: deadlineMs } = limits;
        const body = withBody ? { body: parseBody(await readBody(call.incoming, { bytesMax, deadlineMs })) } : {};
        // The table pairs each name with its handler and its input; the compiler cannot follow that through a variable.
        const handler = service.handlers[name] as (input: unknown, context: CallContext) => Promise<unknown>;
        sendJson(call, 200, await handler(inputOf(name, call, options, body), contextOf(call)));
      };
  }
}

/** The checked input of an operation, once its caller is known to be allowed to call it. */
function inputOf<Name extends OperationName>(
  name: Name,
  { incoming, caller }: Call,
  { service }: HttpOptions,
  parts: { readonly body?: unknown } = {},
): ReturnType<(typeof operations)[Name]["input"]["parse"]> {
  const route: Route = routes[name];
  const operation: Operation = operations[name];
  const input = parseInput(operation.input, { template: route.path, url: incoming.url ?? "/", ...parts });
  return authorize({ caller, name, input }, service) as ReturnType<(typeof operations)[Name]["input"]["parse"]>;
}

const contextOf = ({ caller, signal }: Call): CallContext => ({ caller, signal });

async function sendEvents(call: Call, options: HttpOptions): Promise<void> {
  const { session, from, types } = inputOf("sessions.events", call, options);
  const lastEventId = call.incoming.headers["last-event-id"];
  const resumed = resumeFrom(typeof lastEventId === "string" ? lastEventId : undefined, from);
  using cursor = await options.service.openCursor(session, resumed, contextOf(call));
  if (cursor.done && lastEventId !== undefined) {
    // The one answer after which an EventSource does not come back.
    call.outgoing.writeHead(204, securityHeaders).end();
    return;
  }
  await streamEvents(call.outgoing, { cursor, types, limits: options.limits, signal: call.signal });
}

async function sendBytes({ outgoing, signal }: Call, body: ByteBody, limits: ServerLimits): Promise<void> {
  outgoing.writeHead(200, { ...body.headers, ...securityHeaders, "content-type": body.contentType });
  outgoing.flushHeaders();
  const outlet = new Outlet(outgoing, limits.stallMs);
  for await (const chunk of body.chunks) {
    if (signal.aborted || !(await outlet.write(chunk))) break;
  }
  // A body that was cut must not look like one that came to its end.
  if (signal.aborted) outgoing.destroy();
  else outgoing.end();
}

function refuseHead({ incoming }: Call): void {
  if (incoming.method !== "HEAD") return;
  throw new RequestProblem("METHOD_NOT_ALLOWED", "Cannot use HEAD on a stream", { headers: { allow: "GET" } });
}

function fail(exchange: Exchange, error: unknown, onFailure: HttpOptions["onFailure"]): void {
  const problem = toLecternError(error);
  onFailure(problem, exchange);
  sendProblem(exchange, problem);
}

const notFound = (incoming: IncomingMessage): LecternError =>
  new LecternError(
    "NOT_FOUND",
    `Cannot find anything for ${incoming.method ?? "this method"} at this path: see "/docs"`,
  );

function missingCall(): never {
  throw new TypeError("A request came past the guard");
}

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
