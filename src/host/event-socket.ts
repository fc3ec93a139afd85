/**
 * The socket on which programs send events: one per host, in a directory that only its user can enter. It works while the daemon is
 * not running. Each JSON line in is answered by one JSON line out.
 *
 * Everything about a peer is limited: the time for a line, the length of a line, the number of peers and the bytes of
 * unread answers. A peer that exceeds a limit gets an error line, if it still reads, and is disconnected.
 */
import { createServer, type Socket } from "node:net";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { BoundSocket } from "./bound-socket.ts";
import { parseEventLine, errorLine, receiptLine, type EventReceipt, type EventRequest } from "./event-line.ts";
import { descriptorOf, readPeer, type EventPeer } from "./event-peer.ts";
import { prepareSocketPath } from "./socket-path.ts";

/** Below `MARK_BYTES_MAX`, because the mark adds fields. */
export const EVENT_LINE_BYTES_MAX = 1_000_000;
const CONNECTIONS_MAX = 256;
const UNREAD_BYTES_MAX = 64 * 1024;
const LINE_FEED = 0x0a;

/** Records an event. What it throws is reported to the sender. */
export type EventReceiver = (event: EventRequest, peer: EventPeer | undefined) => EventReceipt;

export interface EventSocketOptions {
  readonly connectionsMax?: number;
  readonly lineMsMax?: number;
}

export class EventSocket {
  readonly #receive: EventReceiver;
  readonly #peers = new Set<Socket>();
  #bound: BoundSocket | undefined;
  readonly #connectionsMax: number;
  readonly #lineMsMax: number;

  constructor(receive: EventReceiver, options: EventSocketOptions = {}) {
    this.#receive = receive;
    this.#connectionsMax = options.connectionsMax ?? CONNECTIONS_MAX;
    this.#lineMsMax = options.lineMsMax ?? waits.arrivalMs;
  }

  /** The socket is bound again if it is removed; `onProblem` gets errors of that. */
  async listen(path: string, onProblem: (error: unknown) => void): Promise<void> {
    this.#bound = await BoundSocket.bind({
      path,
      // Half open, because `printf ... | nc -U` closes its side before it reads the answer.
      makeServer: () => createServer({ allowHalfOpen: true }, (socket) => this.#connected(socket)),
      prepare: prepareSocketPath,
      onProblem,
    });
  }

  close(): void {
    this.#bound?.close();
    for (const socket of this.#peers) socket.destroy();
  }

  #connected(socket: Socket): void {
    socket.on("error", () => socket.destroy());
    if (this.#peers.size >= this.#connectionsMax) {
      const reason = `Cannot accept the event: ${this.#connectionsMax} senders are connected; try again`;
      socket.end(errorLine(new LecternError("LIMIT_EXCEEDED", reason)));
      socket.destroySoon();
      return;
    }
    this.#peers.add(socket);
    const peer = readPeer(descriptorOf(socket));
    const lines = new EventLines();
    const timer = setTimeout(() => this.#cut(socket, `no line arrived in ${this.#lineMsMax} ms`), this.#lineMsMax);
    socket.on("data", (chunk: Buffer) => {
      for (const line of lines.feed(chunk)) {
        timer.refresh();
        this.#answer(socket, line, peer);
      }
      if (lines.pendingBytes > EVENT_LINE_BYTES_MAX)
        this.#cut(socket, `a line has more than ${EVENT_LINE_BYTES_MAX} bytes`);
    });
    socket.on("end", () => {
      const rest = lines.end();
      if (rest !== "") this.#answer(socket, rest, peer);
      socket.end();
    });
    socket.on("close", () => {
      clearTimeout(timer);
      this.#peers.delete(socket);
    });
  }

  #answer(socket: Socket, line: string, peer: EventPeer | undefined): void {
    if (socket.destroyed || socket.writableEnded || line.trim() === "") return;
    // A sender that never reads its answers.
    if (socket.writableLength > UNREAD_BYTES_MAX) return void socket.destroy();
    try {
      socket.write(receiptLine(this.#receive(parseEventLine(line), peer)));
    } catch (error) {
      socket.write(errorLine(error));
    }
  }

  #cut(socket: Socket, reason: string): void {
    if (!socket.writableEnded)
      socket.end(errorLine(new LecternError("LIMIT_EXCEEDED", `Cannot accept the event: ${reason}`)));
    socket.destroySoon();
  }
}

/** Splits bytes into lines at any chunking. Of a line that is too long, only the length is kept. */
class EventLines {
  #parts: Buffer[] = [];
  pendingBytes = 0;

  feed(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      this.#keep(chunk.subarray(start, end));
      if (this.pendingBytes > EVENT_LINE_BYTES_MAX) return lines;
      lines.push(this.end());
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** The bytes since the last line feed. */
  end(): string {
    const line = Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.pendingBytes = 0;
    return line;
  }

  #keep(part: Buffer): void {
    this.pendingBytes += part.length;
    if (part.length > 0 && this.pendingBytes <= EVENT_LINE_BYTES_MAX) this.#parts.push(part);
  }
}
