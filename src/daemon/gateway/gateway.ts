/**
 * The gateway's listener: on 127.0.0.1 only, and with an address per session that nobody can guess. An agent keeps its address for
 * life, so port and addresses outlast the daemon.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import { createServer } from "../node-http.ts";
import { parseTarget, SECRET_HEADER, type WireTarget } from "./routes.ts";
import { Upstreams, type UpstreamLoad, type UpstreamOptions } from "./upstream.ts";
import { secretHashOf } from "./wire-secret.ts";
import { WireSession, type WireSessionOptions } from "./wire-session.ts";

export interface GatewayOptions {
  /** Where the port is kept. */
  readonly stateFile: string;
  readonly upstreams?: UpstreamOptions;
  /** Something went wrong that no caller waits for. */
  readonly onError: (error: unknown) => void;
  /** Agents that were started before cannot reach the gateway. */
  readonly onProblem?: (problem: string) => void;
}

export interface GatewaySession extends WireSessionOptions {
  /** Of its secret, as `secretHashOf` gives it. */
  readonly secretHash: string;
  readonly isLive: () => boolean;
}

interface Found {
  readonly wire: WireSession;
  readonly target: WireTarget;
}

const noWebSocket = JSON.stringify({
  error: { type: "gateway_refused", message: "Lectern: no WebSockets here, use HTTP with server-sent events" },
});

const HOST = "127.0.0.1";
const HEADER_BYTES_MAX = 65_536;
const CONNECTIONS_MAX = 4096;
/** Agents keep connections for their next request. */
const KEEP_ALIVE_MS = 65_000;

export class Gateway implements AsyncDisposable {
  readonly #options: GatewayOptions;
  readonly #upstreams: Upstreams;
  /** By the hash of the secret: looking a hash up tells nothing about how near a guess was. */
  readonly #sessions = new Map<string, { readonly wire: WireSession; readonly settings: GatewaySession }>();
  #listening: Promise<Server> | undefined;
  readonly #servers = new Set<Server>();

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#upstreams = new Upstreams(options.upstreams);
  }

  /** `http://127.0.0.1:<port>`; listens from the first use on. Throws `ADDRESS_IN_USE`. */
  async origin(): Promise<string> {
    return `http://${HOST}:${await this.port()}`;
  }

  async port(): Promise<number> {
    this.#listening ??= this.#listen();
    return ((await this.#listening).address() as AddressInfo).port;
  }

  get load(): UpstreamLoad {
    return this.#upstreams.load;
  }

  /** Answers for a session from now on. */
  add(settings: GatewaySession): void {
    this.#sessions.set(settings.secretHash, { wire: new WireSession(settings, this.#upstreams), settings });
  }

  /** A session has ended: it is not answered any more, and calls without a result get none. */
  async end(session: string): Promise<void> {
    for (const [hash, { settings, wire }] of this.#sessions) {
      if (settings.session !== session) continue;
      this.#sessions.delete(hash);
      await wire.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = await this.#listening?.catch(() => undefined);
    this.#sessions.clear();
    for (const one of this.#servers) one.closeAllConnections();
    await new Promise<void>((done) => (server === undefined ? done() : server.close(() => done())));
    await this.#upstreams[Symbol.asyncDispose]();
  }

  async #listen(): Promise<Server> {
    const known = this.#knownPort();
    const server = await bind(() => this.makeServer(), known).catch((error: unknown) => {
      if (known === 0) throw error;
      // Agents that have the old address cannot be helped; new ones can.
      this.#options.onError(error);
      this.#options.onProblem?.(portTaken(known));
      return bind(() => this.makeServer(), 0);
    });
    const { port } = server.address() as AddressInfo;
    if (port !== known) this.#keepPort(port);
    return server;
  }

  /** 0 if it is not known. */
  #knownPort(): number {
    const { onProblem, stateFile } = this.#options;
    const port = portIn(stateFile);
    if (port === undefined) onProblem?.(portLost(stateFile));
    return port ?? 0;
  }

  /** Where it cannot be kept, agents that run now lose their address with this daemon. */
  #keepPort(port: number): void {
    try {
      writeFileSync(this.#options.stateFile, `${JSON.stringify({ port })}\n`, { mode: 0o600 });
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** A server that does not listen yet. With `session`: at a socket of that session's own, where only its secret is answered. */
  makeServer(session?: string): Server {
    const server = createServer(
      {
        maxHeaderSize: HEADER_BYTES_MAX,
        headersTimeout: waits.arrivalMs,
        keepAliveTimeout: KEEP_ALIVE_MS,
        requestTimeout: 0,
      },
      (incoming, response) => {
        this.#answer(incoming, response, session).catch((error: unknown) => {
          this.#options.onError(error);
          response.destroy();
        });
      },
    );
    server.maxConnections = CONNECTIONS_MAX;
    server.on("upgrade", (incoming, socket) => this.#refuseUpgrade(incoming, socket, session));
    server.once("listening", () => this.#servers.add(server)).once("close", () => this.#servers.delete(server));
    return server;
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse, session: string | undefined): Promise<void> {
    const found = this.#find(incoming, session);
    if (found !== undefined) return found.wire.answer(found.target, incoming, response);
    response.writeHead(404, { "content-type": "text/plain", connection: "close" });
    response.end("Not found\n");
  }

  /** Agents that would like a WebSocket go on over HTTP after this answer. */
  #refuseUpgrade(incoming: IncomingMessage, socket: Duplex, session: string | undefined): void {
    const isKnown = this.#find(incoming, session) !== undefined;
    const [status, body] = isKnown ? ["426 Upgrade Required", noWebSocket] : ["404 Not Found", "Not found\n"];
    const type = isKnown ? "application/json" : "text/plain";
    socket.on("error", () => undefined);
    socket.end(
      `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
  }

  /** Undefined for everybody who does not know an address, and for pages of a browser even then. */
  #find(incoming: IncomingMessage, session: string | undefined): Found | undefined {
    const { headers, url = "" } = incoming;
    if (headers.origin !== undefined || headers["sec-fetch-site"] !== undefined) return undefined;
    // Whoever can connect to a session's own socket is inside of it, where the port is the one that it began with.
    const port = session === undefined ? incoming.socket.localPort : /:(\d+)$/.exec(headers.host ?? "")?.[1];
    if (headers.host !== `${HOST}:${port}` && headers.host !== `localhost:${port}`) return undefined;
    const headerSecret = headers[SECRET_HEADER];
    const target = parseTarget(url, typeof headerSecret === "string" ? headerSecret : undefined);
    const found = target === undefined ? undefined : this.#sessions.get(secretHashOf(target.secret));
    if (target === undefined || found === undefined) return undefined;
    if (session !== undefined && found.settings.session !== session) return undefined;
    return found.settings.isLive() ? { wire: found.wire, target } : undefined;
  }
}

const portTaken = (port: number): string =>
  `Another program listens on port ${port}, where the gateway was: agents that were started before send their requests and keys to ` +
  `it, and not to the gateway; find it with "ss -ltnp 'sport = :${port}'", and start those sessions again`;

const portLost = (stateFile: string): string =>
  `"${stateFile}" is damaged, so the gateway has another port: agents that were started before do not reach it; start those sessions again`;

/** 0 without a file, undefined for a damaged one. */
function portIn(stateFile: string): number | undefined {
  try {
    const { port } = JSON.parse(readFileSync(stateFile, "utf8")) as { readonly port?: unknown };
    return typeof port === "number" && Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? 0 : undefined;
  }
}

function bind(make: () => Server, port: number): Promise<Server> {
  const server = make();
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      reject(new LecternError("ADDRESS_IN_USE", `Cannot listen on port ${port} for agents`, { cause }));
    });
    server.listen(port, HOST, () => resolve(server));
  });
}
