/**
 * A unix socket that stays reachable: where its file is removed or replaced, as at a logout that clears the runtime directory, it is
 * bound again. Connections that are open live on.
 *
 * Law of the names: libuv removes the file that a server was bound to when the server closes, whoever made it. So a server is bound to a
 * name of its own, and the file gets its true name when it is ready; a closing server never removes what replaced its file.
 */
import { chmodSync, lstatSync, renameSync, unlinkSync, type Stats } from "node:fs";
import type { Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

/** How often it is checked that the socket is there: a client that finds none waits longer than this. */
const CHECK_EVERY_MS = 500;

export interface BoundSocketOptions {
  readonly path: string;
  /** A server with its handlers that does not listen yet. */
  readonly makeServer: () => Server;
  /** Makes and checks the directory, and removes a socket at which nobody listens. Throws where the path is somebody else's. */
  readonly prepare: (path: string) => void | Promise<void>;
  /** The socket cannot be bound again now. Called once for each reason; it is tried again until it works. */
  readonly onProblem: (error: unknown) => void;
}

export class BoundSocket {
  readonly #options: BoundSocketOptions;
  readonly #stop = new AbortController();
  #server: Server | undefined;
  #file: Stats | undefined;
  #reported = "";

  private constructor(options: BoundSocketOptions) {
    this.#options = options;
  }

  /** Throws what `prepare` throws, and the error of the system where the socket cannot be bound. */
  static async bind(options: BoundSocketOptions): Promise<BoundSocket> {
    const socket = new BoundSocket(options);
    await socket.#bind();
    void socket.#watch();
    return socket;
  }

  /** Takes no more connections, and removes the socket where it is still ours. */
  close(): void {
    this.#stop.abort();
    this.#unlink();
    this.#server?.close();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (await pause(signal)) {
      try {
        if (!this.#isOurs()) await this.#bind();
        this.#reported = "";
      } catch (error) {
        const { message } = error as Error;
        if (message !== this.#reported && !signal.aborted) this.#options.onProblem(error);
        this.#reported = message;
      }
    }
  }

  #isOurs(): boolean {
    const found = lstatSync(this.#options.path, { throwIfNoEntry: false });
    return found !== undefined && found.ino === this.#file?.ino && found.dev === this.#file.dev;
  }

  async #bind(): Promise<void> {
    const { path, makeServer, prepare } = this.#options;
    await prepare(path);
    if (this.#stop.signal.aborted) return;
    // Its connections live on.
    this.#server?.close();
    this.#server = undefined;
    // No longer than the path itself, which may be as long as the system takes.
    const boundPath = `${path.slice(0, -1)}~`;
    // Left by a process that was killed between its bind and the rename.
    if (lstatSync(boundPath, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(boundPath);
    const server = makeServer();
    try {
      await listen(server, boundPath);
      chmodSync(boundPath, 0o600);
      this.#file = lstatSync(boundPath);
      renameSync(boundPath, path);
    } catch (error) {
      server.close();
      throw error;
    }
    this.#server = server;
    // It was closed meanwhile.
    if (this.#stop.signal.aborted) this.close();
  }

  #unlink(): void {
    try {
      if (this.#isOurs()) unlinkSync(this.#options.path);
    } catch {
      // Its directory went away with it.
    }
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** False when it is over. */
async function pause(signal: AbortSignal): Promise<boolean> {
  await delay(CHECK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  return !signal.aborted;
}
