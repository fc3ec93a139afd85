/** One session as one object, wherever it runs: its operations by name, without the session in each call. */
import type { SessionRecord } from "../client/session-record.ts";
import type { ChatMessage } from "../core/chat/message.ts";
import type { Approval } from "../core/dialogs/approval.ts";
import { LecternError } from "../core/errors.ts";
import { isTrusted, type TaggedEvent } from "../core/events/tagged-event.ts";
import type { AnsweredReceipt } from "../core/acting/receipt.ts";
import type { EventTrust } from "../core/records.ts";
import type { SessionStatus } from "../core/status/status.ts";
import type { InputOf } from "../protocol/operations.ts";
import type { ExitStatus } from "../protocol/records.ts";
import type { Session } from "../protocol/session.ts";
import type { SessionApproval, SessionUpdate } from "../protocol/views.ts";
import { checkOptions } from "../core/option-names.ts";
import { execInput, toRunResult } from "../terminal/exec-result.ts";
import type { RunResult } from "../terminal/run-command.ts";
import type { RunOptions } from "../terminal/terminal-options.ts";
import type { SessionCalls, StreamOptions } from "./session-calls.ts";

interface Cancellable {
  /** Cancels the call, which then rejects with `CANCELLED`. */
  readonly signal?: AbortSignal | undefined;
}

interface EventOptions extends StreamOptions<never> {
  /** Only events of this name. */
  readonly name?: string;
  /** The least trust. Default `unverified`: everything that looks like an event, with its `trust`. */
  readonly trust?: EventTrust;
}

/** The option that answers a question, or nothing. */
type Decision = string | undefined | void;

/** The questions of a session on their way to a function. */
interface ApprovalWatch extends Disposable {
  /** Resolves when no more questions are waited for. */
  readonly ended: Promise<void>;
}

type PromptOptions = Omit<InputOf<"sessions.prompt">, "session" | "text"> & Cancellable;
type MessageOptions = Omit<InputOf<"sessions.messages">, "session">;
type OutputRecord = Extract<SessionRecord, { readonly type: "output" | "gap" }>;

/**
 * A program in a terminal, and everything that is read off it: output, status, questions, messages and events. `openSession` makes one in
 * this process or in a daemon, `attachSession` takes one of a daemon; both have the same methods. The streams start at the beginning
 * unless they are given an offset, and end with the session. End it with `await using` or `close()`.
 */
export class LiveSession implements AsyncDisposable {
  readonly id: string;
  readonly #calls: SessionCalls;
  readonly #release: () => Promise<void>;
  readonly #closed = new AbortController();

  /** `release`: what `close` does besides ending the streams. */
  constructor(calls: SessionCalls, id: string, release: () => Promise<void> = async () => {}) {
    this.#calls = calls;
    this.id = id;
    this.#release = release;
  }

  /** Name, command, size, state and offsets, as PROTOCOL.md has them. */
  async info(): Promise<Session> {
    return await this.#calls.call("sessions.get", { session: this.id });
  }

  /** The bytes that the program prints, each part with its offset; a `gap` stands for what is no longer in the journal. */
  output(options: StreamOptions<never> = {}): AsyncIterable<OutputRecord> {
    const types = ["output", "gap"] as const;
    return this.#stream(options, (signal) =>
      this.#calls.follow(this.id, { from: 0, ...options, types, signal }),
    ) as AsyncIterable<OutputRecord>;
  }

  /** Changes of status, messages, questions, events and prompts. A change replaces the earlier one with the same id. */
  updates(options: StreamOptions<"kinds"> = {}): AsyncIterable<SessionUpdate> {
    return this.#stream(options, (signal) => this.#calls.updates(this.id, { ...options, signal }));
  }

  /** The events that the program and its model send, also those that nobody vouches for: see `isTrusted` of `lectern/core`. */
  async *events({ name, trust = "unverified", ...options }: EventOptions = {}): AsyncGenerator<
    TaggedEvent,
    void,
    void
  > {
    for await (const update of this.updates({ ...options, kinds: ["event"] })) {
      if (update.kind !== "event" || (name !== undefined && update.event.name !== name)) continue;
      if (isTrusted(update.event.trust, trust)) yield update.event;
    }
  }

  /** What the program does now, and the evidence for it; null if that is not known yet. */
  async status(): Promise<SessionStatus | null> {
    return (await this.#calls.call("sessions.status", { session: this.id })).status;
  }

  /** The open questions, oldest first. */
  async approvals(): Promise<readonly SessionApproval[]> {
    return (await this.#calls.call("approvals.list", { session: this.id })).approvals;
  }

  /**
   * Answers a question with the id of an option, or with `allow` or `deny`. Rejects with `CONFLICT` if the question is not what it was when it
   * was read.
   */
  async answer({ id, digest }: Pick<Approval, "id" | "digest">, option: string): Promise<SessionApproval> {
    if (digest === undefined) {
      const next = "take it from approvals() or updates()";
      throw new LecternError("INVALID_INPUT", `Cannot answer question "${id}" without its digest: ${next}`);
    }
    return await this.#calls.call("approvals.answer", { session: this.id, approval: id, option, digest });
  }

  /**
   * Calls `decide` for each question that is open now or is asked later, one after the other, until the session ends or the result is disposed
   * of. The option that it returns (an id, `allow` or `deny`) answers the question; `undefined` leaves it to somebody else. If `decide` throws,
   * `ended` rejects.
   *
   * @example
   * ```ts
   * session.onApproval(({ question, command }) => (command === "npm test" ? "allow" : undefined));
   * ```
   */
  onApproval(decide: (asked: SessionApproval) => Decision | Promise<Decision>): ApprovalWatch {
    const stop = new AbortController();
    const ended = this.#decideAll(decide, stop.signal);
    return { ended, [Symbol.dispose]: () => stop.abort() };
  }

  async #decideAll(decide: (asked: SessionApproval) => Decision | Promise<Decision>, stop: AbortSignal): Promise<void> {
    const known = new Set<string>();
    try {
      for await (const update of this.updates({ kinds: ["approval"], signal: stop })) {
        if (update.kind !== "approval" || update.approval.state !== "open" || known.has(update.approval.id)) continue;
        // The updates begin with those of the past.
        const asked = (await this.approvals()).find(({ id }) => id === update.approval.id);
        if (asked === undefined) continue;
        known.add(asked.id);
        const option = await decide(asked);
        if (typeof option === "string") await this.answer(asked, option).catch(ignoreConflict);
      }
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  }

  /** The conversation, and the commands of a shell, oldest first. */
  async messages(options: MessageOptions = {}): Promise<readonly ChatMessage[]> {
    return (await this.#calls.call("sessions.messages", { session: this.id, ...options })).messages;
  }

  /** The text on the screen now. */
  async screen(): Promise<string> {
    return (await this.#calls.call("sessions.screen", { session: this.id })).text;
  }

  /** Runs a command at the prompt of the shell or REPL; see `Terminal.run`. */
  async run(
    command: string,
    options: Pick<RunOptions, "timeoutMs" | "maxOutputBytes" | "inside" | "signal"> = {},
  ): Promise<RunResult> {
    checkOptions("run", options, { timeoutMs: true, maxOutputBytes: true, inside: true, signal: true });
    const ran = await this.#calls.call("sessions.exec", execInput(this.id, command, options), options);
    return toRunResult(ran, null);
  }

  /**
   * Types a prompt when the program is at its prompt, and presses Enter. With `waitMs` it resolves when the prompt is done or has failed, or when
   * something is asked (`asks`); without it at once.
   */
  async prompt(text: string, { signal, ...options }: PromptOptions = {}): Promise<AnsweredReceipt> {
    return await this.#calls.call("sessions.prompt", { session: this.id, text, ...options }, { signal });
  }

  /** Types text or bytes as they are. Resolves when they are in the journal. */
  async write(input: string | Uint8Array): Promise<void> {
    const data = Buffer.from(input).toString("base64");
    await this.#calls.call("sessions.input", { session: this.id, data });
  }

  /** Presses keys by name, such as `C-c`, `Up`, `Enter`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#calls.call("sessions.keys", { session: this.id, keys: [...keys] });
  }

  async resize(size: { readonly columns: number; readonly rows: number }): Promise<void> {
    await this.#calls.call("sessions.resize", { session: this.id, ...size });
  }

  /** Resolves when the program has ended, with how it did. */
  async ended(options: Cancellable = {}): Promise<ExitStatus> {
    const records = this.#calls.follow(this.id, { types: ["exit"], ...options });
    for await (const record of records) if (record.type === "exit") return record.exit;
    return { reason: "lost", code: null, signal: null };
  }

  /** Ends the program and everything that it started. What it has printed can still be read. */
  async kill(): Promise<void> {
    await this.#calls.call("sessions.kill", { session: this.id });
  }

  /** Ends the streams and lets go: a program of this process ends, a session of a daemon keeps running. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** A stream that ends when this object is closed. */
  async *#stream<Item>(
    { signal }: Cancellable,
    open: (signal: AbortSignal) => AsyncIterable<Item>,
  ): AsyncGenerator<Item, void, void> {
    const closed = this.#closed.signal;
    try {
      yield* open(signal === undefined ? closed : AbortSignal.any([signal, closed]));
    } catch (error) {
      if (!closed.aborted) throw error;
    }
  }
}

/** Somebody else was faster, or the question has changed: then it is asked again. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof LecternError) || error.code !== "CONFLICT") throw error;
}
