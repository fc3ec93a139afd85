/** An upgrade request for another machine. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { LecternError } from "../../core/errors.ts";
import type { OperationName } from "../../protocol/operations.ts";
import type { Caller, DaemonService } from "../../daemon/service.ts";
import type { ServerLimits } from "../limits.ts";
import { proxiedCall } from "./proxied-call.ts";
import { SocketPipe } from "./socket-pipe.ts";

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
