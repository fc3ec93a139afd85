/** The server's side of the opening of a SOCKS 5 connection (RFC 1928): no authentication, and only `CONNECT`. */
import type { Socket } from "node:net";

/** The first byte of a client. */
export const SOCKS_VERSION = 5;
const NO_AUTHENTICATION = 0;
const NO_METHOD = 0xff;
const CONNECT = 1;

/** Section 6. */
export const socksReplies = {
  succeeded: 0,
  failure: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  commandNotSupported: 7,
  addressNotSupported: 8,
} as const;

/** Reads the greeting, of which the first byte has been read, and the request. Undefined if it is refused: the answer has been sent. Rejects if the client ends first. */
export async function readSocksRequest(
  socket: Socket,
  opening: OpeningBytes,
): Promise<{ readonly host: string; readonly port: number } | undefined> {
  const [methodCount = 0] = await opening.take(1);
  const methods = methodCount === 0 ? Buffer.alloc(0) : await opening.take(methodCount);
  if (!methods.includes(NO_AUTHENTICATION)) {
    socket.end(Buffer.of(SOCKS_VERSION, NO_METHOD));
    return undefined;
  }
  socket.write(Buffer.of(SOCKS_VERSION, NO_AUTHENTICATION));
  const [, command, , type] = await opening.take(4);
  const host = await readHost(opening, type);
  if (host === undefined) {
    endSocks(socket, "addressNotSupported");
    return undefined;
  }
  const port = (await opening.take(2)).readUInt16BE();
  if (command === CONNECT) return { host, port };
  endSocks(socket, "commandNotSupported");
  return undefined;
}

export const socksReply = (reply: keyof typeof socksReplies): Buffer =>
  Buffer.of(SOCKS_VERSION, socksReplies[reply], 0, 1, 0, 0, 0, 0, 0, 0);

export const endSocks = (socket: Socket, reply: keyof typeof socksReplies): void => void socket.end(socksReply(reply));

async function readHost(opening: OpeningBytes, type: number | undefined): Promise<string | undefined> {
  switch (type) {
    case 1:
      return [...(await opening.take(4))].join(".");
    case 3: {
      const [length = 0] = await opening.take(1);
      return length === 0 ? "" : (await opening.take(length)).toString("latin1");
    }
    case 4: {
      const bytes = await opening.take(16);
      return Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(index * 2).toString(16)).join(":");
    }
    default:
      return undefined;
  }
}

/** The first bytes of a connection; what was not taken is given back to the socket. */
export class OpeningBytes {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #isOver = false;
  #wake = (): void => {};

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd);
  }

  /** Rejects if the client ends before it has sent that many. */
  async take(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) {
      if (this.#isOver) throw new Error("The client ended the connection");
      this.#socket.resume();
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  /** The socket is paused. `also` goes in front of what is left. */
  release(also: Buffer = Buffer.alloc(0)): void {
    this.#socket.pause().off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    const rest = Buffer.concat([also, this.#bytes]);
    if (rest.length > 0) this.#socket.unshift(rest);
  }

  // One chunk at a time, so that no more than that is held, and the end is not read before somebody else reads it.
  readonly #onData = (chunk: Buffer): void => {
    this.#socket.pause();
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake();
  };

  readonly #onEnd = (): void => {
    this.#isOver = true;
    this.#wake();
  };
}
