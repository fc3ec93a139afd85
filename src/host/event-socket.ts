/**
 * The socket on which programs send events: one per host, in the directory that only its user can enter, and there while the daemon is
 * not. One JSON line in, one JSON line out, as often as wanted.
 *
 * Everything about a peer is bounded: how long it may take for a line, how long a line may be, how many peers there are, how many
 * answers it may leave unread. Whoever goes beyond is told why, if it still listens, and cut off.
 */
import { createServer, type Socket } from "node:net";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { BoundSocket } from "./bound-socket.ts";
import { parseEventLine, problemLine, receiptLine, type EventReceipt, type EventRequest } from "./event-line.ts";
import { descriptorOf, readPeer, type EventPeer } from "./event-peer.ts";
import { prepareSocketPath } from "./socket-path.ts";

/** Below `MARK_BYTES_MAX` by what the mark adds. */
export const EVENT_LINE_BYTES_MAX = 1_000_000;
const CONNECTIONS_MAX = 256;
const UNREAD_BYTES_MAX = 64 * 1024;
const LINE_FEED = 0x0a;

/** Writes an event down. Throws what the sender is told. */
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

  /** Where the socket is removed it is bound again; what is in the way then is reported. */
  async listen(path: string, onProblem: (error: unknown) => void): Promise<void> {
    this.#bound = await BoundSocket.bind({
      path,
      // Half open: `printf ... | nc -U` closes its end before it reads the answer.
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
      const reason = `Cannot take the event: ${this.#connectionsMax} senders are connected; try again`;
      socket.end(problemLine(new LecternError("LIMIT_EXCEEDED", reason)));
      socket.destroySoon();
      return;
    }
    this.#peers.add(socket);
    const peer = readPeer(descriptorOf(socket));
    const lines = new EventLines();
    const timer = setTimeout(() => this.#cut(socket, `no line came in ${this.#lineMsMax} ms`), this.#lineMsMax);
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
    // It sends and sends and never reads.
    if (socket.writableLength > UNREAD_BYTES_MAX) return void socket.destroy();
    try {
      socket.write(receiptLine(this.#receive(parseEventLine(line), peer)));
    } catch (error) {
      socket.write(problemLine(error));
    }
  }

  #cut(socket: Socket, reason: string): void {
    if (!socket.writableEnded)
      socket.end(problemLine(new LecternError("LIMIT_EXCEEDED", `Cannot take the event: ${reason}`)));
    socket.destroySoon();
  }
}

/** Cuts bytes into lines, wherever the chunks were cut. A line that is too long is kept as its length only. */
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

  /** What came since the last line feed. */
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
