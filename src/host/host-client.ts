/** The daemon's side of the connection to a pty host. */
import { connect, type Socket } from "node:net";
import { LecternError } from "../core/errors.ts";
import { lateTimer } from "../timers/late-timer.ts";
import { within } from "../timers/within.ts";
import {
  decodeTailFrame,
  encodeFrame,
  encodeInputFrame,
  encodeJsonFrame,
  HostFrameReader,
  frameType,
  type HostFrame,
} from "./frames.ts";
import {
  HOST_PROTOCOL_OLDEST,
  HOST_PROTOCOL_VERSION,
  type Hello,
  type HostMethod,
  type HostMethods,
  type HostResponse,
  type InputOptions,
  type Notice,
  type Written,
} from "./messages.ts";

const PENDING_MAX = 100_000;
/** These take their time; the host answers everything else in the turn in which it reads it. */
const LONG_METHODS: ReadonlySet<HostMethod> = new Set(["spawn", "kill"]);

export interface HostListener {
  onTail(handle: number, end: number): void;
  onNotice(notice: Notice): void;
  /** The connection is closed. A host closes it only when it ends. */
  onClose(): void;
}

export interface HostTimes {
  /** To the hello of a host that was connected to. */
  readonly hostHelloMs: number;
  /** To the answer to a call. */
  readonly hostAnswerMs: number;
}

/** What a session needs of the host that runs it. */
export type SessionHost = Pick<HostClient, "call" | "input">;

interface Connected {
  readonly path: string;
  readonly hello: Hello;
  readonly listener: HostListener;
  readonly times: HostTimes;
}

interface Pending {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class HostClient {
  readonly hello: Hello;
  readonly path: string;
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  readonly #listener: HostListener;
  readonly #times: HostTimes;
  #nextRequest = 1;

  private constructor(socket: Socket, { hello, listener, path, times }: Connected) {
    this.path = path;
    this.#socket = socket;
    this.hello = hello;
    this.#listener = listener;
    this.#times = times;
  }

  /** Rejects with `HOST_UNREACHABLE` if nothing listens or no hello arrives. */
  static async connect(path: string, times: HostTimes, listener: HostListener): Promise<HostClient> {
    const socket = connect(path);
    const reader = new HostFrameReader();
    const { hello, rest } = await greeting(socket, reader, { path, times });
    const client = new HostClient(socket, { hello, listener, path, times });
    socket.on("data", (chunk: Buffer) => client.#receive(() => reader.feed(chunk)));
    socket.on("close", () => client.#closed());
    client.#receive(() => rest);
    socket.resume();
    return client;
  }

  /** False for a host of an unknown protocol, which can only be drained. */
  get understood(): boolean {
    return this.hello.protocol >= HOST_PROTOCOL_OLDEST && this.hello.protocol <= HOST_PROTOCOL_VERSION;
  }

  /** False for an older host, which supports neither `mark` nor keyed input. */
  get current(): boolean {
    return this.hello.protocol === HOST_PROTOCOL_VERSION;
  }

  /** Rejects with `HOST_UNREACHABLE` if the connection breaks, or if the host answers nothing for `hostAnswerMs`. */
  call<Method extends HostMethod>(
    method: Method,
    parameters: HostMethods[Method]["parameters"],
  ): Promise<HostMethods[Method]["result"]> {
    if (method === "mark" && !this.current) return Promise.reject(tooOld(this, "write a mark"));
    const encode = (id: number): Buffer => encodeJsonFrame(frameType.request, { id, method, ...parameters });
    const answer = LONG_METHODS.has(method) ? this.#patientRequest(encode) : this.#shortRequest(encode);
    return answer as Promise<HostMethods[Method]["result"]>;
  }

  /** Rejects as `call` does, and as `HostedSession.input` throws. */
  input(handle: number, bytes: Uint8Array, { secret = false, key, ...given }: InputOptions = {}): Promise<Written> {
    if (key !== undefined && !this.current) return Promise.reject(tooOld(this, "type with a key"));
    const isKnown = this.hello.knowsConditions === true && Object.values(given).some((value) => value !== undefined);
    const input = { handle, bytes, secret, key, conditions: isKnown ? given : undefined };
    const encode = (request: number): Buffer => encodeInputFrame({ request, ...input });
    // The program may take its time to read what is in front of a key.
    return (given.acts === true ? this.#patientRequest(encode) : this.#shortRequest(encode)) as Promise<Written>;
  }

  drain(): void {
    this.#socket.write(encodeFrame(frameType.drain, new Uint8Array()));
  }

  close(): void {
    this.#socket.destroy();
  }

  async #shortRequest(encode: (id: number) => Buffer): Promise<unknown> {
    const answer = this.#request(encode);
    if (await comesWithin(this.#times.hostAnswerMs, answer)) return answer;
    throw silent(this, this.#times.hostAnswerMs);
  }

  /** As long as the host answers other requests, this one may take its time. */
  async #patientRequest(encode: (id: number) => Buffer): Promise<unknown> {
    const answer = this.#request(encode);
    while (!(await comesWithin(this.#times.hostAnswerMs, answer))) await this.call("list", {});
    return answer;
  }

  #request(encode: (id: number) => Buffer): Promise<unknown> {
    if (this.#socket.destroyed) return Promise.reject(unreachable(this.path));
    if (this.#pending.size >= PENDING_MAX)
      return Promise.reject(new LecternError("LIMIT_EXCEEDED", `${PENDING_MAX} requests wait for the pty host`));
    const id = this.#nextRequest++ & 0x7fff_ffff;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#socket.write(encode(id));
    });
  }

  #receive(frames: () => HostFrame[]): void {
    try {
      for (const frame of frames()) this.#handle(frame);
    } catch (error) {
      this.#socket.destroy(error as Error);
    }
  }

  #handle({ type, payload }: HostFrame): void {
    if (type === frameType.tail) {
      const { handle, end } = decodeTailFrame(payload);
      this.#listener.onTail(handle, end);
    } else if (type === frameType.response) {
      this.#settle(JSON.parse(payload.toString()) as HostResponse);
    } else if (type === frameType.notice) {
      this.#listener.onNotice(JSON.parse(payload.toString()) as Notice);
    }
  }

  #settle(response: HostResponse): void {
    const pending = this.#pending.get(response.id);
    this.#pending.delete(response.id);
    if ("result" in response) return pending?.resolve(response.result);
    const { code, message, details } = response.error;
    pending?.reject(new LecternError(code, message, { details }));
  }

  #closed(): void {
    for (const { reject } of this.#pending.values()) reject(unreachable(this.path));
    this.#pending.clear();
    this.#listener.onClose();
  }
}

/** Waits for the hello; returns the frames that arrived with it. */
function greeting(
  socket: Socket,
  reader: HostFrameReader,
  { path, times }: Pick<Connected, "path" | "times">,
): Promise<{ hello: Hello; rest: HostFrame[] }> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: Error): void => {
      socket.destroy();
      reject(unreachable(path, cause));
    };
    let isSettled = false;
    const late = (): void => (isSettled ? undefined : fail());
    const timer = lateTimer(late, times.hostHelloMs);
    const settle = (): void => {
      isSettled = true;
      clearTimeout(timer);
      socket.removeAllListeners();
      // Later errors close the socket, and `close` is handled.
      socket.on("error", () => {});
    };
    socket.on("error", (cause) => {
      settle();
      fail(cause);
    });
    socket.on("close", () => {
      settle();
      fail();
    });
    socket.on("data", (chunk: Buffer) => {
      try {
        const [first, ...rest] = reader.feed(chunk);
        if (first === undefined) return;
        settle();
        socket.pause();
        if (first.type !== frameType.hello) return fail();
        resolve({ hello: JSON.parse(first.payload.toString()) as Hello, rest });
      } catch (error) {
        settle();
        fail(error as Error);
      }
    });
  });
}

/** False if a promise is not settled after `ms`. */
const comesWithin = async (ms: number, promise: Promise<unknown>): Promise<boolean> =>
  (await within(
    ms,
    promise.then(
      () => true,
      () => true,
    ),
  )) === true;

const tooOld = ({ hello }: HostClient, action: string): LecternError =>
  new LecternError(
    "NOT_AVAILABLE",
    `Cannot ${action}: the session runs in a pty host of version ${hello.version}; restart it to move it to a new one`,
  );

function silent({ hello, path }: HostClient, answerMs: number): LecternError {
  return new LecternError(
    "HOST_UNREACHABLE",
    `Cannot reach the pty host at "${path}": process ${hello.pid} does not answer for ${answerMs / 1000} s; if it is stopped, "kill -CONT ${hello.pid}" continues it, and with it what was sent`,
    { details: { pid: hello.pid } },
  );
}

function unreachable(path: string, cause?: Error): LecternError {
  return new LecternError(
    "HOST_UNREACHABLE",
    `Cannot reach the pty host at "${path}": it has ended or does not answer`,
    { cause },
  );
}
