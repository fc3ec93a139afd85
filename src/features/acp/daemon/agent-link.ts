/**
 * A connection to the pipes of a session: straight to its pty host and to its journal, without the daemon, so that a conversation goes on
 * while no daemon runs.
 *
 * Law: what is read is in the journal already, in its order, from any offset on.
 */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternError } from "../../../core/errors.ts";
import type { ProtocolMark } from "../../../core/records.ts";
import { waits } from "../../../core/waits.ts";
import { defaultTimes } from "../../../daemon/times.ts";
import { HostClient } from "../../../host/host-client.ts";
import { readHostRecord } from "../../../host/host-record.ts";
import type { HostMethods, Written } from "../../../host/messages.ts";
import { JournalReader } from "../../../journal/reader.ts";
import { takeSqliteLock, type WriterLock } from "../../../journal/writer-lock.ts";
import { decodeExit, decodeMark, nextOffset } from "../../../protocol/payloads.ts";

/** One message of the host. JSON makes a character of text six bytes at most. */
const PIECE_BYTES_MAX = 128 * 1024;

/** `next`: where the journal goes on. */
export type LinkRecord =
  | {
      readonly type: "bytes";
      readonly stream: ProtocolMark["stream"];
      readonly bytes: Buffer;
      readonly next: number;
    }
  | { readonly type: "exit"; readonly how: string };

interface Found {
  readonly directory: string;
  readonly session: string;
  readonly socket: string;
  /** The kernel releases it with the process. */
  readonly lock: WriterLock;
}

interface Parts extends Pick<Found, "lock"> {
  readonly host: HostClient;
  readonly handle: number;
  readonly reader: JournalReader;
  /** The connection to the host was lost. */
  readonly lost: AbortController;
}

export class AgentLink implements AsyncDisposable {
  readonly #host: HostClient;
  readonly #handle: number;
  readonly #reader: JournalReader;
  readonly #lost: AbortController;
  readonly #lock: WriterLock;

  private constructor(parts: Parts) {
    this.#host = parts.host;
    this.#handle = parts.handle;
    this.#reader = parts.reader;
    this.#lost = parts.lost;
    this.#lock = parts.lock;
  }

  /** Throws `CONFLICT` while another editor has it; `SESSION_ENDED`, `HOST_UNREACHABLE`, `NOT_AVAILABLE`. */
  static async open(directory: string, session: string): Promise<AgentLink> {
    const record = readHostRecord(directory);
    if (record === undefined) throw new LecternError("SESSION_ENDED", `Session "${session}" has no pty host`);
    const lock = takeSqliteLock(join(directory, "editor.lock"));
    if (lock === undefined) throw taken(session);
    try {
      return await AgentLink.#connect({ directory, session, socket: record.socket, lock });
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  static async #connect({ directory, session, socket, lock }: Found): Promise<AgentLink> {
    const reader = await JournalReader.open(directory);
    const lost = new AbortController();
    let handle: number | undefined;
    const host = await HostClient.connect(socket, defaultTimes, {
      onTail: (of, end) => (of === handle ? reader.advance(end) : undefined),
      onNotice: (notice) =>
        notice.type === "exit" && notice.session === session ? reader.advance(notice.end) : undefined,
      onClose: () => lost.abort(),
    });
    try {
      if (host.hello.knowsPipes !== true) throw tooOld(host.hello.version);
      const { sessions } = await host.call("list", {});
      handle = sessions.find((each) => each.session === session)?.handle;
      if (handle !== undefined) reader.advance((await host.call("follow", { handle, on: true })).end);
    } catch (error) {
      host.close();
      throw error;
    }
    // One that has ended already is read to its end.
    reader.refresh();
    return new AgentLink({ host, handle: handle ?? 0, reader, lost, lock });
  }

  get start(): number {
    return this.#reader.start;
  }

  /** Everything before it is in the journal now. */
  get end(): number {
    return this.#reader.end;
  }

  /**
   * Writes to the agent. With a key the bytes are written once, whoever writes them: it is that of their first 128 KiB, and the host takes no
   * other key before the message is whole. `recorded`: what the journal has instead. Throws `CONFLICT` if other bytes had this key,
   * `SESSION_ENDED` and `HOST_UNREACHABLE`.
   */
  async write(
    bytes: Uint8Array,
    { key, recorded }: { readonly key?: string | undefined; readonly recorded?: Uint8Array | null } = {},
  ): Promise<void> {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES_MAX) {
      const piece = Buffer.from(bytes.subarray(at, at + PIECE_BYTES_MAX));
      const how = {
        ...(key !== undefined && at === 0 && { key }),
        ...(recorded != null && { recorded: at === 0 ? Buffer.from(recorded).toString() : "" }),
      };
      const { already = false } = await this.#speak(piece, how);
      if (already) return;
    }
  }

  async #speak(piece: Buffer, how: Pick<HostMethods["speak"]["parameters"], "key" | "recorded">): Promise<Written> {
    const text = piece.toString();
    const isText = Buffer.byteLength(text) === piece.length && Buffer.from(text).equals(piece);
    const message = isText ? { text } : { text: piece.toString("base64"), encoding: "base64" as const };
    for (;;) {
      try {
        return await this.#host.call("speak", { handle: this.#handle, ...how, ...message });
      } catch (error) {
        // The agent does not read, or another editor is in a message: this one waits, as it would without Lectern.
        const isLater =
          error instanceof LecternError && (error.code === "LIMIT_EXCEEDED" || error.details["unfinished"]);
        if (isLater !== true) throw error;
      }
      await sleep(waits.pollMs);
    }
  }

  /** The records from an offset on, to the end of the agent or, with `to`, to that offset. */
  async *records(
    from: number,
    options: { readonly to?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<LinkRecord> {
    const { to = Infinity } = options;
    const signals = options.signal === undefined ? [this.#lost.signal] : [this.#lost.signal, options.signal];
    if (from >= to) return;
    for await (const { records } of this.#reader.follow(from, { signal: AbortSignal.any(signals) })) {
      for (const record of records) {
        if (record.offset >= to) return;
        if (record.type === "exit") {
          const { code, signal } = decodeExit(record.payload);
          yield { type: "exit", how: signal === null ? `code ${code}` : signal };
        } else if (record.type === "mark") {
          const mark = decodeMark(record.payload);
          if (mark.type === "protocol") {
            const bytes = Buffer.from(mark.text, mark.encoding ?? "utf8");
            yield { type: "bytes", stream: mark.stream, bytes, next: nextOffset(record) };
          }
        }
        if (nextOffset(record) >= to) return;
      }
    }
    if (this.#lost.signal.aborted && options.signal?.aborted !== true) yield { type: "exit", how: "its pty host" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lock.release();
    this.#host.close();
    await this.#reader.close();
  }
}

const taken = (session: string): LecternError =>
  new LecternError(
    "CONFLICT",
    `Cannot connect to session "${session}": another editor is connected; end it, or use another --name`,
  );

const tooOld = (version: string): LecternError =>
  new LecternError("NOT_AVAILABLE", `Cannot use the session: its pty host has version ${version}; start it again`);
