/** Writes what is known of each session beside its replica: the latest of each, and each text once. */
import type { SessionEntry } from "../../../../daemon/sessions/session-entry.ts";
import { briefOptions } from "../../../../protocol/session-options.ts";
import type { StoredSession } from "../../../../daemon/store/stored-session.ts";
import type { ReplicaStream } from "./replica-stream.ts";

/** Changes of a session within this time are one message. */
const WRITE_MS = 1000;
const WRITES_MAX = 16;
const TEXT_BYTES_MAX = 16 * 1024;

export class FactsWriter {
  readonly #onError: (error: unknown) => void;
  /** Written to this stream, by session. */
  readonly #written = new Map<string, string>();
  readonly #waiting = new Map<string, SessionEntry>();
  #writing: Promise<unknown> = Promise.resolve();
  #stream: ReplicaStream | undefined;
  #known: ReadonlySet<string> = new Set();
  #timer: NodeJS.Timeout | undefined;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** `known`: sessions of which the stream has facts. */
  connect(stream: ReplicaStream, known: readonly string[]): void {
    this.#stream = stream;
    this.#known = new Set(known);
  }

  disconnect(): void {
    this.#stream = undefined;
    this.#waiting.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  put(entry: SessionEntry): void {
    if (this.#stream === undefined) return;
    const isWritten = this.#known.has(entry.id) && this.#written.get(entry.id) === factsText(entry.stored);
    if (isWritten) return;
    this.#waiting.set(entry.id, entry);
    this.#timer ??= setTimeout(() => void this.#write().catch(this.#onError), WRITE_MS).unref();
  }

  /** The session was removed. Resolves when nothing of it is under way to the stream any more. */
  async drop(id: string): Promise<void> {
    this.#waiting.delete(id);
    await this.#writing;
    this.#written.delete(id);
  }

  async #write(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) return;
    while (this.#waiting.size > 0 && this.#isAt(stream)) {
      const batch = [...this.#waiting].slice(0, WRITES_MAX);
      for (const [id] of batch) this.#waiting.delete(id);
      this.#writing = Promise.all(
        batch.map(async ([id, { stored }]) => await this.#writeOne(stream, id, factsText(stored))),
      );
      await this.#writing;
    }
    this.#timer = undefined;
  }

  #isAt(stream: ReplicaStream): boolean {
    return this.#stream === stream;
  }

  /** What cannot be written is written with the next change or connection: the replica itself shows why. */
  async #writeOne(stream: ReplicaStream, id: string, text: string): Promise<void> {
    try {
      await stream.putFacts(id, text);
      this.#written.set(id, text);
    } catch {
      this.#written.delete(id);
    }
  }
}

/** As `session.json` beside a journal. While it runs, its end is that of the replica. */
function factsText(stored: StoredSession): string {
  const isEnded = stored.state === "exited" || stored.state === "lost";
  const options = briefOptions(stored.options);
  const facts = { ...stored, options, pid: null, end: isEnded ? stored.end : 0 };
  const text = JSON.stringify(facts);
  if (Buffer.byteLength(text) <= TEXT_BYTES_MAX) return text;
  const command = facts.command.slice(0, 1);
  return JSON.stringify({ ...facts, command, labels: {}, options: { ...options, command, labels: {} } });
}
