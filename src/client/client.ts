/** The typed client: a method for each JSON operation, one for each other kind of response. */
import { LecternError } from "../core/errors.ts";
import { checkOptions, type OptionNames } from "../core/option-names.ts";
import { DAMAGED_TRAILER, decodeDamagedRanges, type OffsetRange } from "../protocol/damaged-ranges.ts";
import type { BytesOperation, InputOf, JsonOperation, OutputOf } from "../protocol/operations.ts";
import { fillPath, machinePath, routeOf } from "../protocol/routes.ts";
import { splitAddress } from "../protocol/session-address.ts";
import { addressOf, queryOf } from "./address.ts";
import type { Attachment, AttachmentOptions } from "./attachment.ts";
import type { ChangeKind } from "../core/views/change.ts";
import type { RecordType } from "../protocol/records.ts";
import type { SessionUpdate, DaemonUpdate, UpdateKind } from "../protocol/views.ts";
import type { FollowOptions } from "./follow-events.ts";
import { toSessionRecord, type SessionRecord } from "./session-record.ts";
import { fetchTransport, type FetchTransportOptions } from "./fetch-transport.ts";
import { OperationGroups, type CallOptions } from "./operation-methods.ts";
import { cancelled, errorOf, readText } from "./transport-errors.ts";
import { machineTransport } from "./machine-transport.ts";
import type { Transport, TransportResponse } from "./transport.ts";

/** `onDamaged` is called behind the last byte if damaged parts are missing between the bytes. Not over `fetch`, which hides trailers. */
export interface ByteOptions extends CallOptions {
  readonly onDamaged?: ((ranges: readonly OffsetRange[]) => void) | undefined;
}

/** What `LecternClient.follow` streams, and how it reconnects. */
export interface SessionFollowOptions extends FollowOptions {
  /** The offset to start at. Default: the current end. */
  readonly from?: number | undefined;
  /** Only these types. The stream ends with the session, also without `exit` among them. */
  readonly types?: readonly RecordType[] | undefined;
}

/** What `LecternClient.updates` streams, and how it reconnects. */
export interface SessionUpdatesOptions extends FollowOptions {
  /** The offset to start at, such as the `end` of a session for what is to come. Default 0: from the beginning. */
  readonly from?: number | undefined;
  readonly kinds?: readonly UpdateKind[] | undefined;
}

/** What `LecternClient.daemonUpdates` streams, and how it reconnects. */
export interface DaemonUpdatesOptions extends FollowOptions {
  readonly kinds?: readonly ChangeKind[] | undefined;
  /** Each connection starts with all sessions and open questions; their changes follow. */
  readonly list?: boolean | undefined;
  /** Also the states of other machines and the updates of their sessions, each with its `machine`. */
  readonly machines?: boolean | undefined;
}

/** Where an attachment starts, and what it may do. */
export interface AttachOptions extends AttachmentOptions {
  /** Without `from` and without a screen to draw: so many bytes of the last output. */
  readonly tailBytes?: number;
  readonly readOnly?: boolean;
  /** The name of this reader as a writer; a reader with a name gets `writer` items. */
  readonly name?: string;
  /** Each key takes over the input lease; without it keys are refused with `CONFLICT` while another writer types, until `take()`. */
  readonly take?: boolean;
  /** Never skip output, however slow the reader is. */
  readonly lossless?: boolean;
}

/** The largest JSON response: logs of 16 MiB, as text. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const ATTACH_PROTOCOL = "lectern.v1";
const CAST_TYPE = "application/x-asciicast";

const addressNames: OptionNames<FetchTransportOptions> = { url: true, token: true };
const callNames: OptionNames<CallOptions> = { signal: true };
const bytesNames: OptionNames<ByteOptions> = { ...callNames, onDamaged: true };
const resumeNames: OptionNames<FollowOptions> = {
  ...callNames,
  reconnectMsMax: true,
  over: true,
  attemptsMax: true,
  beforeReconnect: true,
};
const followNames: OptionNames<SessionFollowOptions> = { ...resumeNames, from: true, types: true };
const updatesNames: OptionNames<SessionUpdatesOptions> = { ...resumeNames, from: true, kinds: true };
const daemonUpdatesNames: OptionNames<DaemonUpdatesOptions> = {
  ...resumeNames,
  kinds: true,
  list: true,
  machines: true,
};
const attachNames: OptionNames<AttachOptions> = {
  ...callNames,
  from: true,
  bufferBytesMax: true,
  reconnectMsMax: true,
  giveUpMsMax: true,
  beforeReconnect: true,
  tailBytes: true,
  readOnly: true,
  name: true,
  take: true,
  lossless: true,
};

const NO_ADDRESS =
  'Cannot make a client without an address: give { url, token }, or "await LecternClient.connect()" finds the daemon of this user';

/**
 * A typed client of the daemon. Each operation that answers with JSON is a method of its group, as in `client.sessions.list()`; the
 * methods below stream. Each rejects with a `LecternError`: one of the codes in PROTOCOL.md, `DAEMON_UNREACHABLE` or `CANCELLED`.
 *
 * @example
 * ```ts
 * const client = new LecternClient({ url: "http://127.0.0.1:7433", token });
 * const session = await client.sessions.create({ command: ["bash"] });
 * await client.sessions.input(session.id, { text: "date", enter: true });
 * ```
 */
export class LecternClient extends OperationGroups {
  readonly #transport: Transport;

  /** `daemon`: its address and token, or what else leads to it. Throws `INVALID_INPUT` without any. */
  constructor(daemon: Transport | FetchTransportOptions) {
    super();
    // A program in JavaScript may leave it out.
    if (typeof daemon !== "object" || daemon === null) throw new LecternError("INVALID_INPUT", NO_ADDRESS);
    if ("url" in daemon) checkOptions("LecternClient", daemon, addressNames);
    this.#transport = "url" in daemon ? fetchTransport(daemon) : daemon;
  }

  /**
   * Connects to a daemon at an address. The one of `lectern`, for Node, needs no address: it connects to the daemon of this user, and starts it if
   * none runs. Rejects with `DAEMON_UNREACHABLE`, `UNAUTHENTICATED` or `NOT_AVAILABLE`.
   */
  static async connect(address?: FetchTransportOptions): Promise<LecternClient> {
    if (address?.url === undefined)
      throw new LecternError(
        "NOT_AVAILABLE",
        'Cannot start a daemon from "lectern/client", which is also for browsers: give its url and token, or import LecternClient from "lectern"',
      );
    const client = new LecternClient(address);
    await client.call("daemon.info", {});
    return client;
  }

  /**
   * A client of the daemon on another machine, through this one: for operations that name no session. Sessions there are also reached as
   * `box/work` by this client.
   */
  on(machine: string): LecternClient {
    return new LecternClient(machineTransport(this.#transport, machine));
  }

  /** Calls an operation that responds with JSON, by its name. */
  async call<Name extends JsonOperation>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Promise<OutputOf<Name>> {
    checkOptions("call", options, callNames);
    const { method, path, body } = addressOf(name, input);
    const response = await this.#transport.request({
      method,
      path,
      headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body }),
      signal: options.signal,
    });
    return (await readJson(response)) as OutputOf<Name>;
  }

  /** Streams the body of a response. The request is cancelled when the reading ends. */
  async *bytes<Name extends BytesOperation>(
    name: Name,
    input: InputOf<Name>,
    options: ByteOptions = {},
  ): AsyncGenerator<Uint8Array, void, void> {
    checkOptions("bytes", options, bytesNames);
    const { method, path } = addressOf(name, input);
    const response = await this.#transport.request({ method, path, headers: {}, signal: options.signal });
    if (!isFine(response)) throw await errorOf(response);
    try {
      yield* response.chunks;
      const damaged = decodeDamagedRanges(response.trailer?.(DAMAGED_TRAILER));
      if (damaged.length > 0) options.onDamaged?.(damaged);
    } finally {
      response.cancel();
    }
  }

  /** Imports an asciicast recording (v2 or v3) as an ended session. */
  async importRecording(
    recording: AsyncIterable<Uint8Array>,
    options: CallOptions & { readonly name?: string | undefined } = {},
  ): Promise<OutputOf<"sessions.import">> {
    checkOptions("importRecording", options, { ...callNames, name: true });
    const { method, path } = routeOf("sessions.import");
    const query = options.name === undefined ? "" : queryOf([["name", options.name]]);
    const response = await this.#transport.request({
      method,
      path: path + query,
      headers: { accept: "application/json", "content-type": CAST_TYPE },
      body: recording,
      signal: options.signal,
    });
    return (await readJson(response)) as OutputOf<"sessions.import">;
  }

  /** Puts a file beside a session, for its program. Its path is on the machine of the session. */
  async putFile(
    reference: string,
    body: AsyncIterable<Uint8Array>,
    options: CallOptions & { readonly name: string; readonly paste?: boolean | undefined },
  ): Promise<OutputOf<"files.put">> {
    checkOptions("putFile", options, { ...callNames, name: true, paste: true });
    const { machine, session } = splitAddress(reference);
    const { method, path } = routeOf("files.put");
    const filled = fillPath(path, { session });
    const query = queryOf([["name", options.name], ...(options.paste === true ? [["paste", "true"] as const] : [])]);
    const response = await this.#transport.request({
      method,
      path: (machine === undefined ? filled : machinePath(machine, filled)) + query,
      headers: { accept: "application/json", "content-type": "application/octet-stream" },
      body,
      signal: options.signal,
    });
    return (await readJson(response)) as OutputOf<"files.put">;
  }

  /** Streams records from an offset, then live ones, until the exit. Resumes after a broken connection. */
  async *follow(session: string, options: SessionFollowOptions = {}): AsyncGenerator<SessionRecord, void, void> {
    checkOptions("follow", options, followNames);
    const { followEvents } = await import("./follow-events.ts");
    const { from, types, ...rest } = options;
    // Without the exit nobody knows that the last record was the last.
    const sent = types === undefined ? undefined : [...new Set([...types, "exit" as const])];
    const records = followEvents({
      transport: this.#transport,
      name: "sessions.follow",
      input: { session, from, types: sent },
      options: rest,
      read: toSessionRecord,
      isLast: ({ type }) => type === "exit",
      isOver: async (last) => await this.#hasEnded(session, last?.next, options.signal),
    });
    for await (const record of records) if (types?.includes(record.type) ?? true) yield record;
  }

  /**
   * Streams the changes of the views and prompts of a session from its beginning, then live ones, until the session has ended. A change
   * replaces the earlier one with the same id. After a reconnect the last ones are repeated.
   */
  async *updates(session: string, options: SessionUpdatesOptions = {}): AsyncGenerator<SessionUpdate, void, void> {
    checkOptions("updates", options, updatesNames);
    const { followEvents } = await import("./follow-events.ts");
    const { from, kinds, ...rest } = options;
    yield* followEvents({
      transport: this.#transport,
      name: "sessions.updates",
      input: { session, from, kinds: kinds === undefined ? undefined : [...kinds] },
      options: rest,
      read: (data) => data as unknown as SessionUpdate,
      placeOf: ({ offset }) => offset,
      isLast: () => false,
      isOver: async () => await this.#hasEnded(session, undefined, options.signal),
    });
  }

  /**
   * Streams the changes of all sessions from now on. Changes between two connections are missing; with `list` they are part of the `list` that
   * comes first on each connection.
   */
  async *daemonUpdates(options: DaemonUpdatesOptions = {}): AsyncGenerator<DaemonUpdate, void, void> {
    checkOptions("daemonUpdates", options, daemonUpdatesNames);
    const { followEvents } = await import("./follow-events.ts");
    const { kinds, list, machines, ...rest } = options;
    yield* followEvents({
      transport: this.#transport,
      name: "daemon.updates",
      input: { kinds: kinds === undefined ? undefined : [...kinds], list, machines },
      options: rest,
      read: (data) => data as unknown as DaemonUpdate,
      isLast: () => false,
      isOver: async () => false,
    });
  }

  async #hasEnded(session: string, next: number | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    const { state, end } = await this.call("sessions.get", { session }, { signal });
    return (state === "exited" || state === "lost") && (next === undefined || next >= end);
  }

  /** Attaches to a session. Resolves when the daemon has accepted the reader. Close it with `await using` or `detach()`. */
  async attach(session: string, options: AttachOptions = {}): Promise<Attachment> {
    checkOptions("attach", options, attachNames);
    // Loaded here: most commands do not attach, and should not wait for it.
    const { Attachment } = await import("./attachment.ts");
    const { tailBytes, readOnly, lossless, name, take } = options;
    const attachment: Attachment = new Attachment(async (from, handlers) => {
      const { path } = addressOf("sessions.attach", { session, from, tailBytes, readOnly, lossless, name, take });
      return this.#transport.openSocket({ path, protocol: ATTACH_PROTOCOL, handlers, signal: options.signal });
    }, options);
    try {
      await attachment.attached;
      return attachment;
    } catch (error) {
      throw await this.#whyRefused(session, error, options.signal);
    }
  }

  /** Browsers hide why an upgrade was refused; a plain request for the same session has the error. */
  async #whyRefused(session: string, error: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    if (signal?.aborted === true) return cancelled(signal.reason);
    if (!(error instanceof LecternError) || error.code !== "DAEMON_UNREACHABLE") return error;
    return this.call("sessions.get", { session }).then(
      () => error,
      (reason: unknown) => reason,
    );
  }
}

const isFine = (response: TransportResponse): boolean => response.status >= 200 && response.status < 300;

async function readJson(response: TransportResponse): Promise<unknown> {
  if (!isFine(response)) throw await errorOf(response);
  const text = await readText(response.chunks, ANSWER_BYTES_MAX);
  try {
    return parseAnswer(text);
  } catch (cause) {
    throw new LecternError("MALFORMED", "Cannot read the daemon's answer: it is not valid JSON", { cause });
  }
}

// JSON of a daemon, which may be on a machine that sends anything.

/** Smaller texts cannot do harm, and are nearly all. */
const UNCHECKED_CHARS_MAX = 1_048_576;
/** `JSON.parse` takes 80 bytes for each bracket that is open: 5 GB for 64 MiB of them. */
const DEPTH_MAX = 1000;

/** Throws `SyntaxError` for what is not valid JSON, and for a long text that is deeper than 1,000 levels. */
export function parseAnswer(text: string): unknown {
  if (text.length > UNCHECKED_CHARS_MAX && isDeep(text)) throw new SyntaxError(`More than ${DEPTH_MAX} levels`);
  return JSON.parse(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Brackets in strings open nothing. By hand: a regular expression would run out of stack in a string of megabytes. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    // "[" and "{", "]" and "}" differ by one bit.
    else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/** The place of the quote that ends a string; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH && before > start) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
