/** Keeps this machine connected to the servers of its cluster, for ever, and reports in which state that is. */
import { AuthorizationError, PermissionViolationError } from "@nats-io/transport-node";
import { LecternError, type ErrorCode } from "../../../core/errors.ts";
import { delay } from "../../../client/reconnect.ts";
import { checkJetStream, openConnection, type CheckedConnection } from "./connect.ts";
import type { MemberToken } from "./member-token.ts";

/** Between attempts while no server answers: doubled from the first to the last. */
const RETRY_MS_MIN = 100;
const RETRY_MS_MAX = 1000;
/** Between attempts after a refusal, which only a person ends. */
const REFUSED_RETRY_MS = 15_000;

/** Between checks of a JetStream that does not answer. */
const JETSTREAM_RETRY_MS = 2000;

/** Errors that do not pass by waiting. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  "FORBIDDEN",
  "UNAUTHENTICATED",
  "NOT_AVAILABLE",
  "VERSION_MISMATCH",
  "NAME_TAKEN",
]);

export interface LinkState {
  readonly state: "connecting" | "connected" | "refused";
  /** Why it is not connected, with the next step; of a connected one, what does not work. Null otherwise. */
  readonly reason: string | null;
  readonly sinceMs: number;
  /** Host and port; null while it is not connected. */
  readonly server: string | null;
  readonly serverVersion: string | null;
}

export interface LinkOptions {
  readonly onState: (state: LinkState) => void;
  /** Called with each new connection. Rejects with `NAME_TAKEN` to give it up. */
  readonly onConnected: (connection: CheckedConnection) => Promise<void>;
  /** Called with errors that no caller waits for. */
  readonly onError: (error: unknown) => void;
}

export class ClusterLink {
  readonly #token: MemberToken;
  readonly #options: LinkOptions;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #state: LinkState = { state: "connecting", reason: null, sinceMs: Date.now(), server: null, serverVersion: null };
  #checked: CheckedConnection | undefined;

  constructor(token: MemberToken, options: LinkOptions) {
    this.#token = token;
    this.#options = options;
    this.#running = this.#run();
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Undefined while it is not connected: nothing may be queued in memory for a server that is away. */
  get connection(): CheckedConnection["connection"] | undefined {
    return this.#state.state === "connected" ? this.#checked?.connection : undefined;
  }

  /** Resolves when the last message has been sent, or cannot be. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#checked?.connection.close().catch(() => undefined);
    await this.#running;
  }

  /** Gives up the connection, and tries again much later. */
  async refuse(error: LecternError): Promise<void> {
    this.#refusal = error;
    try {
      await this.#checked?.connection.close();
    } catch {
      // It was closed already.
    }
  }

  #refusal: LecternError | undefined;

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        this.#checked = await openConnection(this.#token);
        if (signal.aborted) break;
        failures = 0;
        await this.#use(this.#checked);
      } catch (error) {
        this.#refusal = this.#take(error);
      }
      const refusal = this.#refusal;
      this.#refusal = undefined;
      this.#checked = undefined;
      const retryMs =
        refusal === undefined ? Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** Math.min(failures, 10)) : REFUSED_RETRY_MS;
      if (refusal !== undefined) this.#set("refused", refusal.message);
      await delay(retryMs, signal);
    }
    await this.#checked?.connection.close().catch(() => undefined);
  }

  /** A refusal, or undefined for an error that may pass. */
  #take(error: unknown): LecternError | undefined {
    if (error instanceof LecternError && refusals.has(error.code)) return error;
    if (!(error instanceof LecternError)) this.#options.onError(error);
    this.#set("connecting", (error as Error).message);
    return undefined;
  }

  /** Resolves when the connection is closed. Throws why, if a person has to act. */
  async #use(checked: CheckedConnection): Promise<void> {
    const { connection } = checked;
    void this.#watch(checked);
    this.#connected(checked);
    void this.#announce(checked);
    void this.#checkJetStream(checked);
    const end = await connection.closed();
    if (this.#closing.signal.aborted || this.#refusal !== undefined) return;
    if (end instanceof AuthorizationError) {
      const next = 'the member was removed: join again with a new token, or run "lectern cluster leave"';
      throw new LecternError("UNAUTHENTICATED", `The servers refuse the key of "${this.#token.name}": ${next}`);
    }
    const why = end instanceof Error ? `: ${end.message}` : "";
    this.#set("connecting", `lost the connection to ${this.#state.server ?? "the server"}${why}`);
  }

  async #watch({ connection }: CheckedConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "error" && status.error instanceof PermissionViolationError)
        this.#options.onError(status.error);
    }
  }

  /** Until it answers. */
  async #checkJetStream(checked: CheckedConnection): Promise<void> {
    try {
      for (let reason: string | null = ""; reason !== null;) {
        reason = await checkJetStream(checked, this.#token);
        if (checked.connection.isClosed()) return;
        if (reason !== this.#state.reason) this.#connected(checked, reason);
        if (reason !== null) await delay(JETSTREAM_RETRY_MS, this.#closing.signal);
      }
    } catch (error) {
      const refusal = checked.connection.isClosed() ? undefined : this.#take(error);
      if (refusal !== undefined) await this.refuse(refusal);
    }
  }

  async #announce(checked: CheckedConnection): Promise<void> {
    try {
      await this.#options.onConnected(checked);
    } catch (error) {
      if (error instanceof LecternError && refusals.has(error.code)) await this.refuse(error);
      else if (!checked.connection.isClosed()) this.#options.onError(error);
    }
  }

  #connected({ connection }: CheckedConnection, reason: string | null = null): void {
    this.#set("connected", reason, {
      server: connection.getServer(),
      serverVersion: connection.info?.version ?? null,
    });
  }

  #set(
    state: LinkState["state"],
    reason: string | null,
    server: Pick<LinkState, "server" | "serverVersion"> = { server: null, serverVersion: null },
  ): void {
    const sinceMs = state === this.#state.state ? this.#state.sinceMs : Date.now();
    this.#state = { state, reason, sinceMs, ...server };
    if (!this.#closing.signal.aborted) this.#options.onState(this.#state);
  }
}
