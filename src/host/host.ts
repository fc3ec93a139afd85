/**
 * The pty host, the parent of the programs. It holds ptys, appends to journals and answers the daemon. It knows bytes, offsets and
 * time, not agents or HTTP. It outlives the daemon: programs are not affected when a connection is lost.
 *
 * No output is queued for a daemon. It receives the new end of each journal, at most one short frame per session
 * and turn of the event loop, and reads the journal itself.
 */
import { createServer, type Socket } from "node:net";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { JournalWriter } from "../journal/writer.ts";
import { toLecternError } from "../protocol/errors.ts";
import type { ExitStatus } from "../protocol/records.ts";
import { demandDescriptors } from "../pty/free-descriptors.ts";
import { describeBackends } from "../pty/spawn.ts";
import {
  decodeInputFrame,
  encodeJsonFrame,
  encodeTailFrame,
  HostFrameReader,
  frameType,
  type HostFrame,
} from "./frames.ts";
import { BoundSocket } from "./bound-socket.ts";
import { DaemonKeeper } from "./daemon-keeper.ts";
import type { EventPeer } from "./event-peer.ts";
import { EventSocket } from "./event-socket.ts";
import { writeHostRecord } from "./host-record.ts";
import { HostCounters } from "./host-counters.ts";
import { hostedMethods } from "./hosted-methods.ts";
import { HostedSession, type SessionListener } from "./hosted-session.ts";
import { takeJournalLock } from "./journal-lock.ts";
import {
  HOST_PROTOCOL_VERSION,
  type Hello,
  type HostMethod,
  type HostError,
  type HostMethods,
  type HostRequest,
  type HostResponse,
  type Notice,
} from "./messages.ts";
import { prepareSocketPath } from "./socket-path.ts";

const SESSIONS_MAX = 4000;
/**
 * Interval of tail frames by what a session has written since the last one: less than 4 KiB is an echo or a line and is reported at once, and
 * the bytes of a flood are read in large parts.
 */
const TAIL_EVERY_MS = [
  { bytesMin: 128 * 1024, everyMs: 10 },
  { bytesMin: 64 * 1024, everyMs: 4 },
  { bytesMin: 4096, everyMs: 1 },
  { bytesMin: 0, everyMs: 0 },
] as const;

interface HostOptions {
  readonly version: string;
  /** Called when there is nothing left to do: drained and without sessions, or idle without a daemon. */
  readonly onIdle: () => void | Promise<void>;
  /** How long a host without sessions and without a daemon keeps running. */
  readonly idleMs: number;
}

export class PtyHost implements SessionListener {
  readonly #options: HostOptions;
  readonly #connections = new Set<Connection>();
  readonly #sessions = new Map<number, HostedSession>();
  readonly #counters = new HostCounters();
  readonly #eventSocket = new EventSocket((event, peer) => {
    const session = this.#sessionNamed(event.session);
    this.#refuseForeign(session, peer);
    return session.event(event, peer);
  });
  readonly #keeper = new DaemonKeeper<Connection>({
    isNeeded: () => [...this.#sessions.values()].some(({ needsDaemon }) => needsDaemon),
    isDraining: () => this.#draining,
    log: (line) => this.onError(line),
  });
  /** Undefined until it listens. */
  #bound: BoundSocket | undefined;
  #path = "";
  #eventSocketPath: string | undefined;
  #nextHandle = 1;
  #draining = false;
  /** The daemon has ended as it should, and no other has come: without sessions, this host is of no use. */
  #isLeft = false;
  /** Pending requests: the last answer must be sent before the process ends. */
  #unanswered = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /** Binds the socket, and binds it again if it is removed, so that the host stays reachable. */
  async listen(path: string): Promise<void> {
    this.#path = path;
    this.#bound = await BoundSocket.bind({
      path,
      makeServer: () =>
        createServer((socket) => {
          this.#isLeft = false;
          this.#connections.add(new Connection(socket, this));
          this.#checkIdle();
        }),
      prepare: prepareSocketPath,
      onProblem: (error) => this.onError(error),
    });
    this.#checkIdle();
  }

  /** Sessions started after this have the path of the event socket in their environment. */
  async listenForEvents(path: string): Promise<void> {
    await this.#eventSocket.listen(path, (error) => this.onError(error));
    this.#eventSocketPath = path;
  }

  get hello(): Hello {
    return {
      protocol: HOST_PROTOCOL_VERSION,
      version: this.#options.version,
      pid: process.pid,
      backend: describeBackends().find(({ available }) => available)?.backend ?? "none",
      draining: this.#draining,
      knowsConditions: true,
      knowsPipes: true,
    };
  }

  /** The session of a handle. Throws `SESSION_ENDED`: a host forgets a session when its journal is closed. */
  session(handle: number): HostedSession {
    const session = this.#sessions.get(handle);
    if (session === undefined) throw new LecternError("SESSION_ENDED", "The session has ended");
    return session;
  }

  #sessionNamed(id: string): HostedSession {
    for (const session of this.#sessions.values()) if (session.session === id) return session;
    throw new LecternError("SESSION_NOT_FOUND", `Cannot find session "${id}": it has ended, or runs elsewhere`);
  }

  /** A program that the kernel knows to be in one session reports nothing for another one, whatever its environment says. */
  #refuseForeign({ session }: HostedSession, peer: EventPeer | undefined): void {
    const isOf = ({ info: { pid } }: HostedSession): boolean =>
      peer?.leader === pid || peer?.ancestors.includes(pid) === true;
    const owner = [...this.#sessions.values()].find(isOf);
    if (peer === undefined || owner === undefined || owner.session === session) return;
    throw new LecternError(
      "FORBIDDEN",
      `Cannot accept the event: process ${peer.pid} belongs to session "${owner.session}", not to "${session}"`,
    );
  }

  drain(): void {
    this.#draining = true;
    this.#checkIdle();
  }

  readonly methods: {
    readonly [Method in HostMethod]: (
      parameters: HostMethods[Method]["parameters"],
      connection: Connection,
    ) => HostMethods[Method]["result"] | Promise<HostMethods[Method]["result"]>;
  } = {
    spawn: async (request) => {
      demandDescriptors("start a session");
      if (this.#draining) throw new LecternError("DRAINING", "The host accepts no new sessions: start another host");
      if (this.#sessions.size >= SESSIONS_MAX)
        throw new LecternError("LIMIT_EXCEEDED", `Cannot start a session: ${SESSIONS_MAX} are running; end some first`);
      const { directory, mode, retainBytesMax } = request;
      const piped = mode === "acp" ? (await import("../pty/piped-program.ts")).PipedProgram : undefined;
      const journal = await JournalWriter.open(directory, { retainBytesMax, lock: takeJournalLock });
      try {
        writeHostRecord(directory, { pid: process.pid, version: this.#options.version, socket: this.#path });
        const counters = this.#counters;
        const handle = this.#nextHandle++;
        const place = { counters, handle, journal, listener: this, eventSocket: this.#eventSocketPath, piped };
        const session = new HostedSession(request, place);
        this.#sessions.set(session.handle, session);
        return session.info;
      } catch (error) {
        await journal.close();
        throw error;
      }
    },
    totals: () => this.#counters.totals,
    list: () => ({ sessions: [...this.#sessions.values()].map((session) => session.info) }),
    follow: ({ handle, on }, connection) => {
      connection.follow(handle, on);
      return { end: this.session(handle).end };
    },
    supervise: ({ restart }, connection) => {
      this.#keeper.supervise(connection, restart);
      this.#isLeft = restart === null;
      return {};
    },
    ...hostedMethods(
      (handle) => this.session(handle),
      (handle) => this.#sessions.has(handle),
    ),
  };

  onAdvance(session: HostedSession): void {
    for (const connection of this.#connections) connection.tailMoved(session, true);
  }

  onInput(session: HostedSession): void {
    for (const connection of this.#connections) connection.tailMoved(session, false);
  }

  onDegraded(session: HostedSession, message: string | null): void {
    this.#notify({ type: "degraded", session: session.session, message });
  }

  onExit(session: HostedSession, exit: ExitStatus): void {
    this.#sessions.delete(session.handle);
    for (const connection of this.#connections) connection.forget(session);
    this.#notify({ type: "exit", session: session.session, end: session.end, exit });
    this.#checkIdle();
  }

  /** Writes to standard error, which is the host's log file. */
  onError(error: unknown): void {
    process.stderr.write(
      `${new Date().toISOString()} ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  }

  disconnected(connection: Connection): void {
    this.#connections.delete(connection);
    for (const session of this.#sessions.values()) {
      try {
        session.left(connection);
      } catch (error) {
        // Such as a full disk: the other sessions go on.
        this.onError(error);
      }
    }
    this.#keeper.disconnected(connection);
    this.#checkIdle();
  }

  /** Closes all connections after pending data is sent. */
  async close(): Promise<void> {
    this.#keeper.close();
    this.#bound?.close();
    this.#eventSocket.close();
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  /** Keeps the process running until the work is done and answered. */
  async answering(work: () => Promise<void>): Promise<void> {
    this.#unanswered++;
    try {
      await work();
    } catch (error) {
      this.onError(error);
    }
    this.#unanswered--;
    this.#checkIdle();
  }

  #notify(notice: Notice): void {
    for (const connection of this.#connections) connection.notify(notice);
  }

  #checkIdle(): void {
    clearTimeout(this.#idleTimer);
    if (this.#sessions.size > 0 || this.#unanswered > 0) return;
    if (!this.#draining && this.#connections.size > 0) return;
    const idleMs = this.#isLeft ? waits.retryMs : this.#options.idleMs;
    const delayMs = this.#draining ? 0 : idleMs;
    this.#idleTimer = setTimeout(() => void this.#options.onIdle(), delayMs);
  }
}

export class Connection {
  readonly #socket: Socket;
  readonly #host: PtyHost;
  readonly #frames = new HostFrameReader();
  readonly #followed = new Set<number>();
  /** Sessions whose journal grew since the last flush, with the end to report. */
  readonly #moved = new Map<number, number>();
  /** The last reported end of each followed session. */
  readonly #reported = new Map<number, { readonly atMs: number; readonly end: number }>();
  #flushPlanned = false;
  #flushTimed = false;

  constructor(socket: Socket, host: PtyHost) {
    this.#socket = socket;
    this.#host = host;
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => this.#planFlush());
    socket.on("error", () => socket.destroy());
    socket.on("close", () => host.disconnected(this));
    socket.write(encodeJsonFrame(frameType.hello, host.hello));
  }

  follow(handle: number, on: boolean): void {
    if (on) this.#followed.add(handle);
    else this.#followed.delete(handle);
  }

  /** `urgent`: report at once unless it is a flood, because a client may be waiting for it. */
  tailMoved(session: HostedSession, urgent: boolean): void {
    if (!this.#followed.has(session.handle)) return;
    this.#moved.set(session.handle, session.end);
    const reported = this.#reported.get(session.handle);
    const grownBytes = reported === undefined ? 0 : session.end - reported.end;
    const everyMs = TAIL_EVERY_MS.find(({ bytesMin }) => grownBytes >= bytesMin)?.everyMs ?? 0;
    if (urgent && performance.now() - (reported?.atMs ?? -Infinity) >= everyMs) this.#planFlush();
    else this.#planFlushLater(Math.max(1, everyMs));
  }

  notify(notice: Notice): void {
    this.#socket.write(encodeJsonFrame(frameType.notice, notice));
  }

  /** The exit notice contains the end: no tail frame follows it. */
  forget(session: HostedSession): void {
    this.#followed.delete(session.handle);
    this.#moved.delete(session.handle);
    this.#reported.delete(session.handle);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.once("close", resolve);
      this.#socket.end(() => this.#socket.destroy());
    });
  }

  /** Once per turn of the event loop, and not while the daemon does not read: it gets the newest end later. */
  #planFlush(): void {
    if (this.#flushPlanned || this.#moved.size === 0) return;
    this.#flushPlanned = true;
    setImmediate(() => {
      this.#flushPlanned = false;
      if (!this.#socket.writableNeedDrain) this.#flush();
    });
  }

  #planFlushLater(delayMs: number): void {
    if (this.#flushTimed) return;
    this.#flushTimed = true;
    setTimeout(() => {
      this.#flushTimed = false;
      this.#planFlush();
    }, delayMs);
  }

  #flush(): void {
    if (this.#moved.size === 0 || this.#socket.destroyed) return;
    const atMs = performance.now();
    for (const [handle, end] of this.#moved) this.#reported.set(handle, { atMs, end });
    const frames = [...this.#moved].map(([handle, end]) => encodeTailFrame(handle, end));
    this.#moved.clear();
    this.#socket.write(frames.length === 1 && frames[0] ? frames[0] : Buffer.concat(frames));
  }

  #receive(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.feed(chunk)) this.#handle(frame);
    } catch {
      this.#socket.destroy();
    }
  }

  #handle(frame: HostFrame): void {
    switch (frame.type) {
      case frameType.drain:
        return this.#host.drain();
      case frameType.input: {
        const { request, handle, bytes, conditions, ...how } = decodeInputFrame(frame.payload);
        const session = (): HostedSession => this.#host.session(handle);
        const options = { ...how, ...conditions };
        return this.#answer(request, () => session()[options.acts === true ? "press" : "input"](bytes, options));
      }
      case frameType.request: {
        const request = JSON.parse(frame.payload.toString()) as HostRequest;
        return this.#answer(request.id, () => this.#call(request));
      }
      default:
        throw new LecternError("MALFORMED", `Cannot read a frame of type ${frame.type}`);
    }
  }

  #call(request: HostRequest): unknown {
    const { id: _, method, ...parameters } = request;
    // The method selects both handler and parameters, which the compiler cannot follow.
    const call = this.#host.methods[method] as (parameters: unknown, connection: Connection) => unknown;
    if (call === undefined) throw new LecternError("MALFORMED", `The host has no method "${method}"`);
    return call(parameters, this);
  }

  /** Synchronous work is answered in the same turn, which keeps the order of input and adds no latency. */
  #answer(id: number, work: () => unknown): void {
    try {
      const result = work();
      if (!(result instanceof Promise)) return this.#respond({ id, result });
      void this.#host.answering(() =>
        result.then(
          (settled: unknown) => this.#respond({ id, result: settled }),
          (error: unknown) => this.#respond({ id, error: asHostError(error) }),
        ),
      );
    } catch (error) {
      this.#respond({ id, error: asHostError(error) });
    }
  }

  #respond(response: HostResponse): void {
    if (!this.#socket.destroyed) this.#socket.write(encodeJsonFrame(frameType.response, response));
  }
}

function asHostError(error: unknown): HostError {
  const { code, message, details } = toLecternError(error);
  return { code, message, details };
}
