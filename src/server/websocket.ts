/** The operations with a WebSocket: from an admitted upgrade request to a running connection. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type ServerOptions, type WebSocket } from "ws";
import type * as z from "zod";
import { LecternError } from "../core/errors.ts";
import { toLecternError } from "../protocol/errors.ts";
import {
  operationNames,
  operations,
  type Operation,
  type OperationName,
  type OperationsWith,
  type ParsedInputOf,
} from "../protocol/operations.ts";
import { isMachinePath, routeOf } from "../protocol/routes.ts";
import type { SessionAttachment, CallContext, Caller, DaemonService, ItemStream } from "../daemon/service.ts";
import { authorize, mayUse } from "./access.ts";
import { AttachConnection } from "./attach-connection.ts";
import { headerList } from "./guard.ts";
import { matchPath, parseInput } from "./input.ts";
import type { ServerLimits } from "./limits.ts";
import { RequestProblem, sendRawProblem } from "./reply.ts";
import { sendItemFrames } from "./items-connection.ts";

const SUBPROTOCOL = "lectern.v1";
const VERSION = "13";
const GOODBYE = "the daemon is shutting down";
type ServedName = OperationsWith<{
  readonly stream: { readonly transports: readonly [...unknown[], "websocket"] };
}>;
const isServed = (name: OperationName): name is ServedName => {
  const { stream }: Operation = operations[name];
  return stream?.transports.some((transport) => transport === "websocket") ?? false;
};
const served = operationNames.filter(isServed);

export interface SocketServerOptions {
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

export class SocketServer {
  readonly #options: SocketServerOptions;
  /** What says goodbye to each client. */
  readonly #goodbyes = new Set<() => void>();
  readonly #sockets: WebSocketServer;
  /** Until they are closed on both ends. */
  readonly #open = new Set<WebSocket>();
  #isClosed = false;

  constructor(options: SocketServerOptions) {
    this.#options = options;
    // `closeTimeout` is an option of ws 8.23 that its types do not have yet.
    const settings: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      // A chunk of 64 KiB holds 10,000 short messages: others have their turn between two of them.
      allowSynchronousEvents: false,
      maxPayload: options.limits.messageBytesMax,
      closeTimeout: options.limits.closeMs,
      handleProtocols: () => SUBPROTOCOL,
    };
    this.#sockets = new WebSocketServer(settings);
  }

  /** Answers with 101 and serves the connection, or with a problem document. Never throws. */
  async accept(upgrade: Upgrade): Promise<void> {
    const gone = new AbortController();
    const { service } = this.#options;
    upgrade.socket.once("close", () => gone.abort());
    try {
      const { url = "" } = upgrade.incoming;
      const name = isMachinePath(url) ? undefined : servedName(url);
      checkHandshake(upgrade.incoming);
      if (name === undefined) return await this.#proxy(upgrade);
      const context = { caller: upgrade.caller, signal: gone.signal };
      if (name === "sessions.attach") {
        const input = attachInputOf(upgrade, service);
        await this.#attach(upgrade, await service.handlers[name](input, context), input);
      } else {
        // The table pairs each name with its input; the compiler cannot follow that through a variable.
        const handler = service.handlers[name] as (
          input: unknown,
          context: CallContext,
        ) => Promise<ItemStream<unknown>>;
        await this.#sendItems(upgrade, await handler(inputOf(name, upgrade, service), context));
      }
    } catch (error) {
      const problem = toLecternError(error);
      this.#options.onFailure(problem);
      sendRawProblem(upgrade.socket, problem);
    }
  }

  /** Says goodbye to every client, and takes no more. */
  close(): void {
    this.#isClosed = true;
    for (const goodbye of this.#goodbyes) goodbye();
  }

  /** For those that do not answer the goodbye. */
  terminate(): void {
    for (const socket of this.#open) socket.terminate();
  }

  async #proxy(upgrade: Upgrade): Promise<void> {
    // Loaded when it is used: most daemons have no other machine.
    const { openPipe } = await import("./machines/proxy-socket.ts");
    const pipe = await openPipe(upgrade, { ...this.#options, protocol: SUBPROTOCOL, isServed });
    let client: WebSocket | undefined;
    try {
      client = await this.#complete(upgrade);
    } finally {
      if (client === undefined) pipe.close();
    }
    if (client === undefined) return;
    const open = client;
    await this.#until(() => open.close(1001, GOODBYE), pipe.run(open));
  }

  async #sendItems(upgrade: Upgrade, stream: ItemStream<unknown>): Promise<void> {
    using held = stream;
    const socket = await this.#complete(upgrade);
    if (socket === undefined) return;
    const sending = sendItemFrames(socket, held, this.#options.limits).catch((error: unknown) => {
      const failure = toLecternError(error);
      this.#options.onFailure(failure);
      socket.close(1011, failure.code);
    });
    await this.#until(() => socket.close(1001, GOODBYE), sending);
  }

  async #until(goodbye: () => void, end: Promise<void>): Promise<void> {
    this.#goodbyes.add(goodbye);
    await end.finally(() => this.#goodbyes.delete(goodbye));
  }

  async #attach(
    upgrade: Upgrade,
    attachment: SessionAttachment,
    input: ParsedInputOf<"sessions.attach">,
  ): Promise<void> {
    const { limits, onFailure } = this.#options;
    const { readOnly, lossless, from } = input;
    let socket: WebSocket | undefined;
    try {
      socket = await this.#complete(upgrade);
    } finally {
      if (socket === undefined) attachment[Symbol.dispose]();
    }
    if (socket === undefined) return;
    const fresh = from === undefined;
    const tellsWriter = input.name !== undefined;
    const options = { readOnly, lossless, fresh, tellsWriter, limits, onFailure };
    const connection = new AttachConnection(socket, attachment, options);
    await this.#until(() => connection.close(1001, GOODBYE), connection.run());
  }

  /** Undefined where the client has hung up, of which the library says nothing. Throws `DRAINING` once the server is closed. */
  async #complete({ incoming, socket, head }: Upgrade): Promise<WebSocket | undefined> {
    if (socket.destroyed) return undefined;
    if (this.#isClosed)
      throw new LecternError(
        "DRAINING",
        "Cannot connect: the daemon is shutting down; try again when the next one runs",
      );
    const { promise, resolve } = Promise.withResolvers<WebSocket | undefined>();
    socket.once("close", () => resolve(undefined));
    this.#sockets.handleUpgrade(incoming, socket, head, resolve);
    const client = await promise;
    if (client === undefined) return undefined;
    this.#open.add(client);
    client.once("close", () => this.#open.delete(client));
    return client;
  }
}

/** What is asked for. */
function servedName(url: string): ServedName {
  const name = served.find((each) => matchPath(routeOf(each).path, url) !== undefined);
  if (name === undefined) throw new LecternError("NOT_FOUND", 'Cannot find a WebSocket at this path: see "/docs"');
  return name;
}

/** All that could make the WebSocket library refuse, so that it does not once a session is attached. */
function checkHandshake({ method, headers, rawHeaders }: IncomingMessage): void {
  if (method !== "GET")
    throw new RequestProblem("METHOD_NOT_ALLOWED", "Cannot upgrade with this method", { headers: { allow: "GET" } });
  if (headers["sec-websocket-version"] !== VERSION) {
    throw new RequestProblem("MALFORMED", `Cannot use this WebSocket version: wanted ${VERSION}`, {
      status: 426,
      headers: { upgrade: "websocket", "sec-websocket-version": VERSION },
    });
  }
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers["sec-websocket-key"] ?? ""))
    throw new LecternError("MALFORMED", "Cannot upgrade without a Sec-WebSocket-Key of 16 bytes");
  const protocols = headerList(rawHeaders, "sec-websocket-protocol");
  if (new Set(protocols).size !== protocols.length || !protocols.includes(SUBPROTOCOL))
    throw new LecternError("MALFORMED", `Cannot upgrade without the subprotocol "${SUBPROTOCOL}"`);
}

/** The checked input of an operation, once its caller is known to be allowed to call it. */
function inputOf<Name extends ServedName>(
  name: Name,
  { incoming, caller }: Upgrade,
  service: DaemonService,
): ParsedInputOf<Name> {
  const parts = { template: routeOf(name).path, url: incoming.url ?? "/" };
  // The table pairs each name with its schema; the compiler cannot follow that through a variable.
  const input = parseInput<z.ZodObject>(operations[name].input, parts);
  return authorize({ caller, name, input }, service) as ParsedInputOf<Name>;
}

/** A caller that may not write only looks. */
function attachInputOf(upgrade: Upgrade, service: DaemonService): ParsedInputOf<"sessions.attach"> {
  const input = inputOf("sessions.attach", upgrade, service);
  return { ...input, readOnly: input.readOnly || !mayUse(upgrade.caller, "write") };
}
