/**
 * A unix socket that stays reachable: if its file is removed or replaced, as by a logout that clears the runtime directory, it is
 * bound again. Open connections are not affected.
 *
 * Naming law: when a server closes, libuv removes the file at the path that it was bound to, even if another server created it. So a server is bound to a
 * temporary name, and the file is renamed when it is ready; a closing server never removes its replacement.
 */
import { waits } from "../core/waits.ts";
import { once } from "node:events";
import { chmodSync, lstatSync, renameSync, unlinkSync, type Stats } from "node:fs";
import type { Server } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface BoundSocketOptions {
  readonly path: string;
  /** Creates a server with handlers that does not listen yet. */
  readonly makeServer: () => Server;
  /** Creates and checks the directory and removes a stale socket. Throws if the path belongs to another process or user. */
  readonly prepare: (path: string) => void | Promise<void>;
  /** Binding again failed. Called once per message; binding is retried until it succeeds. */
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

  /** Throws what `prepare` throws, and the system error if the socket cannot be bound. */
  static async bind(options: BoundSocketOptions): Promise<BoundSocket> {
    const socket = new BoundSocket(options);
    await socket.#bind();
    void socket.#watch();
    return socket;
  }

  /** Stops accepting connections and removes the socket file if it is still ours. */
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
    // Its open connections are not affected.
    this.#server?.close();
    this.#server = undefined;
    // As long as the path itself, which may have the maximum length.
    const boundPath = `${path.slice(0, -1)}~`;
    // Left by a process that was killed between bind and rename.
    if (lstatSync(boundPath, { throwIfNoEntry: false })?.isSocket() === true) unlinkSync(boundPath);
    const server = makeServer();
    try {
      await once(server.listen(boundPath), "listening");
      chmodSync(boundPath, 0o600);
      this.#file = lstatSync(boundPath);
      renameSync(boundPath, path);
    } catch (error) {
      server.close();
      throw error;
    }
    this.#server = server;
    // Closed meanwhile.
    if (this.#stop.signal.aborted) this.close();
  }

  #unlink(): void {
    try {
      if (this.#isOurs()) unlinkSync(this.#options.path);
    } catch {
      // Its directory was removed.
    }
  }
}

async function pause(signal: AbortSignal): Promise<boolean> {
  await delay(waits.checkMs, undefined, { signal, ref: false }).catch(() => undefined);
  return !signal.aborted;
}
