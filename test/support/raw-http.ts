/** Requests as bytes on a socket, for what no HTTP client would send. */
import { connect, type NetConnectOpts, type Socket } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends bytes and reads until the server closes or the answer is whole. */
export function sendRaw(where: NetConnectOpts, request: string | Uint8Array): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(where, () => socket.write(request));
    let text = "";
    socket.setEncoding("latin1");
    socket.on("data", (piece: string) => {
      text += piece;
      const answer = parseAnswer(text);
      if (answer === undefined) return;
      resolve(answer);
      socket.destroy();
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`The connection closed after ${JSON.stringify(text)}`)));
  });
}

/** Undefined while something is missing. */
function parseAnswer(text: string): RawAnswer | undefined {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd === -1) return undefined;
  const [first = "", ...lines] = text.slice(0, headEnd).split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = text.slice(headEnd + 4);
  const length = Number(headers.get("content-length") ?? 0);
  return body.length < length ? undefined : { status: Number(first.split(" ")[1]), headers, body };
}

/** An open connection that collects what comes. */
export function openSocket(
  where: NetConnectOpts,
): Promise<{ socket: Socket; received: () => string; closed: Promise<void> }> {
  return new Promise((resolve, reject) => {
    const socket = connect(where);
    let text = "";
    socket.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
    });
    const closed = new Promise<void>((done) => void socket.once("close", () => done()));
    socket.once("error", reject);
    socket.once("connect", () => resolve({ socket, received: () => text, closed }));
  });
}
