/** Puts a daemon's service behind a unix socket and loopback ports. Each listener has its own limits of connections. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import type { CallerOrigin, DaemonService } from "../daemon/service.ts";
import { BoundSocket } from "../host/bound-socket.ts";
import { prepareSocketPath } from "../host/socket-path.ts";
import { admit, type AccessDecision } from "./access.ts";
import { ListenerPlaces } from "./listener-places.ts";
import { tcpRules, unixRules, type GuardRules } from "./guard.ts";
import { createHttpHandler, signalOf } from "./http.ts";
import { toLecternError } from "../protocol/errors.ts";
import { defaultLimits, unixLimits, type ServerLimits } from "./limits.ts";
import type { Logger } from "./log.ts";
import { LoginCodes } from "./login-codes.ts";
import { PageFiles } from "./page-files.ts";
import { sourcesOf } from "./peer-users.ts";
import { RequestProblem, sendProblem, sendRawProblem, statusOf, type HttpExchange } from "./reply.ts";
import { ValidCallers } from "./valid-callers.ts";
import { SocketServer } from "./websocket.ts";

export type ListenerOptions =
  | { readonly kind: "unix"; readonly path: string }
  /** Port 0 takes a free one. */
  | { readonly kind: "tcp"; readonly host: string; readonly port: number };

export interface ServerOptions {
  readonly service: DaemonService;
  readonly listeners: readonly ListenerOptions[];
  readonly logger: Logger;
  readonly limits?: Partial<ServerLimits>;
  /** Where the built files of the web page are; browsers get it from the TCP listeners. */
  readonly pageDirectory?: string | undefined;
}

/** A listener as it is: with its true port, and the address that a client needs. */
export type RunningListener =
  | { readonly kind: "unix"; readonly path: string; readonly url: string }
  | { readonly kind: "tcp"; readonly host: string; readonly port: number; readonly url: string };

export interface RunningServer extends AsyncDisposable {
  readonly listeners: readonly RunningListener[];
  /** Takes no more connections, ends streams and WebSockets (close 1001), and resolves when all is closed. */
  close(): Promise<void>;
}

interface Shared {
  readonly service: DaemonService;
  readonly logger: Logger;
  readonly limits: ServerLimits;
  readonly codes: LoginCodes;
  readonly page: PageFiles | undefined;
  readonly sockets: SocketServer;
  readonly stop: AbortController;
  readonly running: Bound[];
}

interface Bound {
  readonly listener: RunningListener;
  /** Those that may have connections: a unix socket that was bound again has the servers before it, too. */
  readonly servers: () => readonly Server[];
  /** Takes no more connections. */
  readonly close: () => void;
}

const loopback: Readonly<Record<string, "127.0.0.1" | "::1">> = {
  "127.0.0.1": "127.0.0.1",
  localhost: "127.0.0.1",
  "::1": "::1",
};

/**
 * Listens everywhere or nowhere. Throws `UNSAFE_PERMISSIONS`, `ADDRESS_IN_USE` and `BIND_REFUSED`, each with the next step.
 *
 * @example
 * ```ts
 * await using server = await startServer({ service, logger, listeners: [{ kind: "tcp", host: "127.0.0.1", port: 0 }] });
 * ```
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { service, logger } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const onFailure = (error: LecternError): void => logFailure(logger, error);
  const shared: Shared = {
    service,
    logger,
    limits,
    codes: new LoginCodes(),
    page: options.pageDirectory === undefined ? undefined : new PageFiles(options.pageDirectory),
    sockets: new SocketServer({ service, limits, onFailure }),
    stop: new AbortController(),
    running: [],
  };
  try {
    for (const listener of options.listeners) shared.running.push(await listen(listener, shared));
  } catch (error) {
    await closeAll(shared);
    throw error;
  }
  const close = (): Promise<void> => closeAll(shared);
  return { listeners: shared.running.map(({ listener }) => listener), close, [Symbol.asyncDispose]: close };
}

async function listen(options: ListenerOptions, everywhere: Shared): Promise<Bound> {
  const limits = options.kind === "unix" ? { ...everywhere.limits, ...unixLimits } : everywhere.limits;
  const shared = { ...everywhere, limits };
  if (options.kind === "unix") return listenOnPath(options.path, shared);
  const host = loopback[options.host];
  if (host === undefined) throw bindRefused(options.host);
  const server = makeServer(limits);
  await bind(server, host, options.port);
  const { port } = server.address() as AddressInfo;
  serve(server, tcpRules(port, host), shared);
  const url = `http://${host === "::1" ? "[::1]" : host}:${port}`;
  return {
    listener: { kind: "tcp", host, port, url },
    servers: () => [server],
    close: () => server.close(),
  };
}

async function listenOnPath(path: string, shared: Shared): Promise<Bound> {
  const servers = new Set<Server>();
  const bound = await BoundSocket.bind({
    path,
    makeServer: () => {
      const server = makeServer(shared.limits);
      server.maxConnections = shared.limits.unixConnectionsMax;
      serve(server, unixRules, shared);
      servers.add(server);
      server.on("close", () => servers.delete(server));
      return server;
    },
    prepare: prepareSocketPath,
    onProblem: (error) => logFailure(shared.logger, toLecternError(error)),
  }).catch((error: unknown) => {
    throw error instanceof LecternError ? error : bindFailed(error as NodeJS.ErrnoException, path);
  });
  return {
    listener: { kind: "unix", path, url: "http://lectern" },
    servers: () => [...servers],
    close: () => bound.close(),
  };
}

function makeServer(limits: ServerLimits): Server {
  return createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(10, Math.round(limits.headersMs / 10)),
    // Bodies have their own deadlines; answers of a long wait or a stream have none.
    requestTimeout: 0,
    // The guard looks at Host itself, and answers with a problem document.
    requireHostHeader: false,
    shouldUpgradeCallback: (incoming) => incoming.headers.upgrade?.toLowerCase() === "websocket",
  });
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(bindFailed(error, `${host}:${port}`)));
    server.listen({ host, port }, () => resolve());
  });
}

function serve(server: Server, rules: GuardRules, shared: Shared): void {
  const { service, limits, logger, codes, stop, sockets } = shared;
  const { cookieName } = rules;
  const page = cookieName === undefined ? undefined : shared.page;
  const browserUrls = (): string[] =>
    shared.running.flatMap(({ listener }) => (listener.kind === "tcp" ? [listener.url] : []));
  const onFailure = (error: LecternError): void => logFailure(logger, error);
  const handle = createHttpHandler({ service, limits, codes, browserUrls, cookieName, onFailure, page });
  const busy = new WeakSet<Duplex>();
  const callers = new ValidCallers();
  const places = rules.kind === "tcp" ? placesOf(limits, logger) : undefined;
  const origins = new WeakMap<Duplex, CallerOrigin>();
  server.on("connection", (socket) => {
    if (places === undefined) origins.set(socket, service.originOf(socket));
    else places.add(socket);
  });
  const originOf = ({ socket }: IncomingMessage): CallerOrigin | undefined =>
    rules.kind === "unix" ? (origins.get(socket) ?? service.originOf(socket)) : undefined;
  const decide = (incoming: IncomingMessage, upgrade: boolean): AccessDecision => {
    const { authenticate } = service;
    const decision = admit(factsOf(incoming, upgrade), rules, { authenticate, origin: originOf(incoming) });
    if (decision.allowed && decision.isAuthenticated) places?.authenticate(incoming.socket);
    return decision;
  };
  server.on("request", (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    busy.add(incoming.socket);
    outgoing.once("close", () => busy.delete(incoming.socket));
    logRequest(logger, exchange);
    const decision = decide(incoming, false);
    if (decision.allowed) {
      const isValid = (): boolean => decide(incoming, false).allowed;
      if (rules.kind === "tcp") outgoing.once("close", callers.hold({ isValid, end: () => outgoing.destroy() }));
      handle(exchange, decision.caller, signalOf(outgoing, stop.signal));
    } else sendProblem(exchange, refuse(decision, incoming, shared));
  });
  server.on("upgrade", (incoming, socket, head) => {
    socket.on("error", () => socket.destroy());
    const decision = decide(incoming, true);
    if (!decision.allowed) sendRawProblem(socket, refuse(decision, incoming, shared));
    else if (decision.caller === undefined) socket.destroy();
    else {
      const isValid = (): boolean => decide(incoming, true).allowed;
      if (rules.kind === "tcp") socket.once("close", callers.hold({ isValid, end: () => socket.destroy() }));
      void sockets.accept({ incoming, socket, head, caller: decision.caller });
    }
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    // In the middle of an answer there is no place for another one.
    if (busy.has(socket) || error.code === "ECONNRESET") socket.destroy();
    else sendRawProblem(socket, clientProblem(error.code));
  });
  server.on("drop", () => logger.info({ reason: "connections" }, "connection dropped"));
}

const placesOf = (limits: ServerLimits, logger: Logger): ListenerPlaces =>
  new ListenerPlaces({
    limits,
    sourcesOf,
    onClosed: (count) => logger.info({ reason: "strangers", count }, "connections without a token closed"),
  });

const factsOf = (incoming: IncomingMessage, upgrade: boolean): Parameters<typeof admit>[0] => ({
  method: incoming.method ?? "",
  url: incoming.url ?? "",
  httpVersion: incoming.httpVersion,
  rawHeaders: incoming.rawHeaders,
  upgrade,
});

/** What the parser of Node refused before there was a request. */
function clientProblem(code: string | undefined): LecternError {
  if (code === "HPE_HEADER_OVERFLOW") {
    return new RequestProblem("TOO_LARGE", "Cannot accept headers this large", { status: 431 });
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new RequestProblem("LIMIT_EXCEEDED", "Timed out waiting for the head of the request", { status: 408 });
  }
  return new LecternError("MALFORMED", "Cannot read the request: it is not HTTP/1.1");
}

function refuse(
  { code, reason, message }: Exclude<AccessDecision, { allowed: true }>,
  incoming: IncomingMessage,
  { logger, service }: Pick<Shared, "logger" | "service">,
): LecternError {
  service.metrics.rejected(reason);
  logger.info({ reason, method: incoming.method, path: pathForLog(incoming) }, "request rejected");
  return new LecternError(code, message);
}

/** Without the query, where tokens end up by mistake, and of bounded length. */
const pathForLog = (incoming: IncomingMessage): string => (incoming.url ?? "").split("?", 1)[0]?.slice(0, 200) ?? "";

function logRequest(logger: Logger, { incoming, outgoing }: HttpExchange): void {
  if (!logger.isLevelEnabled("debug")) return;
  const start = performance.now();
  outgoing.once("close", () => {
    const ms = Math.round(performance.now() - start);
    const { statusCode: status } = outgoing;
    logger.debug({ method: incoming.method, path: pathForLog(incoming), status, ms }, "request");
  });
}

/** Mistakes of callers are no news, and neither is a machine that is away: its row says so. Failures of ours are. */
function logFailure(logger: Logger, error: LecternError): void {
  const status = statusOf(error);
  const cause = error.cause instanceof Error ? error.cause.stack : undefined;
  if (status >= 500 && error.code !== "MACHINE_AWAY")
    logger.error({ errorCode: error.code, message: error.message, cause }, "request failed");
  else logger.debug({ errorCode: error.code, status }, "request refused");
}

async function closeAll({ running, sockets, stop }: Shared): Promise<void> {
  stop.abort(new LecternError("DRAINING", "The daemon is shutting down; programs keep running: try again"));
  sockets.close();
  const timer = setTimeout(() => sockets.terminate(), waits.answerMs);
  await Promise.all(running.map((bound) => closeOne(bound)));
  clearTimeout(timer);
}

async function closeOne({ servers, close }: Bound): Promise<void> {
  const closing = servers();
  const timer = setTimeout(() => {
    for (const server of closing) server.closeAllConnections();
  }, waits.answerMs);
  const closed = Promise.all(closing.map((server) => once(server, "close")));
  close();
  for (const server of closing) server.closeIdleConnections();
  await closed;
  clearTimeout(timer);
}

const bindRefused = (host: string): LecternError =>
  new LecternError(
    "BIND_REFUSED",
    `Cannot listen on "${host}": only loopback is served (127.0.0.1, ::1, localhost), because a wider bind needs TLS, which is not built yet; use an SSH tunnel`,
    { details: { host } },
  );

function bindFailed(error: NodeJS.ErrnoException, place: string): LecternError {
  const details = { address: place };
  if (error.code === "EADDRINUSE") {
    return new LecternError(
      "ADDRESS_IN_USE",
      `Cannot listen on ${place}: it is in use; choose another port with --port`,
      {
        details,
        cause: error,
      },
    );
  }
  return new LecternError("BIND_REFUSED", `Cannot listen on ${place}: ${error.message}`, { details, cause: error });
}
