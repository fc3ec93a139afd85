/** The archives of the machines that are away, each opened with the first request and closed when it is not used, or its machine is back. */
import { join } from "node:path";
import type { SocketRequest, Transport, TransportRequest, TransportResponse } from "../../../../client/transport.ts";
import { Archive, type OpenArchiveServer } from "./archive.ts";
import type { ReplicaStream } from "./replica-stream.ts";

/** Each has a daemon of its own in memory. */
const OPEN_MAX = 4;
const IDLE_MS = 60_000;

export interface ArchivesOptions {
  /** Of the caches, one for each machine. */
  readonly directory: string;
  readonly openServer: OpenArchiveServer;
  readonly onError: (error: unknown) => void;
}

/** A machine that is away. */
export interface AwayMachine {
  readonly name: string;
  readonly sinceMs: number;
  readonly stream: ReplicaStream;
}

interface Opened {
  readonly archive: Promise<Archive | undefined>;
  users: number;
  usedMs: number;
}

export class Archives {
  readonly #options: ArchivesOptions;
  readonly #opened = new Map<string, Opened>();
  readonly #closing = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: ArchivesOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#closeIdle(), IDLE_MS / 4).unref();
  }

  /**
   * Reads go to the archive while `away` tells that the machine is; everything else, and what no archive has, to `live`. So do readers that follow a
   * session which ran: told that it is lost, they would end, and a machine that was away for a moment would have lost them.
   */
  transport(away: () => AwayMachine | undefined, live: Transport): Transport {
    return {
      request: async (given) => {
        const machine = given.method === "GET" || given.method === "HEAD" ? away() : undefined;
        const wanted = { path: given.path, follows: isStream(given) };
        const ask = async (transport: Transport, release: () => void) =>
          released(await transport.request(given), release);
        return (machine && (await this.#ask(machine, wanted, ask))) ?? (await live.request(given));
      },
      openSocket: async (given) => {
        const machine = away();
        const wanted = { path: given.path, follows: true };
        const ask = async (transport: Transport, release: () => void) =>
          await transport.openSocket({ ...given, handlers: releasing(given.handlers, release) });
        return (machine && (await this.#ask(machine, wanted, ask))) ?? (await live.openSocket(given));
      },
    };
  }

  /** The machine is back: its readers connect again, and reach it. */
  close(machine: string): void {
    const opened = this.#opened.get(machine);
    if (opened === undefined) return;
    this.#opened.delete(machine);
    const closing = opened.archive
      .then(async (archive) => await archive?.[Symbol.asyncDispose]())
      .catch(this.#options.onError)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async closeAll(): Promise<void> {
    clearInterval(this.#timer);
    for (const machine of this.#opened.keys()) this.close(machine);
    await Promise.all(this.#closing);
  }

  /** What `ask` gives, with the archive in use until it calls `release`; undefined if no archive answers. */
  async #ask<Answer>(
    machine: AwayMachine,
    { follows, path }: { readonly follows: boolean; readonly path: string },
    ask: (transport: Transport, release: () => void) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const opened = this.#open(machine);
    opened.users += 1;
    const release = this.#releaseOf(opened);
    try {
      const archive = await opened.archive;
      if (archive?.answers(path, { follows }) === true) {
        await archive.prepare(path);
        return await ask(archive.transport, release);
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  #open({ name, sinceMs, stream }: AwayMachine): Opened {
    const known = this.#opened.get(name);
    if (known !== undefined) return known;
    for (const [other, { users }] of this.#opened) {
      if (this.#opened.size < OPEN_MAX) break;
      if (users === 0) this.close(other);
    }
    const { directory, openServer } = this.#options;
    // One that is being closed still has the directory.
    const archive = Promise.all(this.#closing).then(
      async () => await Archive.open(join(directory, name), stream, { openServer, awaySinceMs: sinceMs }),
    );
    const opened: Opened = { archive, users: 0, usedMs: performance.now() };
    this.#opened.set(name, opened);
    archive.then(
      (found) => {
        // Asked again with the next request.
        if (found === undefined && this.#opened.get(name) === opened) this.#opened.delete(name);
        return undefined;
      },
      () => this.#opened.get(name) === opened && this.#opened.delete(name),
    );
    return opened;
  }

  #releaseOf(opened: Opened): () => void {
    let isUsed = true;
    return () => {
      if (!isUsed) return;
      isUsed = false;
      opened.users -= 1;
      opened.usedMs = performance.now();
    };
  }

  #closeIdle(): void {
    for (const [name, { usedMs, users }] of this.#opened) {
      if (users === 0 && performance.now() - usedMs > IDLE_MS) this.close(name);
    }
  }
}

function released(response: TransportResponse, release: () => void): TransportResponse {
  return {
    status: response.status,
    header: (name) => response.header(name),
    chunks: chunksOf(response, release),
    trailer: (name) => response.trailer?.(name),
    cancel: () => {
      release();
      response.cancel();
    },
  };
}

async function* chunksOf({ chunks }: TransportResponse, release: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    release();
  }
}

const releasing = (handlers: SocketRequest["handlers"], release: () => void): SocketRequest["handlers"] => ({
  onMessage: (data) => handlers.onMessage(data),
  onClose: (end) => {
    release();
    handlers.onClose(end);
  },
});

const isStream = ({ headers }: TransportRequest): boolean => headers["accept"]?.includes("text/event-stream") === true;
