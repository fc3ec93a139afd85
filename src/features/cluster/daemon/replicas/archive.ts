/**
 * The sessions of a machine that is away, restored from its replicas: a data directory of its own with a daemon of its own in this process, so that
 * each reader works on it as on sessions that have ended. It is a cache: what is in it can be restored again, and the least recently read journals
 * are removed above a limit.
 *
 *     sessions/ID/session.json    of each session, from the cluster
 *     sessions/ID/*.seg           restored with the first request that reads the session
 *     restored/ID.json            which message of the replica was the last one
 */
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Transport } from "../../../../client/transport.ts";
import { LecternError } from "../../../../core/errors.ts";
import { compressSealed } from "../../../../journal/compress.ts";
import { listFiles } from "../../../../journal/segments.ts";
import { JournalWriter } from "../../../../journal/writer.ts";
import { encodeJson } from "../../../../protocol/payloads.ts";
import { META_FILE } from "../../../../daemon/store/stored-session.ts";
import { restoreAudit } from "./audit-replica.ts";
import type { ReplicaStream } from "./replica-stream.ts";
import { restoreJournal } from "./restore.ts";
import { readJsonFile } from "../../../../host/json-file.ts";

/** Of the newest sessions of a machine. */
const SESSIONS_MAX = 2000;
const READS_MAX = 16;
/** Of the journals of one machine, compressed as far as they are. */
const CACHE_BYTES_MAX = 1024 ** 3;
/** A search reads so many of the newest sessions. */
const SEARCHED_MAX = 200;
const COMPRESSED_BYTES_MIN = 1024 * 1024;
const ID = /^[0-9a-z]{10}$/;

/** A daemon for a data directory, and a server in front of it. */
export interface ArchiveServer extends AsyncDisposable {
  readonly transport: Transport;
  /** The id of a session. Throws `SESSION_NOT_FOUND`. */
  readonly resolve: (reference: string) => string;
}

export type OpenArchiveServer = (dataDirectory: string) => Promise<ArchiveServer>;

interface Facts {
  readonly id: string;
  readonly text: string;
  readonly createdAt: string;
  readonly isLive: boolean;
}

interface Opening {
  readonly stream: ReplicaStream;
  readonly server: ArchiveServer;
  readonly sessions: readonly Facts[];
  readonly awaySinceMs: number;
}

export class Archive implements AsyncDisposable {
  readonly #directory: string;
  readonly #stream: ReplicaStream;
  readonly #server: ArchiveServer;
  /** Newest first. */
  readonly #sessions: readonly Facts[];
  readonly #awaySinceMs: number;
  readonly #restoring = new Map<string, Promise<void>>();

  private constructor(directory: string, { stream, server, sessions, awaySinceMs }: Opening) {
    this.#directory = directory;
    this.#stream = stream;
    this.#server = server;
    this.#sessions = sessions;
    this.#awaySinceMs = awaySinceMs;
  }

  /** Undefined if the cluster has nothing of the machine. Throws if JetStream does not answer. */
  static async open(
    directory: string,
    stream: ReplicaStream,
    { openServer, awaySinceMs }: { readonly openServer: OpenArchiveServer; readonly awaySinceMs: number },
  ): Promise<Archive | undefined> {
    if ((await stream.info()) === undefined) return undefined;
    const sessions = await readFacts(stream, awaySinceMs);
    if (sessions.length === 0) return undefined;
    writeSessions(directory, sessions);
    await restoreAudit(stream, join(directory, "audit"));
    return new Archive(directory, { stream, server: await openServer(directory), sessions, awaySinceMs });
  }

  get transport(): Transport {
    return this.#server.transport;
  }

  /** Whether a request is answered here: not about a session that was never sent, and `follows` not one that ran when its machine was last heard. */
  answers(path: string, { follows }: { readonly follows: boolean }): boolean {
    const named = sessionOf(path);
    if (named === undefined) return true;
    try {
      const id = this.#server.resolve(named);
      return !follows || this.#sessions.find((facts) => facts.id === id)?.isLive === false;
    } catch (error) {
      if (error instanceof LecternError && error.code === "SESSION_NOT_FOUND") return false;
      throw error;
    }
  }

  /** Restores what a request reads. Throws `SESSION_NOT_FOUND`, and what JetStream answers. */
  async prepare(path: string): Promise<void> {
    const named = sessionOf(path);
    if (named !== undefined) return await this.#restored(this.#server.resolve(named));
    const url = new URL(path, "http://localhost");
    if (url.pathname !== "/v1/search") return;
    for (const { id } of this.#sessions.slice(0, SEARCHED_MAX)) {
      await this.#restored(id);
      // What is searched are the views, which are made by reading.
      const status = `/v1/sessions/${id}/status`;
      (await this.#server.transport.request({ method: "GET", path: status, headers: {} })).cancel();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    await Promise.allSettled(this.#restoring.values());
  }

  async #restored(id: string): Promise<void> {
    const running = this.#restoring.get(id);
    if (running !== undefined) return await running;
    const restoring = this.#restore(id).finally(() => this.#restoring.delete(id));
    this.#restoring.set(id, restoring);
    await restoring;
  }

  async #restore(id: string): Promise<void> {
    const marker = join(this.#directory, "restored", `${id}.json`);
    const sequence = (await this.#stream.tail(id))?.sequence ?? 0;
    if (readSequence(marker) === sequence) {
      utimesSync(marker, new Date(), new Date());
      return;
    }
    const making = join(this.#directory, "restored", id);
    const session = join(this.#directory, "sessions", id);
    const bytes = await restoreJournal(this.#stream, id, making);
    await mkdir(making, { recursive: true });
    const isLive = this.#sessions.find((facts) => facts.id === id)?.isLive === true;
    if (isLive || bytes === 0) await closeJournal(making, this.#awaySinceMs * 1000);
    if (bytes >= COMPRESSED_BYTES_MIN) await compressSealed(making, { includeLast: true });
    for (const { path } of listFiles(session)) await rm(path);
    for (const name of await readdir(making)) await rename(join(making, name), join(session, name));
    await rm(making, { recursive: true, force: true });
    writeFileSync(marker, JSON.stringify({ sequence }), { mode: 0o600 });
    this.#makeRoom(id);
  }

  /** Removes the journals that were not read for the longest time, except the one that is about to be read. */
  #makeRoom(kept: string): void {
    const restored = readdirSync(join(this.#directory, "restored"))
      .filter((name) => name.endsWith(".json") && name !== `${kept}.json`)
      .map((name) => ({ id: name.slice(0, -5), usedMs: statSync(join(this.#directory, "restored", name)).mtimeMs }))
      .toSorted((left, right) => right.usedMs - left.usedMs);
    let bytes = this.#bytesOf(kept);
    for (const { id } of restored) {
      bytes += this.#bytesOf(id);
      if (bytes <= CACHE_BYTES_MAX) continue;
      rmSync(join(this.#directory, "restored", `${id}.json`));
      for (const { path } of listFiles(join(this.#directory, "sessions", id))) rmSync(path);
    }
  }

  #bytesOf(id: string): number {
    return listFiles(join(this.#directory, "sessions", id)).reduce((sum, { path }) => sum + statSync(path).size, 0);
  }
}

async function readFacts(stream: ReplicaStream, awaySinceMs: number): Promise<Facts[]> {
  const ids = (await stream.sessions()).filter((id) => ID.test(id));
  const found: Facts[] = [];
  for (let at = 0; at < ids.length; at += READS_MAX) {
    const texts = await Promise.all(ids.slice(at, at + READS_MAX).map(async (id) => await stream.facts(id)));
    for (const text of texts) {
      const facts = text === undefined ? undefined : factsOf(text, awaySinceMs);
      if (facts !== undefined) found.push(facts);
    }
  }
  return found.toSorted((left, right) => (left.createdAt < right.createdAt ? 1 : -1)).slice(0, SESSIONS_MAX);
}

/** A session that ran when its machine was last heard is lost; it cannot be known whether it still runs. */
function factsOf(text: string, awaySinceMs: number): Facts | undefined {
  try {
    // Checked again by the daemon that reads the file.
    const stored: Record<string, unknown> = JSON.parse(text);
    const { id, createdAt, state } = stored;
    if (typeof id !== "string" || !ID.test(id) || typeof createdAt !== "string") return undefined;
    const isLive = state === "running" || state === "starting";
    const exit = { reason: "lost", code: null, signal: null };
    const lost = { ...stored, state: "lost", exit, endedAt: new Date(awaySinceMs).toISOString() };
    return { id, createdAt, isLive, text: JSON.stringify(isLive ? lost : stored) };
  } catch {
    return undefined;
  }
}

/** The registry and the views are made anew by the daemon; journals that were restored stay. */
function writeSessions(directory: string, sessions: readonly Facts[]): void {
  const all = join(directory, "sessions");
  mkdirSync(all, { recursive: true, mode: 0o700 });
  mkdirSync(join(directory, "restored"), { recursive: true, mode: 0o700 });
  for (const name of readdirSync(directory)) if (/^(?:lectern|views)\.db/.test(name)) rmSync(join(directory, name));
  const known = new Set(sessions.map(({ id }) => id));
  for (const id of readdirSync(all)) {
    if (known.has(id)) continue;
    rmSync(join(all, id), { recursive: true });
    rmSync(join(directory, "restored", `${id}.json`), { force: true });
  }
  for (const { id, text } of sessions) {
    mkdirSync(join(all, id), { recursive: true, mode: 0o700 });
    writeFileSync(join(all, id, META_FILE), text, { mode: 0o600 });
  }
}

/** Declares the end as one that nobody has seen. Without a gap, which would wipe the last screen. */
async function closeJournal(directory: string, timeUs: number): Promise<void> {
  await using writer = await JournalWriter.open(directory, { fsync: "never" });
  if (!writer.ended) writer.append("exit", encodeJson({ reason: "lost", code: null, signal: null }), { timeUs });
}

function readSequence(marker: string): number | undefined {
  const { sequence } = (readJsonFile(marker) ?? {}) as { readonly sequence?: unknown };
  return typeof sequence === "number" ? sequence : undefined;
}

/** The session that a request names, in its path or its query. */
function sessionOf(path: string): string | undefined {
  const url = new URL(path, "http://localhost");
  const [, reference] = /^\/v1\/sessions\/([^/]+)/.exec(url.pathname) ?? [];
  return reference === undefined ? (url.searchParams.get("session") ?? undefined) : decodeURIComponent(reference);
}
