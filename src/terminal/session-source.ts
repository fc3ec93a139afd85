/**
 * A session of the daemon as the source of a terminal: the last part of its journal, then what is appended. The daemon reads its own
 * journals; a client reads them over an attachment.
 *
 * Ordering law: what the kernel reported about the foreground before our last input in the journal is not an effect of that input.
 */
import { LecternError } from "../core/errors.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { Mark } from "../core/records.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { SourceItem, TerminalSource } from "./terminal-source.ts";

/** Read before what is appended: a prompt and a command line are short. */
export const TERMINAL_LOOK_BACK_BYTES = 256 * 1024;

/** What a session reports, in the order of its journal; `next` is where a reader resumes. Items of other types are skipped. */
export type SessionItem =
  | { readonly type: "output"; readonly next: number; readonly bytes: Uint8Array }
  | { readonly type: "mark"; readonly offset: number; readonly next: number; readonly event: Mark }
  | { readonly type: "exit"; readonly next: number; readonly exit: ExitStatus }
  | { readonly type: "input"; readonly next: number; readonly payload?: Uint8Array }
  | { readonly type: "gap" | "snapshot" | "resize"; readonly next: number }
  | { readonly type: "error" | "disconnected" | "reconnected" | "writer" | "notice" };

export interface SessionLink {
  /** Null if marks of any shell count. */
  readonly nonce: string | null;
  /** Where the shell or the REPL is handed commands; null where it is not, or not by this process. */
  readonly actDirectory: string | null;
  /** Of its program; null where this process cannot see it. */
  readonly leaderPid: number | null;
  /** Of its screen now. */
  readonly size: () => { readonly columns: number; readonly rows: number };
  /** From the start of the session on, if `start` is behind it: what its program showed first. */
  readonly head?: readonly SessionItem[];
  /** From `start` on. Bytes are valid until the next item is requested. */
  readonly items: AsyncIterable<SessionItem>;
  readonly start: number;
  /** The receiver has seen all that is in front of `start`, with this as the last report of the foreground. */
  readonly resumed?: { readonly standing: ForegroundLook | null };
  /** Where the journal ended when the session was opened. */
  readonly end: number;
  /** Types. Resolves with where the input is in the journal. */
  write(bytes: Uint8Array): Promise<{ readonly offset: number; readonly next: number }>;
  /**
   * Probes the foreground now, which is in the journal then if it has changed. Resolves with the end of the journal; null if the last report in it
   * is not known to be of now.
   */
  probe?(): Promise<number | null>;
  /** Ends the items. */
  close(): Promise<void>;
}

export class SessionSource implements TerminalSource {
  readonly nonce: string | null;
  readonly actDirectory: string | null;
  readonly leaderPid: number | null;
  readonly foreground = "reported";
  /** Where the first input begins in the journal. */
  inputOffset: number | undefined;
  readonly #link: SessionLink;
  readonly #receive: (item: SourceItem) => void;
  readonly #reading: Promise<void>;
  #next: number;
  /** Set while `readTo` waits. */
  #awaited: { readonly offset: number; readonly reached: () => void } | undefined;
  #isOver = false;
  /** Why the items ended early. */
  #failure: unknown;
  #isWriting = false;
  /** End of our last input. */
  #inputEnd = 0;
  /** The last probe result that was reported; null before the first one. */
  lastProbe: ForegroundLook | null;
  #probeOffset = 0;
  #pause: PromiseWithResolvers<void> | undefined;

  private constructor(link: SessionLink, receive: (item: SourceItem) => void) {
    this.#link = link;
    this.nonce = link.nonce;
    this.actDirectory = link.actDirectory;
    this.leaderPid = link.leaderPid;
    this.#next = link.start;
    this.#receive = receive;
    for (const item of link.head ?? []) this.#take(item);
    this.lastProbe = link.resumed?.standing ?? null;
    if (link.start > 0 && link.resumed === undefined) receive({ type: "gap", bytes: link.start });
    this.#reading = this.#read();
  }

  /** Resolves when everything up to the current end of the journal has been received; rejects if that cannot be read. */
  static async open(link: SessionLink, receive: (item: SourceItem) => void): Promise<SessionSource> {
    const source = new SessionSource(link, receive);
    await source.readTo(link.end);
    if (source.#failure === undefined) return source;
    await link.close();
    throw source.#failure;
  }

  /** How far the journal has been read. */
  get next(): number {
    return this.#next;
  }

  get size(): TerminalSource["size"] {
    return this.#link.size();
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#isWriting = true;
    try {
      const { offset, next } = await this.#link.write(bytes);
      this.inputOffset ??= offset;
      this.#inputEnd = next;
    } finally {
      this.#isWriting = false;
    }
    this.#report();
  }

  async probed(): Promise<ForegroundLook | null> {
    const end = await this.#link.probe?.();
    if (end === null) return null;
    if (end !== undefined) await this.readTo(end);
    return this.lastProbe;
  }

  ask(): boolean {
    if (this.#link.probe === undefined) return false;
    void this.#ask();
    return true;
  }

  /** What came meanwhile is newer: then it is asked again. */
  async #ask(): Promise<void> {
    const end = await this.#link.probe?.();
    if (end === undefined || end === null) return;
    await this.readTo(end);
    if (this.#next === end && !this.#isWriting && this.lastProbe !== null)
      this.#receive({ type: "foreground", probe: this.lastProbe });
  }

  pause(): void {
    this.#pause ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.#pause?.resolve();
    this.#pause = undefined;
  }

  async close(): Promise<void> {
    this.resume();
    await this.#link.close();
    await this.#reading;
    if (this.#failure !== undefined && !(this.#failure instanceof LecternError)) throw this.#failure;
  }

  /** Resolves when the journal has been read up to `offset`, or nothing more comes. */
  async readTo(offset: number): Promise<void> {
    if (this.#next >= offset || this.#isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited = { offset, reached: resolve };
    await promise;
  }

  async #read(): Promise<void> {
    try {
      for await (const item of this.#link.items) {
        this.#take(item);
        if ("next" in item) this.#next = item.next;
        if (this.#awaited !== undefined && this.#next >= this.#awaited.offset) this.#awaited.reached();
        await this.#pause?.promise;
      }
    } catch (error) {
      this.#failure = error;
      // Such as a daemon that stayed away, or a session that was removed: how it ended is not known.
      this.#receive({ type: "exit", exit: { reason: "lost", code: null, signal: null } });
    } finally {
      this.#isOver = true;
      this.#awaited?.reached();
    }
  }

  #take(item: SessionItem): void {
    switch (item.type) {
      case "exit":
      case "output":
        return this.#receive(item);
      case "input":
        return this.#receive({ type: "input", bytes: item.payload ?? null });
      case "gap":
      case "snapshot":
        return this.#receive({ type: "gap", bytes: Math.max(0, item.next - this.#next) });
      case "mark": {
        if (item.event.type !== "foreground") return;
        const { type: _, ...reported } = item.event;
        this.lastProbe = { ...reported, group: null, reasons: [] };
        this.#probeOffset = item.offset;
        if (!this.#isWriting) this.#report();
        return;
      }
      case "resize":
      case "error":
      case "disconnected":
      case "reconnected":
      case "writer":
      case "notice":
    }
  }

  #report(): void {
    if (this.lastProbe === null) return;
    this.#receive({ type: this.#probeOffset >= this.#inputEnd ? "foreground" : "standing", probe: this.lastProbe });
  }
}
