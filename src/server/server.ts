/** Puts a daemon's service behind a unix socket and ports. Each listener has its own limits of connections. */
import { once } from "node:events";
import type { IncomingMessage, Server } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { Socket, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { createServer } from "../daemon/node-http.ts";
import type { CallerOrigin, DaemonService } from "../daemon/service.ts";
import { BoundSocket } from "../host/bound-socket.ts";
import { prepareSocketPath } from "../host/socket-path.ts";
import { admit, type AccessDecision } from "./access.ts";
import { ListenerPlaces } from "./listener-places.ts";
import { loadCertificate, type LoadedCertificate } from "./certificate.ts";
import { pathOf, unixRules, type GuardRules } from "./guard.ts";
import { createHttpHandler, signalOf } from "./http.ts";
import { toLecternError } from "../protocol/errors.ts";
import { defaultLimits, unixLimits, type ServerLimits } from "./limits.ts";
import type { Logger } from "./log.ts";
import { LoginCodes } from "./login-codes.ts";
import { PageFiles } from "./page-files.ts";
import { sourcesOf } from "../daemon/callers/peer-users.ts";
import { RequestProblem, sendProblem, sendRawProblem, statusOf, type HttpExchange } from "./reply.ts";
import { addressToBind, bindFailed, tcpPlace, type TcpOptions } from "./tcp-place.ts";
import { SocketServer } from "./websocket.ts";

export type ListenerOptions = { readonly kind: "unix"; readonly path: string } | TcpOptions;

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
  | {
      readonly kind: "tcp";
      readonly host: string;
      readonly port: number;
      readonly url: string;
      /** All places where browsers reach it; `url` is the first. */
      readonly urls: readonly string[];
      /** SHA-256 of its certificate; undefined without TLS. */
      readonly fingerprint: string | undefined;
    };

export interface RunningServer extends AsyncDisposable {
  readonly listeners: readonly RunningListener[];
  /** Loads the files of certificates again. Throws `INVALID_INPUT` for those that cannot be used: then the old ones stay. */
  reloadCertificates(): readonly string[];
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
  /** Of a TLS listener: reads its files again, and says what they are. */
  readonly reload?: (() => string) | undefined;
}

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
  const reloadCertificates = (): string[] => shared.running.flatMap(({ reload }) => reload?.() ?? []);
  return {
    listeners: shared.running.map(({ listener }) => listener),
    reloadCertificates,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listen(options: ListenerOptions, everywhere: Shared): Promise<Bound> {
  const limits = options.kind === "unix" ? { ...everywhere.limits, ...unixLimits } : everywhere.limits;
  const shared = { ...everywhere, limits };
  if (options.kind === "unix") return listenOnPath(options.path, shared);
  const host = addressToBind(options);
  const { certificate } = options;
  const server = makeServer(limits, certificate);
  await bind(server, host, options.port);
  const { port } = server.address() as AddressInfo;
  const { rulesFor, urls } = tcpPlace(options, { host, port });
  serve(server, rulesFor, shared);
  const [url = ""] = urls;
  return {
    listener: { kind: "tcp", host, port, url, urls, fingerprint: certificate?.fingerprint },
    servers: () => [server],
    close: () => server.close(),
    reload: certificate === undefined ? undefined : reloader(server as SecureServer, certificate),
  };
}

/** Serves new connections with the files as they are now. Throws `INVALID_INPUT`: then the old ones stay. */
function reloader(server: SecureServer, first: LoadedCertificate): () => string {
  let current = first;
  return () => {
    const next = loadCertificate(current);
    const isSame = next.fingerprint === current.fingerprint;
    current = next;
    if (!isSame) server.setSecureContext({ cert: next.certificate, key: next.key });
    const what = isSame ? "is the same" : "is new";
    return `The certificate "${next.certificateFile}" ${what}: good until ${next.validTo.toISOString()}, SHA-256 ${next.fingerprint}`;
  };
}

async function listenOnPath(path: string, shared: Shared): Promise<Bound> {
  const servers = new Set<Server>();
  const bound = await BoundSocket.bind({
    path,
    makeServer: () => {
      const server = makeServer(shared.limits);
      server.maxConnections = shared.limits.unixConnectionsMax;
      serve(server, () => unixRules, shared);
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

function makeServer(limits: ServerLimits, certificate?: LoadedCertificate): Server {
  const options = {
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.max(10, Math.round(limits.headersMs / 10)),
    // Bodies have their own deadlines; answers of a long wait or a stream have none.
    requestTimeout: 0,
    // The guard looks at Host itself, and answers with a problem document.
    requireHostHeader: false,
    shouldUpgradeCallback: (incoming: IncomingMessage) => incoming.headers.upgrade?.toLowerCase() === "websocket",
  };
  if (certificate === undefined) return createServer(options);
  const secure = { cert: certificate.certificate, key: certificate.key, handshakeTimeout: limits.headersMs };
  return createSecureServer({ ...options, ...secure, minVersion: "TLSv1.2" });
}

const bind = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(bindFailed(error, `${host}:${port}`)));
    server.listen({ host, port }, () => resolve());
  });

function serve(server: Server, rulesFor: (localAddress?: string) => GuardRules, shared: Shared): void {
  const { service, limits, logger, codes, stop, sockets } = shared;
  const { cookieName, kind } = rulesFor();
  const page = cookieName === undefined ? undefined : shared.page;
  const browserUrls = (): string[] =>
    shared.running.flatMap(({ listener }) => (listener.kind === "tcp" ? listener.urls : []));
  const onFailure = (error: LecternError): void => logFailure(logger, error);
  const handle = createHttpHandler({ service, limits, codes, browserUrls, cookieName, onFailure, page });
  const busy = new WeakSet<Duplex>();
  const callers = new ValidCallers();
  const places = kind === "tcp" ? placesOf(limits, logger) : undefined;
  const origins = new WeakMap<Duplex, CallerOrigin>();
  // With TLS, a request comes on another object than its connection.
  const byPeer = new Map<string, Socket>();
  server.on("connection", (socket) => {
    if (places === undefined) origins.set(socket, service.originOf(socket));
    else {
      const peer = peerOf(socket);
      byPeer.set(peer, socket);
      socket.once("close", () => byPeer.delete(peer));
      places.add(socket);
    }
  });
  const originOf = ({ socket }: IncomingMessage): CallerOrigin | undefined =>
    kind === "unix" ? (origins.get(socket) ?? service.originOf(socket)) : undefined;
  const decide = (incoming: IncomingMessage, upgrade: boolean): AccessDecision => {
    const { authenticate } = service;
    const rules = rulesFor(incoming.socket.localAddress);
    const decision = admit(factsOf(incoming, upgrade), rules, { authenticate, origin: originOf(incoming) });
    if (decision.allowed && decision.isAuthenticated)
      places?.authenticate(byPeer.get(peerOf(incoming.socket)) ?? incoming.socket);
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
      if (kind === "tcp") outgoing.once("close", callers.hold({ isValid, end: () => outgoing.destroy() }));
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
      if (kind === "tcp") socket.once("close", callers.hold({ isValid, end: () => socket.destroy() }));
      void sockets.accept({ incoming, socket, head, caller: decision.caller });
    }
  });
  refuseMalformed(server, busy);
  server.on("drop", () => logger.info({ reason: "connections" }, "connection dropped"));
}

/** `busy`: connections in the middle of an answer, where there is no place for another one. */
function refuseMalformed(server: Server, busy: WeakSet<Duplex>): void {
  const heads = new WeakMap<Duplex, number>();
  const note = ({ socket }: IncomingMessage): unknown => heads.set(socket, (heads.get(socket) ?? 0) + 1);
  server.on("request", note).on("upgrade", note);
  server.on("clientError", ({ code }: NodeJS.ErrnoException, socket) => {
    const refuseNow = (): void => {
      const isHandshake = socket instanceof TLSSocket && code?.startsWith("HPE_") !== true;
      // Browsers open connections before they have a request, and take an early 408 for the answer to it.
      const isUnused = socket instanceof Socket && socket.bytesRead === 0;
      if (busy.has(socket) || code === "ECONNRESET" || isHandshake || isUnused) socket.destroy();
      else sendRawProblem(socket, clientProblem(code));
    };
    if (code !== "ERR_HTTP_REQUEST_TIMEOUT") return refuseNow();
    // A head that came while this process stood still is read before it is too late for it.
    const before = heads.get(socket);
    setImmediate(() => heads.get(socket) === before && refuseNow());
  });
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

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
  if (code === "HPE_HEADER_OVERFLOW")
    return new RequestProblem("TOO_LARGE", "Cannot accept headers this large", { status: 431 });
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return new RequestProblem("LIMIT_EXCEEDED", "Timed out waiting for the head of the request", { status: 408 });
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
const pathForLog = (incoming: IncomingMessage): string => pathOf(incoming.url ?? "").slice(0, 200);

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

// Ends connections whose token was revoked or has expired: a token is checked when a connection begins, and some of them last for days.

interface Held {
  readonly isValid: () => boolean;
  readonly end: () => void;
}

class ValidCallers {
  readonly #held = new Set<Held>();
  #timer: NodeJS.Timeout | undefined;

  /** Checks again and again until the returned function is called. */
  hold(held: Held): () => void {
    this.#held.add(held);
    this.#timer ??= setInterval(() => this.#check(), waits.activityMs).unref();
    return () => {
      this.#held.delete(held);
      if (this.#held.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  #check(): void {
    for (const held of this.#held) if (!held.isValid()) held.end();
  }
}
