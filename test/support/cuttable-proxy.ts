/** A TCP proxy that cuts all connections at a chosen moment, and takes none until they are restored. */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { until } from "./until.ts";

/** Before the server sees the request, or in the middle of the first packet of its answer. */
export type CutMoment = "request" | "answer";

interface PlannedCut {
  readonly path: RegExp;
  readonly moment: CutMoment;
}

export class CuttableProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #target: number;
  readonly #sockets = new Set<Socket>();
  #planned: PlannedCut | undefined;
  #isCut = false;
  /** Connections that were refused since the last cut. */
  #refused = 0;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (socket) => this.#join(socket));
  }

  /** `target` is a port of 127.0.0.1. */
  static async start(target: number): Promise<CuttableProxy> {
    const server = createServer();
    await once(server.listen(0, "127.0.0.1"), "listening");
    return new CuttableProxy(server, target);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Cuts at the next request whose path and query match. */
  plan(moment: CutMoment, path: RegExp): void {
    this.#planned = { moment, path };
  }

  cut(): void {
    this.#planned = undefined;
    this.#isCut = true;
    this.#refused = 0;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Until somebody has tried in vain to connect again. */
  async refusedOne(): Promise<void> {
    await until(() => this.#isCut && this.#refused > 0, "a connection that was refused");
  }

  restore(): void {
    this.#isCut = false;
  }

  #join(near: Socket): void {
    if (this.#isCut) {
      this.#refused += 1;
      near.destroy();
      return;
    }
    const far = connect(this.#target, "127.0.0.1");
    let isHit = false;
    near.on("data", (bytes) => {
      const request = bytes.toString("latin1");
      isHit = this.#isPlanned(request);
      if (isHit && this.#planned?.moment === "request") this.cut();
      // The server answers for its own address only.
      else far.write(request.replaceAll(new URL(this.url).host, `127.0.0.1:${this.#target}`), "latin1");
    });
    far.on("data", (bytes: Buffer) => {
      if (isHit) near.write(bytes.subarray(0, bytes.length / 2), () => this.cut());
      else near.write(bytes);
    });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }

  #isPlanned(text: string): boolean {
    const path = /^[A-Z]+ (\S+) HTTP/.exec(text)?.[1];
    return path !== undefined && this.#planned?.path.test(path) === true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, "close");
  }
}
