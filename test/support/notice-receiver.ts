/** A real HTTP server on loopback that receives notices: as a webhook receiver does, or ntfy. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedNotice {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class NoticeReceiver implements AsyncDisposable {
  readonly received: ReceivedNotice[] = [];
  /** Of the next answers; 0 never answers. */
  status: number;
  readonly #server: Server;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(status: number, headers: Readonly<Record<string, string>>) {
    this.status = status;
    this.#headers = headers;
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        this.received.push({ path: incoming.url ?? "", headers: incoming.headers, body });
        if (this.status > 0) outgoing.writeHead(this.status, this.#headers).end(`answer of ${this.status}`);
      });
    });
  }

  static async start(status = 204, headers: Readonly<Record<string, string>> = {}): Promise<NoticeReceiver> {
    const receiver = new NoticeReceiver(status, headers);
    await once(receiver.#server.listen(0, "127.0.0.1"), "listening");
    return receiver;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** How often each notice arrived, by its id. */
  get counts(): ReadonlyMap<string, number> {
    const ids = this.received.map(({ headers }) => String(headers["webhook-id"]));
    return new Map(ids.map((id) => [id, ids.filter((other) => other === id).length]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
