/**
 * Terminals on a session of the daemon: the same interface over a client. Only types of the client are named here, so that this floor does not depend on it.
 *
 * What a session prints comes over an attachment, which survives the daemon; what is typed goes in requests of its own, whose answer says where the input stands in the
 * journal. Commands are run by the daemon, which knows the nonce of the shell's marks.
 */
import { LecternError } from "../core/errors.ts";
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { InputOf, OutputOf } from "../protocol/operations.ts";
import type { ExitStatus, SessionEvent } from "../protocol/records.ts";
import { readDefaults } from "./read-defaults.ts";
import type { RunResult } from "./run-command.ts";
import type { RunOptions } from "./terminal-options.ts";
import type { SourceItem, TerminalSource } from "./terminal-source.ts";
import { Terminal, type TerminalSettings } from "./terminal.ts";

type Called = "sessions.get" | "sessions.input" | "sessions.exec" | "sessions.kill" | "sessions.create";

/** Where the shell is stands in the last part of the journal. */
const LOOK_BACK_BYTES = 256 * 1024;

/** What is needed of a `LecternClient`. */
export interface SessionClient {
  call<Name extends Called>(
    name: Name,
    input: InputOf<Name>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<OutputOf<Name>>;
  attach(session: string, options: { readonly from?: number; readonly lossless?: boolean }): Promise<SessionItems>;
}

interface SessionItems extends AsyncIterable<SessionItem>, AsyncDisposable {
  readonly ended: unknown;
}

/** The items of an attachment that are looked at; the others are skipped. `next` is where a reader resumes. */
type SessionItem =
  | { readonly type: "output"; readonly next: number; readonly bytes: Uint8Array }
  | { readonly type: "mark"; readonly offset: number; readonly next: number; readonly event: SessionEvent }
  | { readonly type: "exit"; readonly next: number; readonly exit: ExitStatus }
  | { readonly type: "input" | "gap" | "snapshot" | "resize"; readonly next: number }
  | { readonly type: "error" | "disconnected" | "reconnected" | "writer" };

/**
 * Attaches to a session. `close` lets go of it, and it goes on; `reset` ends it and starts the same command in a new one of the same name.
 *
 * @example
 * ```ts
 * await using terminal = await attachTerminal(client, "work");
 * await terminal.run("make test", { timeoutMs: 600_000 });
 * ```
 */
export async function attachTerminal(
  client: SessionClient,
  session: string,
  settings: TerminalSettings = {},
): Promise<Terminal> {
  const found = await client.call("sessions.get", { session });
  let id: string | undefined;
  const open = async (receive: (item: SourceItem) => void): Promise<TerminalSource> => {
    id = id === undefined ? found.id : await restarted(client, id);
    return AttachedSource.open(client, id, receive);
  };
  return Terminal.over(open, found.command.join(" "), settings);
}

async function restarted(client: SessionClient, id: string): Promise<string> {
  const { name, command, labels, workingDirectory, columns, rows, trustsText, state } = await client.call(
    "sessions.get",
    {
      session: id,
    },
  );
  if (state === "running" || state === "starting") await client.call("sessions.kill", { session: id });
  const [program = "", ...words] = command;
  const created = await client.call("sessions.create", {
    command: [program, ...words],
    name,
    labels,
    workingDirectory,
    columns,
    rows,
    trustText: trustsText,
  });
  return created.id;
}

class AttachedSource implements TerminalSource {
  /** The marks of any shell count for reads; commands are run by the daemon, which takes only those with the nonce. */
  readonly nonce = null;
  readonly foreground = "told";
  readonly #client: SessionClient;
  readonly #session: string;
  readonly #items: SessionItems;
  readonly #receive: (item: SourceItem) => void;
  readonly #reading: Promise<void>;
  #next = 0;
  /** Somebody waits until the items up to an offset were received. */
  #awaited: { readonly offset: number; readonly reached: () => void } | undefined;
  #isOver = false;
  #isWriting = false;
  #inputEnd = 0;
  #lastLook: { readonly look: ForegroundLook; readonly offset: number } | undefined;
  #held: PromiseWithResolvers<void> | undefined;

  private constructor(
    place: { readonly client: SessionClient; readonly session: string; readonly start: number },
    items: SessionItems,
    receive: (item: SourceItem) => void,
  ) {
    this.#client = place.client;
    this.#session = place.session;
    this.#next = place.start;
    this.#items = items;
    this.#receive = receive;
    this.#reading = this.#read();
  }

  /** Resolves when everything that is in the journal now was received. */
  static async open(
    client: SessionClient,
    session: string,
    receive: (item: SourceItem) => void,
  ): Promise<AttachedSource> {
    const { start: first, end } = await client.call("sessions.get", { session });
    const start = Math.max(first, end - LOOK_BACK_BYTES);
    const items = await client.attach(session, { from: start, lossless: true });
    const source = new AttachedSource({ client, session, start }, items, receive);
    await source.#readTo(end);
    return source;
  }

  async run(command: string, options: RunOptions): Promise<RunResult> {
    const {
      output,
      omitted,
      session,
      program,
      offset: _offset,
      next,
      ...result
    } = await this.#client.call(
      "sessions.exec",
      {
        session: this.#session,
        command,
        timeoutMs: options.timeoutMs ?? readDefaults.timeoutMs,
        outputBytesMax: options.maxOutputBytes ?? readDefaults.maxOutputBytes,
        inside: options.inside ?? false,
      },
      { signal: options.signal },
    );
    await this.#readTo(next);
    return {
      ...result,
      output,
      bytes: Buffer.from(output),
      omitted: omitted === null ? null : { ...omitted, path: null },
      foreground: program === null ? null : (this.#lastLook?.look ?? null),
      exit: session.exit,
    };
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#isWriting = true;
    try {
      const data = Buffer.from(bytes).toString("base64");
      const { next } = await this.#client.call("sessions.input", { session: this.#session, data });
      this.#inputEnd = next;
    } finally {
      this.#isWriting = false;
    }
    if (this.#lastLook !== undefined) this.#tell(this.#lastLook);
  }

  pause(): void {
    this.#held ??= Promise.withResolvers<void>();
  }

  resume(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  async close(): Promise<void> {
    this.resume();
    await this.#items[Symbol.asyncDispose]();
    await this.#reading;
  }

  async #readTo(offset: number): Promise<void> {
    if (this.#next >= offset || this.#isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited = { offset, reached: resolve };
    await promise;
  }

  async #read(): Promise<void> {
    try {
      for await (const item of this.#items) {
        this.#take(item);
        if ("next" in item) this.#next = item.next;
        if (this.#awaited !== undefined && this.#next >= this.#awaited.offset) this.#awaited.reached();
        await this.#held?.promise;
      }
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      // The daemon stayed away, or the session was removed: nobody can see how it ended.
      this.#receive({ type: "exit", exit: { reason: "lost", code: null, signal: null } });
    } finally {
      this.#isOver = true;
      this.#awaited?.reached();
    }
  }

  #take(item: SessionItem): void {
    switch (item.type) {
      case "output":
      case "exit":
        return this.#receive(item);
      case "input":
        return this.#receive({ type: "input", bytes: null });
      case "gap":
      case "snapshot":
        return this.#receive({ type: "gap" });
      case "mark": {
        if (item.event.type !== "foreground") return;
        const { verdict, program, pid, echo, canonical } = item.event;
        this.#lastLook = {
          look: { verdict, program, pid, echo, canonical, group: null, reasons: [] },
          offset: item.offset,
        };
        if (!this.#isWriting) this.#tell(this.#lastLook);
        return;
      }
      case "resize":
      case "error":
      case "disconnected":
      case "reconnected":
      case "writer":
    }
  }

  #tell({ look, offset }: { readonly look: ForegroundLook; readonly offset: number }): void {
    this.#receive({ type: offset >= this.#inputEnd ? "foreground" : "standing", look });
  }
}
