/** The way to one machine as the daemon uses it: with the rights of a caller, a limit of open requests, and errors that name the machine. */
import type { SocketRequest, Transport, TransportRequest, TransportResponse } from "../../client/transport.ts";
import { LecternError } from "../../core/errors.ts";
import type { Scope } from "../../protocol/operations.ts";
import { SCOPE_HEADER } from "../../protocol/routes.ts";

/** Requests, streams and sockets that are open to one machine: further ones are refused, so that a machine that hangs costs no more than these. */
const OPEN_REQUESTS_MAX = 256;

/** Open requests by machine. */
export class OpenRequests {
  readonly #counts = new Map<string, number>();

  /** Counts one until what it returns is called, once or more often. Throws `LIMIT_EXCEEDED`. */
  open(machine: string): () => void {
    const count = this.#counts.get(machine) ?? 0;
    if (count >= OPEN_REQUESTS_MAX) {
      throw new LecternError(
        "LIMIT_EXCEEDED",
        `Cannot ask machine "${machine}": ${OPEN_REQUESTS_MAX} requests to it are open; it may hang, see "lectern hosts check ${machine}"`,
        { details: { machine, openMax: OPEN_REQUESTS_MAX } },
      );
    }
    this.#counts.set(machine, count + 1);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      const left = (this.#counts.get(machine) ?? 1) - 1;
      if (left === 0) this.#counts.delete(machine);
      else this.#counts.set(machine, left);
    };
  }
}

export interface MachineWay {
  readonly name: string;
  readonly scope: Scope;
  readonly transport: Transport;
  readonly open: OpenRequests;
}

/** Rejects with `MACHINE_AWAY` if the machine or its daemon cannot be reached. */
export function transportFor(way: MachineWay): Transport {
  return { request: (given) => request(way, given), openSocket: (given) => openSocket(way, given) };
}

async function request(
  { name, scope, transport, open }: MachineWay,
  given: TransportRequest,
): Promise<TransportResponse> {
  const close = open.open(name);
  try {
    const response = await transport.request({ ...given, headers: { ...given.headers, [SCOPE_HEADER]: scope } });
    return {
      status: response.status,
      header: (header) => response.header(header),
      chunks: chunksOf(response, { name, close }),
      trailer: (trailer) => response.trailer?.(trailer),
      cancel: () => {
        close();
        response.cancel();
      },
    };
  } catch (error) {
    close();
    throw awayError(name, error);
  }
}

async function* chunksOf(
  { chunks }: TransportResponse,
  { name, close }: { readonly name: string; readonly close: () => void },
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    throw awayError(name, error);
  } finally {
    close();
  }
}

async function openSocket({ name, scope, transport, open }: MachineWay, given: SocketRequest) {
  const close = open.open(name);
  const { handlers } = given;
  try {
    return await transport.openSocket({
      ...given,
      headers: { ...given.headers, [SCOPE_HEADER]: scope },
      handlers: {
        onMessage: (data) => handlers.onMessage(data),
        onClose: (end) => {
          close();
          handlers.onClose(end);
        },
      },
    });
  } catch (error) {
    close();
    throw awayError(name, error);
  }
}

/** To a client here, `DAEMON_UNREACHABLE` would mean the daemon here. */
function awayError(machine: string, error: unknown): unknown {
  if (!(error instanceof LecternError) || error.code !== "DAEMON_UNREACHABLE") return error;
  return new LecternError("MACHINE_AWAY", `Cannot reach machine "${machine}": ${error.message}`, {
    details: { machine },
    cause: error,
  });
}
