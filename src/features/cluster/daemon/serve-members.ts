/**
 * Answers what other members of the cluster ask of this machine, by its own daemon's socket. The caller has the rights of the subject on which it
 * was allowed to publish, and no more: the daemon checks them as those of any limited caller.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Transport, TransportResponse, TransportSocket } from "../../../client/transport.ts";
import { waits } from "../../../core/waits.ts";
import { toLecternError } from "../../../protocol/errors.ts";
import { SCOPE_HEADER } from "../../../protocol/routes.ts";
import { MessageJoiner } from "./message-joiner.ts";
import { ReceivedChunks } from "./received-chunks.ts";
import { requestsTo, type RequestAddress } from "./subjects.ts";
import {
  headersOf,
  readAskHead,
  tunnelRequestHeaders,
  tunnelResponseHeaders,
  type AnswerHead,
  type AskHead,
} from "./tunnel-heads.ts";
import type { TunnelEnd, TunnelHandlers, TunnelHub } from "./tunnel-hub.ts";

type Part = Parameters<TunnelHandlers["data"]>[0];

const NORMAL = 1000;
const REFUSED = 1008;
const TOO_LARGE = 1009;
/** A socket is not read while more than this waits to be sent. */
const BUFFERED_BYTES_MAX = 512 * 1024;

export function serveMembers(
  hub: TunnelHub,
  { machine, transport }: { readonly machine: string; readonly transport: Transport },
): void {
  hub.serve(requestsTo(machine), ({ accept, address }) => {
    const serving = new ServedTunnel(transport, address);
    serving.end = accept(serving);
    serving.begin();
  });
}

/** One request or socket. */
class ServedTunnel implements TunnelHandlers {
  end: TunnelEnd | undefined;
  readonly #transport: Transport;
  readonly #address: RequestAddress;
  readonly #gone = new AbortController();
  readonly #chunks = new ReceivedChunks((creditBytes) => this.end?.step({ type: "consumed", creditBytes }));
  readonly #joiner = new MessageJoiner();
  #ask: AskHead | undefined;
  #socket: TransportSocket | undefined;
  /** What came before the socket was open: at most the window. */
  readonly #early: Part[] = [];
  #hasAnswered = false;
  #owedBytes = 0;

  constructor(transport: Transport, address: RequestAddress) {
    this.#transport = transport;
    this.#address = address;
  }

  opened(head: string): void {
    this.#ask = readAskHead(head);
  }

  data(part: Part): void {
    if (this.#ask?.type !== "socket") this.#chunks.add(part);
    else if (this.#socket === undefined) this.#early.push(part);
    else this.#pass(part, this.#socket);
  }

  ended(): void {
    this.#chunks.end();
  }

  closed({ reason }: { readonly reason: string }): void {
    this.#chunks.break(new Error(`the caller has gone: ${reason}`));
    this.#gone.abort();
    this.#socket?.close();
  }

  /** Called once the first frame was taken. */
  begin(): void {
    const ask = this.#ask;
    if (ask === undefined) {
      this.end?.step({ type: "close", code: REFUSED, reason: "unknown request: update Lectern on both machines" });
      return;
    }
    // Only this machine's own operations: nobody is led on to a third one.
    if (!/^\/v1\/(?!machines(?:[/?]|$))/.test(ask.path)) {
      this.#fail({ type: "failed", code: "FORBIDDEN", message: "Cannot ask another machine for this" });
      return;
    }
    const answering = ask.type === "request" ? this.#request(ask) : this.#openSocket(ask);
    answering.catch((error: unknown) => {
      const { code, message } = toLecternError(error);
      this.#fail({ type: "failed", code, message });
    });
  }

  async #request(ask: Extract<AskHead, { type: "request" }>): Promise<void> {
    const response = await this.#transport.request({
      method: ask.method,
      path: ask.path,
      // Whatever the caller sends besides, such as credentials or another scope, is not passed on.
      headers: {
        ...headersOf(tunnelRequestHeaders, (name) => ask.headers[name]),
        [SCOPE_HEADER]: this.#address.scope,
      },
      signal: this.#gone.signal,
      ...(ask.hasBody && { body: this.#chunks.read() }),
    });
    try {
      await this.#sendResponse(response);
    } finally {
      response.cancel();
    }
  }

  async #sendResponse(response: TransportResponse): Promise<void> {
    const { end } = this;
    if (end === undefined) return;
    const headers = headersOf(tunnelResponseHeaders, (name) => response.header(name));
    this.#answer({ type: "response", status: response.status, headers });
    try {
      for await (const bytes of response.chunks) {
        if (end.isClosed) return;
        end.step({ type: "send", isText: false, isFinal: true, bytes });
        await end.drained();
      }
    } catch (error) {
      // What was sent before arrives, and the reader learns that the rest is missing.
      end.step({ type: "close", code: REFUSED, reason: (error as Error).message });
      return;
    }
    const names = (response.header("trailer") ?? "").split(",").map((name) => name.trim().toLowerCase());
    const trailers = headersOf(names, (name) => (name === "" ? undefined : response.trailer?.(name)));
    if (!end.isClosed) end.step({ type: "end", trailers: JSON.stringify(trailers) });
  }

  async #openSocket({ path, protocol }: Extract<AskHead, { type: "socket" }>): Promise<void> {
    const { end } = this;
    if (end === undefined) return;
    let isPaused = false;
    const resume = async (): Promise<void> => {
      await end.drained();
      isPaused = false;
      this.#socket?.resume();
    };
    const socket = await this.#transport.openSocket({
      path,
      protocol,
      headers: { [SCOPE_HEADER]: this.#address.scope },
      signal: this.#gone.signal,
      handlers: {
        onMessage: (data) => {
          // The first message may come with the opening.
          this.#answer({ type: "opened" });
          if (end.isClosed) return;
          const isText = typeof data === "string";
          end.step({ type: "send", isText, isFinal: true, bytes: isText ? Buffer.from(data) : data });
          if (isPaused || end.bufferedBytes < BUFFERED_BYTES_MAX) return;
          isPaused = true;
          this.#socket?.pause();
          void resume();
        },
        onClose: ({ code, reason }) => end.step({ type: "close", code, reason }),
      },
    });
    this.#socket = socket;
    if (end.isClosed) return socket.close();
    this.#answer({ type: "opened" });
    if (isPaused) socket.pause();
    for (const part of this.#early.splice(0)) this.#pass(part, socket);
  }

  #pass(part: Part, socket: TransportSocket): void {
    const message = this.#joiner.add(part);
    this.#repay(part.creditBytes, socket);
    if (message === undefined) return;
    if (typeof message === "string" || message instanceof Uint8Array) socket.send(message);
    else this.end?.step({ type: "close", code: TOO_LARGE, reason: "a message is too long" });
  }

  /** Credit goes back while the daemon takes what was sent to it. */
  #repay(creditBytes: number, socket: TransportSocket): void {
    const isWaiting = this.#owedBytes > 0;
    this.#owedBytes += creditBytes;
    if (!isWaiting) void this.#repayWhenTaken(socket);
  }

  async #repayWhenTaken(socket: TransportSocket): Promise<void> {
    while (socket.bufferedBytes > BUFFERED_BYTES_MAX && this.end?.isClosed === false) await delay(waits.pollMs);
    const creditBytes = this.#owedBytes;
    this.#owedBytes = 0;
    this.end?.step({ type: "consumed", creditBytes });
  }

  #answer(head: AnswerHead): void {
    if (this.#hasAnswered || this.end?.isClosed !== false) return;
    this.#hasAnswered = true;
    this.end.step({ type: "start", head: JSON.stringify(head) });
  }

  #fail(head: AnswerHead): void {
    this.#answer(head);
    this.end?.step({ type: "close", code: NORMAL, reason: "" });
  }
}
