/**
 * The second client of a session's Codex: what its server reports goes into the journal, in the order of the server, and questions are answered
 * there. It changes nothing else.
 *
 * Law: a message is in the journal before anything is derived from it; a connection that is lost is reported, and made again.
 */
import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { codexDecision, codexQuestion } from "../../../core/codex/codex-question.ts";
import { CODEX_SERVER, codexReports, keptMessage, type CodexMessage } from "../../../core/codex/codex-messages.ts";
import { LecternError } from "../../../core/errors.ts";
import { waits } from "../../../core/waits.ts";
import { asList, asText, fieldsOf, type JsonObject } from "../../../core/wire/shape.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import type { ServerFiles } from "../core/server-launch.ts";
import { CodexConnection } from "./codex-connection.ts";

/** Messages that are not in the journal yet: with more the server waits. */
const UNWRITTEN_MAX = 1000;
/** Conversations that are asked for when a connection begins, and attempts at one whose first turn is not on disk yet. */
const THREADS_MAX = 50;
const ATTEMPTS_MAX = 40;

export interface CodexLinkOptions {
  readonly entry: SessionEntry;
  readonly files: ServerFiles;
  /** Of Lectern. */
  readonly version: string;
  /** Codex runs and is not read, for this reason. Reported once. */
  readonly onPlain: (reason: string) => void;
  readonly onError: (error: unknown) => void;
}

export class CodexLink implements AsyncDisposable {
  readonly #options: CodexLinkOptions;
  readonly #closing = new AbortController();
  readonly #connectionName = Date.now().toString(36);
  #connection: CodexConnection | undefined;
  #running: Promise<void> | undefined;
  #written: Promise<unknown> = Promise.resolve();
  #unwritten = 0;
  #count = 0;
  /** Requests of the server without an answer, by the text that names them. */
  readonly #asked = new Map<string, CodexMessage>();
  /** Conversations by id: whose items are read, and those that have none that could be. */
  readonly #threads = new Map<string, "read" | "tried" | "aside">();

  constructor(options: CodexLinkOptions) {
    this.#options = options;
  }

  /** Once the terminal of Codex is there: whoever is the server's first client gives it its name. */
  begin(): void {
    this.#running ??= this.#run().catch(this.#options.onError);
  }

  /**
   * Waits for a connection that does not know the request yet, such as that of a daemon that has just started. Throws `NOT_AVAILABLE` without one,
   * `CONFLICT` for a question that is answered.
   */
  async answer(request: string, option: string): Promise<void> {
    const deadline = performance.now() + waits.arrivalMs;
    while (this.#isWanted && !this.#asked.has(request) && performance.now() < deadline) await sleep(waits.pollMs);
    const connection = this.#connection;
    if (connection === undefined) throw notConnected(this.#options.entry);
    const asked = this.#asked.get(request);
    const decision = asked === undefined ? undefined : codexDecision(asked, option);
    if (asked?.id === undefined || decision === undefined)
      throw new LecternError("CONFLICT", "The question was answered already; ask for the open ones again");
    this.#asked.delete(request);
    await this.#append({ method: codexReports.answer, params: { request, option } });
    connection.send({ id: asked.id, result: { decision } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#connection?.close();
    await this.#running;
    await this.#written;
  }

  async #run(): Promise<void> {
    const { files, onPlain } = this.#options;
    if (!existsSync(files.socket)) {
      if (!existsSync(files.plain)) return;
      const reason = readFileSync(files.plain, "utf8").trim();
      onPlain(reason);
      return await this.#append({
        method: codexReports.lost,
        params: { reason: `Codex runs without its server: ${reason}` },
      });
    }
    for (let [isReported, isLost] = [false, false]; this.#isWanted;) {
      try {
        await this.#follow();
        [isReported, isLost] = [false, false];
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        if (!isReported && this.#isWanted) onPlain(reason);
        isReported = true;
      }
      // Once: a server that is gone would add a fact with each attempt.
      if (!isLost && this.#isWanted)
        await this.#append({ method: codexReports.lost, params: { reason: "the connection to its server is lost" } });
      isLost = true;
      await sleep(waits.retryMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
    }
  }

  get #isWanted(): boolean {
    return !this.#closing.signal.aborted && this.#options.entry.live;
  }

  /** Until the connection is over. */
  async #follow(): Promise<void> {
    const { files, version } = this.#options;
    this.#threads.clear();
    this.#asked.clear();
    const connection = await CodexConnection.open(files.socket, version, {
      onMessage: (message) => this.#take(message),
    });
    this.#connection = connection;
    try {
      await this.#append({ method: codexReports.connected, params: { version } });
      const { data } = await connection.call("thread/loaded/list", {});
      for (const id of asList(data).slice(0, THREADS_MAX)) await this.#meet(connection, asText(id) ?? "");
      await connection.closed;
    } finally {
      this.#connection = undefined;
      connection.close();
    }
  }

  async #meet(connection: CodexConnection, threadId: string): Promise<void> {
    const { thread } = await connection.call("thread/read", { threadId });
    this.#take({ method: codexReports.thread, params: { thread } });
  }

  #take(message: JsonObject): void {
    const kept = keptMessage(message);
    if (kept === null) return;
    this.#append(kept).catch(this.#options.onError);
    const { method, params } = kept;
    const question = codexQuestion(kept, null);
    if (question !== null) this.#asked.set(question.request, kept);
    if (method === "serverRequest/resolved") this.#resolved(params["requestId"]);
    const { ephemeral, id, status } = fieldsOf(params["thread"]);
    if (ephemeral === true) this.#threads.set(asText(id) ?? "", "aside");
    else if (method === codexReports.thread || method === "thread/started") this.#read(asText(id) ?? "", status);
    else if (method === "thread/status/changed") this.#read(asText(params["threadId"]) ?? "", params["status"]);
  }

  #resolved(id: unknown): void {
    for (const [request, asked] of this.#asked) if (asked.id === id) this.#asked.delete(request);
  }

  /** Asks for the items and questions of a conversation. The server refuses before its first turn is on disk. */
  #read(threadId: string, status: unknown): void {
    const isActive = fieldsOf(status)["type"] === "active";
    if (this.#threads.has(threadId) || (!isActive && fieldsOf(status)["type"] !== "idle")) return;
    this.#threads.set(threadId, "tried");
    this.#resume(threadId, isActive ? ATTEMPTS_MAX : 1).catch(this.#options.onError);
  }

  async #resume(threadId: string, attempts: number): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    for (let left = attempts; left > 0 && connection === this.#connection; left--) {
      try {
        await connection.call("thread/resume", { threadId, excludeTurns: true });
        this.#threads.set(threadId, "read");
        return;
      } catch {
        // Not on disk yet, or the connection is over.
        if (left > 1) await sleep(waits.pollMs, undefined, { ref: false });
      }
    }
    // The next change of its status tries again.
    if (connection === this.#connection) this.#threads.delete(threadId);
  }

  /** In the journal when it resolves, after all before it. */
  async #append(payload: CodexMessage): Promise<void> {
    const id = `${this.#connectionName}-${++this.#count}`;
    // The host appends in the order in which it is asked.
    const writing = this.#write({ source: CODEX_SERVER, id, payload });
    this.#written = Promise.all([this.#written, writing.catch(() => {})]);
    this.#unwritten += 1;
    if (this.#unwritten > UNWRITTEN_MAX && this.#connection !== undefined) this.#connection.isPaused = true;
    try {
      await writing;
    } finally {
      this.#unwritten -= 1;
      if (this.#unwritten === 0 && this.#connection !== undefined) this.#connection.isPaused = false;
    }
  }

  async #write(fact: Parameters<SessionEntry["fact"]>[0]): Promise<void> {
    const { entry } = this.#options;
    try {
      if (entry.live) await entry.fact(fact);
    } catch (error) {
      // A session that has just ended takes no facts.
      if (!(error instanceof LecternError && error.code === "SESSION_ENDED")) throw error;
    }
  }
}

const notConnected = ({ stored: { name } }: SessionEntry): LecternError =>
  new LecternError(
    "NOT_AVAILABLE",
    `Cannot answer: there is no connection to the server of Codex; answer in its terminal ("lectern attach ${name}")`,
  );
