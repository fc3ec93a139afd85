/** An upgrade request for another machine. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { LecternError } from "../../core/errors.ts";
import type { OperationName } from "../../protocol/operations.ts";
import type { Caller, DaemonService } from "../../daemon/service.ts";
import type { ServerLimits } from "../limits.ts";
import { proxiedCall } from "./proxied-call.ts";
import { once } from "node:events";
import type { WebSocket } from "ws";
import type { SocketHandlers, TransportSocket } from "../../client/transport.ts";
import { waits } from "../../core/waits.ts";
import { keepAlive } from "../items-connection.ts";

interface PipeRequest {
  readonly incoming: IncomingMessage;
  readonly socket: Duplex;
  readonly caller: Caller;
}

interface OpenPipeOptions {
  readonly service: DaemonService;
  readonly limits: ServerLimits;
  readonly protocol: string;
  readonly isServed: (name: OperationName) => boolean;
}

/** Connects to the machine for a client whose handshake was checked. Throws what it is refused with, here or there, and `MACHINE_AWAY`. */
export async function openPipe(
  { incoming, socket, caller }: PipeRequest,
  { service, limits, protocol, isServed }: OpenPipeOptions,
): Promise<SocketPipe> {
  const { machine, name, path } = proxiedCall({ method: "GET", url: incoming.url ?? "", caller }, service);
  if (!isServed(name)) throw new LecternError("NOT_FOUND", 'Cannot find a WebSocket at this path: see "/docs"');
  const transport = await service.machineTransport(machine, caller.scope);
  // Only the opening is cut off if the client goes: later, what it sent last goes out before the close.
  const gone = new AbortController();
  const abort = (): void => gone.abort();
  socket.once("close", abort);
  try {
    return await SocketPipe.open({
      machine,
      limits,
      open: (handlers) => transport.openSocket({ path, protocol, handlers, signal: gone.signal }),
    });
  } finally {
    socket.off("close", abort);
  }
}

// A WebSocket to another machine on behalf of a client: frames in both directions as they are. Neither side is read while the other does not
// take what waits for it. Each end is passed on; a link that broke becomes a close after which clients connect again.

type PipeLimits = Pick<ServerLimits, "machineBufferBytesMax" | "pingMs" | "stallMs">;
type SocketEnd = Parameters<SocketHandlers["onClose"]>[0];

/** RFC 6455: closed without a code. It may not be sent. */
const NO_CODE = 1005;
/** RFC 6455: broken without a closing handshake, and failed in TLS. They may not be sent. */
const BROKEN: ReadonlySet<number> = new Set([1006, 1015]);
/** Restarting: clients take it as a reason to connect again. */
const RESTARTING = 1012;
const TOO_SLOW = 1013;

interface PipeOptions {
  readonly machine: string;
  readonly limits: PipeLimits;
  readonly open: (handlers: SocketHandlers) => Promise<TransportSocket>;
}

class SocketPipe {
  readonly #machine: string;
  readonly #limits: PipeLimits;
  #upstream: TransportSocket | undefined;
  #client: WebSocket | undefined;
  /** What came before there was a client: what the first read of the connection had, for it is paused then. */
  #early: (string | Uint8Array)[] = [];
  /** How the connection to the machine ended. */
  #end: SocketEnd | undefined;
  /** Runs while the machine is not read, because the client does not take what waits. */
  #stalled: NodeJS.Timeout | undefined;
  /** Runs while the client is not read, because the machine does not take what waits. */
  #drained: NodeJS.Timeout | undefined;

  private constructor({ machine, limits }: PipeOptions) {
    this.#machine = machine;
    this.#limits = limits;
  }

  /** Connects to the machine. Rejects with its error. */
  static async open(options: PipeOptions): Promise<SocketPipe> {
    const pipe = new SocketPipe(options);
    pipe.#upstream = await options.open({
      onMessage: (data) => pipe.#toClient(data),
      onClose: (end) => pipe.#endWith(end),
    });
    pipe.#upstream.pause();
    return pipe;
  }

  /** Resolves when the client is gone. */
  async run(client: WebSocket): Promise<void> {
    using _pings = keepAlive(client, this.#limits.pingMs);
    this.#client = client;
    // The socket closes itself with the right code; the event only must have a listener.
    client.on("error", () => undefined);
    client.on("message", (data: Buffer, isBinary) => this.#toMachine(isBinary ? data : data.toString("utf8")));
    for (const data of this.#early.splice(0)) this.#toClient(data);
    if (this.#end === undefined) this.#upstream?.resume();
    else this.#endWith(this.#end);
    if (client.readyState !== client.CLOSED) await once(client, "close");
    clearTimeout(this.#stalled);
    clearInterval(this.#drained);
    this.close();
  }

  /** Ends the connection to the machine. */
  close(): void {
    this.#upstream?.close();
  }

  #toClient(data: string | Uint8Array): void {
    const client = this.#client;
    if (client === undefined) return void this.#early.push(data);
    client.send(data, { binary: typeof data !== "string" }, () => this.#afterSend());
    if (this.#stalled !== undefined || client.bufferedAmount <= this.#limits.machineBufferBytesMax) return;
    this.#upstream?.pause();
    this.#stalled = setTimeout(() => client.close(TOO_SLOW, "too slow"), this.#limits.stallMs);
  }

  #afterSend(): void {
    if (this.#stalled === undefined || this.#end !== undefined) return;
    if ((this.#client?.bufferedAmount ?? 0) > this.#limits.machineBufferBytesMax / 2) {
      this.#stalled.refresh();
      return;
    }
    clearTimeout(this.#stalled);
    this.#stalled = undefined;
    this.#upstream?.resume();
  }

  #toMachine(data: string | Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#upstream?.send(data);
    if (this.#drained !== undefined || this.#isMachineReady()) return;
    this.#client?.pause();
    this.#drained = setInterval(() => {
      if (this.#isMachineReady()) this.#readClient();
    }, waits.pollMs);
  }

  #isMachineReady(): boolean {
    return (this.#upstream?.bufferedBytes ?? 0) <= this.#limits.machineBufferBytesMax;
  }

  #readClient(): void {
    clearInterval(this.#drained);
    this.#drained = undefined;
    this.#client?.resume();
  }

  #endWith(end: SocketEnd): void {
    this.#end = end;
    const client = this.#client;
    if (client === undefined) return;
    // A paused socket never reads the answer to the close.
    this.#readClient();
    if (end.code === NO_CODE) client.close();
    else if (BROKEN.has(end.code)) client.close(RESTARTING, `machine "${this.#machine}" is out of reach`);
    else client.close(end.code, end.reason);
  }
}
