/** `sessions.attach`: from an admitted upgrade request to a running connection. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import { LecternError } from "../core/errors.ts";
import { toLecternError } from "../protocol/errors.ts";
import { operations, type ParsedInputOf } from "../protocol/operations.ts";
import { routes } from "../protocol/routes.ts";
import type { Attachment, Caller, DaemonService } from "../daemon/service.ts";
import { authorize, mayUse } from "./access.ts";
import { AttachConnection } from "./attach-connection.ts";
import { headerList } from "./guard.ts";
import { matchPath, parseInput } from "./input.ts";
import type { ServerLimits } from "./limits.ts";
import { RequestProblem, sendRawProblem } from "./reply.ts";

const SUBPROTOCOL = "lectern.v1";
const VERSION = "13";
const route = routes["sessions.attach"];

export interface AttachServerOptions {
  readonly service: DaemonService;
  readonly limits: ServerLimits;
  readonly onFailure: (error: LecternError) => void;
}

/** An upgrade request whose caller is known. */
export interface Upgrade {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly caller: Caller;
}

export class AttachServer {
  readonly #options: AttachServerOptions;
  readonly #connections = new Set<AttachConnection>();
  readonly #sockets: WebSocketServer;
  /** Until they are closed on both ends. */
  readonly #open = new Set<WebSocket>();
  #isClosed = false;

  constructor(options: AttachServerOptions) {
    this.#options = options;
    // `closeTimeout` is an option of ws 8.23 that its types do not have yet.
    const settings: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      maxPayload: options.limits.messageBytesMax,
      closeTimeout: options.limits.closeMs,
      handleProtocols: () => SUBPROTOCOL,
    };
    this.#sockets = new WebSocketServer(settings);
  }

  /** Answers with 101 and serves the connection, or with a problem document. Never throws. */
  async accept(upgrade: Upgrade): Promise<void> {
    const gone = new AbortController();
    upgrade.socket.once("close", () => gone.abort());
    try {
      this.#assertOpen();
      checkHandshake(upgrade.incoming);
      const input = inputOf(upgrade, this.#options.service);
      const context = { caller: upgrade.caller, signal: gone.signal };
      const attachment = await this.#options.service.attach(input, context);
      // The end may have come meanwhile.
      if (this.#isClosed) attachment[Symbol.dispose]();
      this.#assertOpen();
      await this.#serve(upgrade, attachment, input);
    } catch (error) {
      const problem = toLecternError(error);
      this.#options.onFailure(problem);
      sendRawProblem(upgrade.socket, problem);
    }
  }

  /** Says goodbye to every client, and takes no more. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close(1001, "the daemon ends");
  }

  /** For those that do not answer the goodbye. */
  terminate(): void {
    for (const socket of this.#open) socket.terminate();
  }

  #assertOpen(): void {
    if (this.#isClosed)
      throw new LecternError("DRAINING", "Cannot attach: the daemon ends; try again when the next one runs");
  }

  async #serve(upgrade: Upgrade, attachment: Attachment, input: ParsedInputOf<"sessions.attach">): Promise<void> {
    if (upgrade.socket.destroyed) {
      attachment[Symbol.dispose]();
      return;
    }
    const { limits, onFailure } = this.#options;
    const { readOnly, lossless, from } = input;
    const socket = await this.#complete(upgrade);
    if (socket === undefined) {
      attachment[Symbol.dispose]();
      return;
    }
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    const fresh = from === undefined;
    const connection = new AttachConnection(socket, attachment, { readOnly, lossless, fresh, limits, onFailure });
    this.#connections.add(connection);
    await connection.run();
    this.#connections.delete(connection);
  }

  /** Undefined where the client hung up: the library then says nothing. */
  #complete({ incoming, socket, head }: Upgrade): Promise<WebSocket | undefined> {
    return new Promise((resolve) => {
      socket.once("close", () => resolve(undefined));
      this.#sockets.handleUpgrade(incoming, socket, head, resolve);
    });
  }
}

/** All that could make the WebSocket library refuse, so that it does not once a session is attached. */
function checkHandshake({ method, url, headers, rawHeaders }: IncomingMessage): void {
  if (matchPath(route.path, url ?? "") === undefined) {
    throw new LecternError("NOT_FOUND", 'Cannot find a WebSocket at this path: see "/docs"');
  }
  if (method !== "GET") {
    throw new RequestProblem("METHOD_NOT_ALLOWED", "Cannot upgrade with this method", { headers: { allow: "GET" } });
  }
  if (headers["sec-websocket-version"] !== VERSION) {
    throw new RequestProblem("MALFORMED", `Cannot speak this WebSocket version: wanted ${VERSION}`, {
      status: 426,
      headers: { upgrade: "websocket", "sec-websocket-version": VERSION },
    });
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers["sec-websocket-key"] ?? "")) {
    throw new LecternError("MALFORMED", "Cannot upgrade without a Sec-WebSocket-Key of 16 bytes");
  }
  const protocols = headerList(rawHeaders, "sec-websocket-protocol");
  if (new Set(protocols).size !== protocols.length || !protocols.includes(SUBPROTOCOL)) {
    throw new LecternError("MALFORMED", `Cannot upgrade without the subprotocol "${SUBPROTOCOL}"`);
  }
}

function inputOf({ incoming, caller }: Upgrade, service: DaemonService): ParsedInputOf<"sessions.attach"> {
  const parts = { template: route.path, url: incoming.url ?? "/" };
  const input = parseInput(operations["sessions.attach"].input, parts);
  const readOnly = input.readOnly || !mayUse(caller, "write");
  return authorize({ caller, route, input: { ...input, readOnly } }, service.resolve);
}
