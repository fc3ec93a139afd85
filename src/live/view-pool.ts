/** The worker threads that hold the screens of all sessions, and which thread holds which screen. */
import { availableParallelism } from "node:os";
import type { AgentFile } from "../core/agents/agent-file.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import type { FromWorker, ToWorker } from "./view-messages.ts";
import { ViewThread, type ThreadEnd } from "./view-thread.ts";
import { LiveView, type ViewHome } from "./live-view.ts";
import type { LiveViewOptions, ViewLimits } from "./live-view-options.ts";

export interface ViewPoolOptions extends Partial<ViewLimits> {
  /** Threads for sessions that never broke one; those that did share one more. Default: processors less one, at least one. */
  readonly workersMax?: number;
  /** A thread without progress for this long is ended. Default 600. */
  readonly deadlineMs?: number;
  /** For tests of an emulator that hangs. */
  readonly worker?: URL;
}

interface Host {
  readonly thread: ViewThread;
  readonly views: Map<number, LiveView>;
  isQuarantine: boolean;
}

export class ViewPool {
  readonly #workersMax: number;
  readonly #deadlineMs: number;
  readonly #worker: URL | undefined;
  readonly #home: ViewHome;
  readonly #hosts = new Set<Host>();
  readonly #hostOf = new Map<LiveView, Host>();
  readonly #quarantined = new WeakSet<LiveView>();
  #nextId = 1;
  /** Started when a thread makes no progress, so that its screens do not wait for a new one if it is ended. */
  #spare: Host | undefined;
  #isClosed = false;
  #lostScreens = 0;
  #agentFiles: readonly AgentFile[] = [];

  constructor(options: ViewPoolOptions = {}) {
    this.#workersMax = options.workersMax ?? Math.max(1, availableParallelism() - 1);
    this.#deadlineMs = options.deadlineMs ?? 600;
    this.#worker = options.worker;
    this.#home = {
      limits: {
        batchBytesMax: options.batchBytesMax ?? 65_536,
        inFlightBytesMax: options.inFlightBytesMax ?? 262_144,
        checkpointBytes: options.checkpointBytes ?? 4 * 1024 * 1024,
        checkpointMs: options.checkpointMs ?? waits.partMs,
        strikesMax: options.strikesMax ?? 16,
        behindBytesMax: options.behindBytesMax ?? 8 * 1024 * 1024,
      },
      post: (view, message) => this.#post(view, message),
      quarantine: (view) => this.#quarantine(view),
      release: (view) => this.#release(view),
      noteLost: () => (this.#lostScreens += 1),
    };
  }

  /** How often a screen was lost with its thread. */
  get lostScreens(): number {
    return this.#lostScreens;
  }

  get threads(): number {
    return this.#hosts.size;
  }

  /** Starts reading. Throws `NOT_AVAILABLE` once the pool is closed. */
  open(options: LiveViewOptions): LiveView {
    if (this.#isClosed) throw new LecternError("NOT_AVAILABLE", "Cannot show a screen: the screens were closed");
    const view = new LiveView(this.#home, this.#nextId++, options);
    view.wake();
    return view;
  }

  /** Replaces the users' own agent files; views in a thread read their screens again with them. */
  setAgents(files: readonly AgentFile[]): void {
    this.#agentFiles = files;
    const hosts = this.#spare === undefined ? this.#hosts : [...this.#hosts, this.#spare];
    for (const { thread } of hosts) thread.post({ type: "agents", id: 0, files });
  }

  /** Starts the first thread, so that the first screen does not wait for it. */
  prepare(): void {
    if (!this.#isClosed && this.#hosts.size === 0) this.#start(false);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const hosts = this.#spare === undefined ? [...this.#hosts] : [...this.#hosts, this.#spare];
    this.#spare = undefined;
    for (const view of this.#hostOf.keys()) view.close();
    this.#hosts.clear();
    await Promise.all(hosts.map(async ({ thread }) => await thread.close()));
  }

  #post(view: LiveView, message: ToWorker): void {
    // A `close` needs no thread, and a thread that is started after the end would never end.
    if (this.#isClosed) return;
    let host = this.#hostOf.get(view);
    if (host === undefined && message.type === "close") return;
    if (host === undefined) {
      host = this.#hostFor(this.#quarantined.has(view));
      this.#hostOf.set(view, host);
      host.views.set(view.id, view);
    }
    host.thread.post(message);
  }

  /** The thread with the fewest screens; a new one while there may be more and none is empty. */
  #hostFor(isQuarantine: boolean): Host {
    const hosts = [...this.#hosts].filter((host) => host.isQuarantine === isQuarantine);
    const [least] = hosts.toSorted((one, other) => one.views.size - other.views.size);
    const hostsMax = isQuarantine ? 1 : this.#workersMax;
    return least !== undefined && (least.views.size === 0 || hosts.length >= hostsMax)
      ? least
      : this.#start(isQuarantine);
  }

  #start(isQuarantine: boolean): Host {
    const host = this.#spare ?? this.#newHost();
    this.#spare = undefined;
    host.isQuarantine = isQuarantine;
    this.#hosts.add(host);
    return host;
  }

  #newHost(): Host {
    const views = new Map<number, LiveView>();
    const thread: ViewThread = new ViewThread({
      worker: this.#worker,
      deadlineMs: this.#deadlineMs,
      onMessage: (message: FromWorker) => views.get(message.id)?.receive(message),
      onSilence: () => {
        this.#spare ??= this.#newHost();
      },
      onEnd: (end) => this.#ended(host, end),
    });
    if (this.#agentFiles.length > 0) thread.post({ type: "agents", id: 0, files: this.#agentFiles });
    const host: Host = { thread, views, isQuarantine: false };
    return host;
  }

  /** Every screen of the thread is rebuilt, the one that broke it last. */
  #ended(host: Host, end: ThreadEnd): void {
    this.#hosts.delete(host);
    if (this.#spare === host) this.#spare = undefined;
    const views = [...host.views.values()];
    for (const view of views) this.#hostOf.delete(view);
    host.views.clear();
    for (const view of views.filter(({ id }) => id !== end.at?.id)) view.lost(end);
    for (const view of views.filter(({ id }) => id === end.at?.id)) view.lost(end);
  }

  #quarantine(view: LiveView): void {
    this.#quarantined.add(view);
    this.#release(view);
  }

  #release(view: LiveView): void {
    this.#hostOf.get(view)?.views.delete(view.id);
    this.#hostOf.delete(view);
  }
}
