/** The other machines of a daemon, whatever leads to them. Nothing runs and nothing is asked before somebody asks for a machine. */
import type { Transport, SocketRequest, TransportRequest, TransportResponse } from "../../client/transport.ts";
import { LecternError } from "../../core/errors.ts";
import type { MachineSource } from "../../machines/machines.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import type { Scope } from "../../protocol/operations.ts";
import { SCOPE_HEADER } from "../../protocol/routes.ts";

// The way to one machine as the daemon uses it: with the rights of a caller, a limit of open requests, and errors that name the machine.

/** Requests, streams and sockets that are open to one machine: further ones are refused, so that a machine that hangs costs no more than these. */
const OPEN_REQUESTS_MAX = 256;

/** Open requests by machine. */
class OpenRequests {
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

interface MachineWay {
  readonly name: string;
  readonly scope: Scope;
  readonly transport: Transport;
  readonly open: OpenRequests;
}

/** Rejects with `MACHINE_AWAY` if the machine or its daemon cannot be reached. */
function transportFor(way: MachineWay): Transport {
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

export class Machines {
  readonly #sourcesNow: () => readonly MachineSource[];
  readonly #open = new OpenRequests();

  /** A name that two sources know is of the first. */
  constructor(sources: () => readonly MachineSource[]) {
    this.#sourcesNow = sources;
  }

  get #sources(): readonly MachineSource[] {
    return this.#sourcesNow();
  }

  /** To be awaited before `list` and `transport`, which then know what there is now. */
  async ready(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.ready()));
  }

  list(): MachineInfo[] {
    const rows = new Map<string, MachineInfo>();
    for (const row of this.#sources.flatMap((source) => source.list())) {
      if (!rows.has(row.name)) rows.set(row.name, row);
    }
    return [...rows.values()];
  }

  /** Reaches the daemon of a machine with no more rights than `scope`. Throws `MACHINE_NOT_FOUND`. */
  transport(name: string, scope: Scope): Transport {
    for (const source of this.#sources) {
      const transport = source.transport(name);
      if (transport !== undefined) return transportFor({ name, scope, transport, open: this.#open });
    }
    throw new LecternError(
      "MACHINE_NOT_FOUND",
      `Cannot find machine "${name}": list machines with "lectern hosts ls", add one with "lectern hosts add"`,
      { details: { machine: name } },
    );
  }

  /** Called when a row of `list` has changed. */
  subscribe(listener: () => void): Disposable {
    const subscriptions = new DisposableStack();
    for (const source of this.#sources) subscriptions.use(source.subscribe(listener));
    return subscriptions;
  }
}
