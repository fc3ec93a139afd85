/**
 * The proxy of one sandboxed session, which reaches named hosts for its programs: HTTP with `CONNECT` and with absolute addresses, and
 * SOCKS 5, all on one socket. It reads nothing of a tunnel.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { connect, createServer, type Server as SocketServer, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { unitMs, waits } from "../../core/waits.ts";
import { createServer as createHttpServer, request } from "../node-http.ts";
import { proxiedHeaders } from "../gateway/headers.ts";
import { isGreeted } from "./greeting.ts";
import type { HostGate } from "./host-gate.ts";
import { endSocks, OpeningBytes, readSocksRequest, SOCKS_VERSION, socksReply } from "./socks.ts";

export interface HostProxyOptions {
  readonly gate: Pick<HostGate, "check">;
  /** The address of the session's gateway inside, and its socket: some agents ask their proxy for every address. */
  readonly gateway: { readonly port: number; readonly socket: string } | null;
  readonly onError: (error: unknown) => void;
}

type Reached =
  | { readonly type: "connected"; readonly socket: Socket }
  | { readonly type: "refused" | "failed"; readonly reason: string };

const HEADER_BYTES_MAX = 65_536;
const CONNECTIONS_MAX = 256;
/** A tunnel on which nothing moves for this long is closed. */
const IDLE_MS_MAX = unitMs.h;

export class HostProxy implements Disposable {
  readonly #options: HostProxyOptions;
  readonly #sockets = new Set<Socket>();
  readonly #http: Server;

  constructor(options: HostProxyOptions) {
    this.#options = options;
    this.#http = createHttpServer(
      { maxHeaderSize: HEADER_BYTES_MAX, headersTimeout: waits.arrivalMs, requestTimeout: 0 },
      (incoming, response) =>
        void this.#pass(incoming, response).catch((error: unknown) => this.#fail(response, error)),
    );
    this.#http.on(
      "connect",
      (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
        void this.#tunnel(incoming, socket, head).catch((error: unknown) => this.#fail(socket, error)),
    );
    this.#http.on("clientError", (_error, socket) => socket.destroy());
  }

  /** A server that does not listen yet. */
  makeServer(): SocketServer {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      this.#watch(socket);
      this.#begin(socket).catch((error: unknown) => this.#fail(socket, error));
    });
    server.maxConnections = CONNECTIONS_MAX;
    return server;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#http.closeAllConnections();
  }

  #watch(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setTimeout(IDLE_MS_MAX, () => socket.destroy());
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }

  /** What went wrong on our side; clients that go away are no news. */
  #fail(stream: { readonly destroyed: boolean; destroy: () => unknown }, error: unknown): void {
    if (!stream.destroyed) this.#options.onError(error);
    stream.destroy();
  }

  async #begin(socket: Socket): Promise<void> {
    const timer = setTimeout(() => socket.destroy(), waits.arrivalMs);
    try {
      const opening = new OpeningBytes(socket);
      const first = await opening.take(1).catch(() => undefined);
      if (first === undefined) return void socket.destroy();
      if (first[0] !== SOCKS_VERSION) {
        opening.release(first);
        this.#http.emit("connection", socket);
        return void socket.resume();
      }
      const wanted = await readSocksRequest(socket, opening).catch(() => undefined);
      clearTimeout(timer);
      opening.release();
      if (wanted === undefined) return void (socket.writableEnded || socket.destroy());
      const reached = await this.#reach(wanted.host, wanted.port);
      if (reached.type !== "connected")
        return endSocks(socket, reached.type === "refused" ? "notAllowed" : "hostUnreachable");
      socket.write(socksReply("succeeded"));
      join(socket, reached.socket);
    } finally {
      clearTimeout(timer);
    }
  }

  async #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { host, port } = hostAndPort(incoming.url ?? "");
    const reached = await this.#reach(host, port);
    if (reached.type !== "connected") {
      const [status, text] = statusOf(reached);
      const body = `${reached.reason}\n`;
      const fields = `content-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
      return void socket.end(`HTTP/1.1 ${status} ${text}\r\n${fields}\r\n\r\n${body}`);
    }
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) reached.socket.write(head);
    join(socket, reached.socket);
  }

  /** The host of the address counts, and the server gets that one: a `Host` that names another is replaced (RFC 9112, section 3.2.2). */
  async #pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(incoming.url ?? "") ? new URL(incoming.url ?? "") : undefined;
    if (url?.protocol !== "http:") return answer(response, 400, "Lectern: this is a proxy for HTTP and tunnels");
    const reached = await this.#reach(url.hostname, Number(url.port || 80));
    if (reached.type !== "connected") return answer(response, statusOf(reached)[0], reached.reason);
    const isChunked = incoming.headers["transfer-encoding"] !== undefined;
    const outgoing = request({
      createConnection: () => reached.socket,
      method: incoming.method ?? "GET",
      path: `${url.pathname}${url.search}`,
      headers: [
        "host",
        url.host,
        ...proxiedHeaders(incoming.rawHeaders),
        ...(isChunked ? ["transfer-encoding", "chunked"] : []),
      ],
      setHost: false,
    });
    outgoing.on("error", () =>
      response.headersSent ? response.destroy() : answer(response, 502, "Lectern: the host ended the connection"),
    );
    outgoing.once("response", (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.statusMessage, proxiedHeaders(answered.rawHeaders));
      answered.pipe(response);
      answered.once("error", () => response.destroy());
    });
    response.once("close", () => reached.socket.destroy());
    incoming.pipe(outgoing);
  }

  async #reach(host: string, port: number): Promise<Reached> {
    const { gate, gateway } = this.#options;
    if (port === gateway?.port && (host === "127.0.0.1" || host === "localhost")) {
      const socket = await attempt({ path: gateway.socket });
      const isHere = socket !== undefined && (await isGreeted(socket));
      return this.#reached(isHere ? socket : undefined, "The gateway does not answer");
    }
    const verdict = await gate.check(host, port);
    if (verdict.type !== "open") return verdict;
    for (const address of verdict.addresses) {
      const socket = await attempt({ host: address, port });
      if (socket !== undefined) return this.#reached(socket, "");
    }
    return this.#reached(undefined, `Lectern: "${host}" does not answer on port ${port}`);
  }

  #reached(socket: Socket | undefined, reason: string): Reached {
    if (socket === undefined) return { type: "failed", reason };
    this.#watch(socket);
    return { type: "connected", socket };
  }
}

const statusOf = ({ type }: Exclude<Reached, { readonly type: "connected" }>): readonly [number, string] =>
  type === "refused" ? [403, "Forbidden"] : [502, "Bad Gateway"];

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${text}\n`);
}

/** Of `example.com:443` and `[::1]:443`. */
function hostAndPort(authority: string): { readonly host: string; readonly port: number } {
  const colon = authority.lastIndexOf(":");
  return { host: authority.slice(0, colon), port: Number(authority.slice(colon + 1)) };
}

/** Undefined if nobody answers. */
function attempt(
  to: { readonly path: string } | { readonly host: string; readonly port: number },
): Promise<Socket | undefined> {
  const socket = connect({ ...to, allowHalfOpen: true, noDelay: true, keepAlive: true, timeout: waits.arrivalMs });
  return new Promise((resolve) => {
    const give = (found: Socket | undefined): void => {
      socket.off("timeout", giveUp);
      socket.off("error", giveUp);
      if (found === undefined) socket.on("error", () => {}).destroy();
      resolve(found);
    };
    const giveUp = (): void => give(undefined);
    socket.once("timeout", giveUp);
    socket.once("error", giveUp);
    socket.once("connect", () => give(socket));
  });
}

/** Each direction ends by itself. If one side is gone, the other gets what is still on its way to it. */
function join(one: Duplex, other: Duplex): void {
  const end = (stream: Duplex): void => void (stream instanceof Socket ? stream.destroySoon() : stream.destroy());
  one.once("close", () => end(other));
  other.once("close", () => end(one));
  one.pipe(other);
  other.pipe(one);
}
