/** Reaches the daemon of another machine of the cluster, as `unixTransport` reaches the one of this machine. */
import type {
  SocketRequest,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportSocket,
} from "../../../client/transport.ts";
import { LecternError } from "../../../core/errors.ts";
import { fromProblem } from "../../../protocol/errors.ts";
import { SCOPE_HEADER } from "../../../protocol/routes.ts";
import { MessageJoiner } from "./message-joiner.ts";
import { ReceivedChunks } from "./received-chunks.ts";
import type { RequestScope } from "./subjects.ts";
import { headersOf, readAnswerHead, tunnelRequestHeaders, type AskHead } from "./tunnel-heads.ts";
import type { TunnelEnd, TunnelHub } from "./tunnel-hub.ts";
import { jsonValueOf } from "../../../core/json/json-value.ts";

export interface NatsTransportOptions {
  readonly machine: string;
  /** The tunnels of the connection of this time; throws `MACHINE_AWAY` while there is none. */
  readonly hub: () => TunnelHub;
  /** What this machine may ask for at most. */
  readonly scopeMax: RequestScope;
}

const NORMAL = 1000;
const TOO_LARGE = 1009;

export const natsTransport = (options: NatsTransportOptions): Transport => ({
  request: (given) => request(given, options),
  openSocket: (given) => openSocket(given, options),
});

async function request(given: TransportRequest, options: NatsTransportOptions): Promise<TransportResponse> {
  refuseCancelled(given.signal);
  const { body, headers, method, path, signal } = given;
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const sent = headersOf(tunnelRequestHeaders, (name) => byName.get(name));
  const { promise, resolve, reject } = Promise.withResolvers<TransportResponse>();
  const chunks = new ReceivedChunks(
    (creditBytes) => end.step({ type: "consumed", creditBytes }),
    () => cancel(),
  );
  let trailers: Readonly<Record<string, string>> = {};
  const end = open(
    { type: "request", method: method as never, path, headers: sent, hasBody: body !== undefined },
    headers,
    options,
    {
      opened: (head) => {
        const answer = readAnswerHead(head);
        if (answer?.type !== "response") return reject(failure(answer, options));
        resolve({
          status: answer.status,
          header: (name) => answer.headers[name.toLowerCase()],
          chunks: chunks.read(),
          trailer: (name) => trailers[name.toLowerCase()],
          cancel: () => end.step({ type: "close", code: NORMAL, reason: "cancelled" }),
        });
      },
      data: (part) => chunks.add(part),
      ended: (text) => {
        trailers = readTrailers(text);
        chunks.end();
      },
      closed: ({ code, reason }) => {
        signal?.removeEventListener("abort", cancel);
        const error = signal?.aborted === true ? cancelledBy(signal) : away(options.machine, reason || `code ${code}`);
        chunks.break(error);
        reject(error);
      },
    },
  );
  const cancel = (): void => end.step({ type: "close", code: NORMAL, reason: "cancelled" });
  signal?.addEventListener("abort", cancel, { once: true });
  void sendBody(end, body);
  return promise;
}

async function sendBody(end: TunnelEnd, body: TransportRequest["body"]): Promise<void> {
  try {
    if (typeof body === "string") {
      end.step({ type: "send", isText: false, isFinal: true, bytes: Buffer.from(body) });
    } else if (body !== undefined) {
      for await (const bytes of body) {
        if (end.isClosed) return;
        end.step({ type: "send", isText: false, isFinal: true, bytes });
        await end.drained();
      }
    }
    if (!end.isClosed) end.step({ type: "end", trailers: "" });
  } catch (error) {
    end.step({ type: "close", code: NORMAL, reason: `the body could not be read: ${(error as Error).message}` });
  }
}

async function openSocket(given: SocketRequest, options: NatsTransportOptions): Promise<TransportSocket> {
  refuseCancelled(given.signal);
  const { handlers, headers = {}, path, protocol, signal } = given;
  const { promise, resolve, reject } = Promise.withResolvers<TransportSocket>();
  const joiner = new MessageJoiner();
  const held: Parameters<typeof deliver>[0][] = [];
  let isPaused = false;
  let isOpen = false;
  const deliver = (part: Parameters<MessageJoiner["add"]>[0]): void => {
    const message = joiner.add(part);
    end.step({ type: "consumed", creditBytes: part.creditBytes });
    if (message === undefined) return;
    if (typeof message === "string" || message instanceof Uint8Array) handlers.onMessage(message);
    else end.step({ type: "close", code: TOO_LARGE, reason: "a message is too long" });
  };
  const canDeliver = (): boolean => !isPaused && held.length > 0;
  const deliverHeld = (): void => {
    while (canDeliver()) for (const part of held.splice(0, 1)) deliver(part);
  };
  const end = open({ type: "socket", path, protocol }, headers, options, {
    opened: (head) => {
      const answer = readAnswerHead(head);
      if (answer?.type !== "opened") return reject(failure(answer, options));
      isOpen = true;
      resolve({
        get bufferedBytes() {
          return end.bufferedBytes;
        },
        pausable: true,
        send: (data) => {
          const isText = typeof data === "string";
          if (!end.isClosed)
            end.step({ type: "send", isText, isFinal: true, bytes: isText ? Buffer.from(data) : data });
        },
        pause: () => void (isPaused = true),
        resume: () => {
          isPaused = false;
          deliverHeld();
        },
        close: () => end.step({ type: "close", code: NORMAL, reason: "" }),
      });
    },
    // At most the window is held.
    data: (part) => (isPaused ? void held.push(part) : deliver(part)),
    ended: () => undefined,
    closed: (reason) => {
      signal?.removeEventListener("abort", giveUp);
      if (isOpen) handlers.onClose(reason);
      else reject(signal?.aborted === true ? cancelledBy(signal) : away(options.machine, reason.reason));
    },
  });
  const giveUp = (): void => end.step({ type: "close", code: NORMAL, reason: "cancelled" });
  signal?.addEventListener("abort", giveUp, { once: true });
  return promise;
}

/** Sends the head. Throws `MACHINE_AWAY`, `LIMIT_EXCEEDED`. */
function open(
  head: AskHead,
  headers: Readonly<Record<string, string>>,
  { hub, machine, scopeMax }: NatsTransportOptions,
  handlers: Parameters<TunnelHub["open"]>[2],
): TunnelEnd {
  const scope = scopeMax === "read" || headers[SCOPE_HEADER] === "read" ? "read" : "write";
  const end = hub().open({ machine, scope }, JSON.stringify(head), handlers);
  if (end !== undefined) return end;
  throw new LecternError("LIMIT_EXCEEDED", `Cannot reach machine "${machine}": too many requests are under way`);
}

function failure(answer: ReturnType<typeof readAnswerHead>, { machine }: NatsTransportOptions): LecternError {
  if (answer?.type === "failed") return fromProblem({ code: answer.code, detail: answer.message }, 500);
  return new LecternError("VERSION_MISMATCH", `Cannot read the answer of machine "${machine}": update Lectern on both`);
}

const away = (machine: string, reason: string): LecternError =>
  new LecternError("MACHINE_AWAY", `Cannot reach machine "${machine}": ${reason}; see "lectern cluster status"`, {
    details: { machine },
  });

const cancelledBy = (signal: AbortSignal): LecternError =>
  new LecternError("CANCELLED", "Cancelled by the caller", { cause: signal.reason });

function refuseCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelledBy(signal);
}

/** JSON of names and values; anything else is no trailer. */
function readTrailers(text: string): Readonly<Record<string, string>> {
  const found = jsonValueOf(text);
  if (typeof found !== "object" || found === null) return {};
  return Object.fromEntries(Object.entries(found).filter(([, value]) => typeof value === "string"));
}
