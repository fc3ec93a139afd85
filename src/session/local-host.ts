/** The pty and the journal of one session in this process, reached as the daemon reaches a pty host. */
import { EventSocket } from "../host/event-socket.ts";
import type { SessionHost } from "../host/host-client.ts";
import { hostedMethods } from "../host/hosted-methods.ts";
import { HostCounters } from "../host/host-counters.ts";
import { HostedSession, type SessionListener } from "../host/hosted-session.ts";
import { takeJournalLock } from "../host/journal-lock.ts";
import type { HostedInfo, HostMethod, HostMethods, InputOptions, SpawnRequest, Written } from "../host/messages.ts";
import { JournalWriter } from "../journal/writer.ts";
import type { ExitStatus } from "../protocol/records.ts";

const HANDLE = 1;

export interface LocalHostOptions {
  /** Where programs of the session send events. */
  readonly eventSocketPath: string;
  /** The journal has grown. */
  readonly onAdvance: (end: number) => void;
  readonly onDegraded: (message: string | null) => void;
  readonly onExit: (exit: ExitStatus, end: number) => void;
  readonly onError: (error: unknown) => void;
}

export class LocalHost implements SessionHost, SessionListener, AsyncDisposable {
  readonly #options: LocalHostOptions;
  readonly #journal: JournalWriter;
  readonly #events = new EventSocket((event, peer) => this.#hosted().event(event, peer));
  readonly #methods = hostedMethods(
    () => this.#hosted(),
    () => true,
  );
  #session: HostedSession | undefined;
  #isTelling = false;

  private constructor(journal: JournalWriter, options: LocalHostOptions) {
    this.#journal = journal;
    this.#options = options;
  }

  /** Starts the program. Throws what `spawnPty` throws. */
  static async start(request: SpawnRequest, options: LocalHostOptions): Promise<LocalHost> {
    const { directory, retainBytesMax } = request;
    const journal = await JournalWriter.open(directory, { retainBytesMax, lock: takeJournalLock });
    const host = new LocalHost(journal, options);
    try {
      await host.#events.listen(options.eventSocketPath, options.onError);
      const counters = new HostCounters();
      const place = { counters, handle: HANDLE, journal, listener: host, eventSocket: options.eventSocketPath };
      host.#session = new HostedSession(request, place);
      return host;
    } catch (error) {
      await host[Symbol.asyncDispose]();
      throw error;
    }
  }

  get info(): HostedInfo {
    return this.#hosted().info;
  }

  async call<Method extends HostMethod>(
    method: Method,
    parameters: HostMethods[Method]["parameters"],
  ): Promise<HostMethods[Method]["result"]> {
    // Growth is always reported.
    if (method === "follow") return { end: this.#hosted().end };
    // The method picks both the handler and its parameters; the compiler cannot follow that.
    const handle = this.#methods[method as "probe"] as (given: unknown) => Promise<HostMethods[Method]["result"]>;
    return await handle(parameters);
  }

  async input(_handle: number, bytes: Uint8Array, how: InputOptions = {}): Promise<Written> {
    return await this.#hosted()[how.acts === true ? "press" : "input"](bytes, how);
  }

  /** Once for all that has come in one turn of the event loop. */
  onAdvance(session: HostedSession): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => {
      this.#isTelling = false;
      this.#options.onAdvance(session.end);
    });
  }

  onInput(session: HostedSession): void {
    this.onAdvance(session);
  }

  onDegraded(_session: HostedSession, message: string | null): void {
    this.#options.onDegraded(message);
  }

  onExit(session: HostedSession, exit: ExitStatus): void {
    this.#options.onExit(exit, session.end);
  }

  onError(error: unknown): void {
    this.#options.onError(error);
  }

  /** To be called when the program has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#events.close();
    await this.#journal.close();
  }

  #hosted(): HostedSession {
    if (this.#session === undefined) throw new TypeError("The program was not started");
    return this.#session;
  }
}
