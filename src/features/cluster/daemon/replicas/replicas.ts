/**
 * The replicas of the sessions of this machine. Sessions that run are followed; those that ended are completed, some at a time, and then rest.
 * Laws: the journal is only read; what is in flight for all sessions together is limited by `SLOTS`; nothing is queued for a cluster that is away.
 */
import type { JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { OutputOf } from "../../../../protocol/operations.ts";
import type { AuditStore } from "../../../../daemon/audit/audit-store.ts";
import type { SessionEntry } from "../../../../daemon/sessions/session-entry.ts";
import type { SessionRegistry } from "../../../../daemon/sessions/session-registry.ts";
import { AuditReplica } from "./audit-replica.ts";
import { FactsWriter } from "./facts-writer.ts";
import { ReplicaLedger } from "./replica-ledger.ts";
import { failureReason, MISSING, ReplicaStream } from "./replica-stream.ts";
import { SessionReplica } from "./session-replica.ts";
import { Slots } from "../../../../daemon/async/slots.ts";

/** Reads and publishes at the same time, each of at most 448 KiB. */
const SLOTS = 8;
/** Ended sessions that are completed at the same time. */
const ENDED_MAX = 4;
/** Of sessions that had ended before this machine joined, the newest of this size together are sent. */
const BACKLOG_BYTES_MAX = 1024 ** 3;
/** The stream is looked at this often: without one, or with one that lost its end, work begins anew. */
const LOOK_MS = 15_000;
const SHOWN_MAX = 1000;

type ClusterReplicas = NonNullable<OutputOf<"cluster.status">["replicas"]>;

export interface ReplicasOptions {
  readonly machine: string;
  readonly registry: Pick<SessionRegistry, "all" | "get" | "subscribe">;
  readonly audit: Pick<AuditStore, "list" | "changed">;
  readonly stateFile: string;
  /** Null when it works again. */
  readonly onProblem: (problem: string | null) => void;
  readonly onError: (error: unknown) => void;
}

interface Followed {
  readonly entry: SessionEntry;
  readonly replica: SessionReplica;
  /** Ends the notices of its growth. */
  readonly subscriptions: DisposableStack;
  isWatched: boolean;
}

export class Replicas {
  readonly #options: ReplicasOptions;
  readonly #ledger: ReplicaLedger;
  readonly #slots = new Slots(SLOTS);
  readonly #followed = new Map<string, Followed>();
  readonly #facts: FactsWriter;
  readonly #audit: AuditReplica;
  readonly #subscription: Disposable;
  /** Ended sessions that are not complete, oldest first. */
  #backlog: SessionEntry[] = [];
  #stream: ReplicaStream | undefined;
  /** The stream is there, and sessions are connected to it. */
  #isReady = false;
  #reason: string | undefined = "there is no connection to the cluster";
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ReplicasOptions) {
    this.#options = options;
    this.#ledger = new ReplicaLedger(options.stateFile, options.onError);
    this.#facts = new FactsWriter(options.onError);
    this.#audit = new AuditReplica(options.audit);
    this.#subscription = options.registry.subscribe((id, entry) => this.#registryChanged(id, entry));
    for (const entry of options.registry.all) if (runs(entry)) this.#follow(entry);
  }

  get status(): ClusterReplicas {
    const sessions = [...this.#followed.values()].map(({ entry, replica }) => ({
      id: entry.id,
      name: entry.stored.name,
      ...this.#stateOf(replica),
      lagBytes: replica.lagBytes,
    }));
    return {
      reason: this.#reason ?? null,
      bytes: this.#bytes,
      waiting: this.#backlog.length,
      removing: this.#ledger.removed.length,
      sessions: sessions.slice(0, SHOWN_MAX),
    };
  }

  connected(connection: NatsConnection, manager: JetStreamManager): void {
    this.disconnected();
    const stream = new ReplicaStream(this.#options.machine, connection, manager);
    this.#stream = stream;
    void this.#disconnectWith(connection, stream);
    void this.#look();
  }

  disconnected(): void {
    this.#stream = undefined;
    this.#stop("there is no connection to the cluster");
    clearTimeout(this.#timer);
    // The connection is a problem of its own.
    this.#options.onProblem(null);
  }

  async close(): Promise<void> {
    this.disconnected();
    this.#subscription[Symbol.dispose]();
    for (const id of this.#followed.keys()) this.#release(id);
    await this.#ledger.close();
  }

  async #disconnectWith(connection: NatsConnection, stream: ReplicaStream): Promise<void> {
    await connection.closed();
    if (this.#stream === stream) this.disconnected();
  }

  #stop(reason: string): void {
    this.#isReady = false;
    this.#reason = reason;
    this.#backlog = [];
    this.#facts.disconnect();
    this.#audit.disconnect();
    for (const { entry, replica } of this.#followed.values()) {
      replica.disconnect();
      // It is found again by `#begin`.
      if (!entry.live) this.#release(entry.id);
    }
  }

  /** Begins when the stream is there, and again when it has lost something. */
  async #look(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) return;
    clearTimeout(this.#timer);
    try {
      const facts = await stream.info();
      if (this.#stream !== stream) return;
      if (facts === undefined) this.#fail(MISSING);
      else {
        this.#bytes = facts.bytes;
        const hasLost = this.#ledger.compare(facts);
        if (!this.#isReady || hasLost) await this.#begin(stream);
        for (const id of this.#ledger.removed) void this.#remove(id);
      }
    } catch (error) {
      if (this.#stream === stream && !this.#isReady) this.#fail(failureReason(error));
    }
    if (this.#stream === stream) this.#timer = setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  #fail(reason: string): void {
    this.#stop(reason);
    this.#options.onProblem(`Cluster: sessions are not replicated: ${reason}`);
  }

  async #begin(stream: ReplicaStream): Promise<void> {
    const known = await stream.sessions();
    if (this.#stream !== stream) return;
    this.#isReady = true;
    this.#reason = undefined;
    this.#options.onProblem(null);
    this.#facts.connect(stream, known);
    this.#audit.connect(stream);
    for (const { replica } of this.#followed.values()) replica.connect(stream);
    const { registry } = this.#options;
    this.#backlog = newestOf([...registry.all].filter((entry) => this.#isIncomplete(entry)));
    for (const entry of registry.all) if (entry.live || this.#backlog.includes(entry)) this.#facts.put(entry);
    this.#completeMore();
  }

  #isIncomplete(entry: SessionEntry): boolean {
    const { damage, id, live, stored } = entry;
    return !live && damage === null && !this.#followed.has(id) && !this.#ledger.isComplete(id, stored.end);
  }

  #completeMore(): void {
    const ended = [...this.#followed.values()].filter(({ entry }) => !entry.live).length;
    for (const entry of this.#backlog.splice(0, Math.max(0, ENDED_MAX - ended))) this.#follow(entry);
  }

  #registryChanged(id: string, entry: SessionEntry | undefined): void {
    if (entry === undefined) {
      const sent = this.#followed.get(id)?.replica.sent;
      this.#release(id);
      this.#backlog = this.#backlog.filter((waiting) => waiting.id !== id);
      this.#ledger.remove(id);
      void this.#remove(id, sent);
      return;
    }
    this.#facts.put(entry);
    const followed = this.#followed.get(id);
    if (followed !== undefined) this.#grow(followed);
    else if (runs(entry) || (this.#isReady && this.#isIncomplete(entry))) this.#follow(entry);
  }

  #follow(entry: SessionEntry): void {
    const { onError } = this.#options;
    const { directory, id } = entry;
    const replica = new SessionReplica({
      session: id,
      directory,
      slots: this.#slots,
      onStep: () => this.#stepped(id),
      onError,
    });
    const followed = { entry, replica, subscriptions: new DisposableStack(), isWatched: false };
    followed.subscriptions.use(replica);
    this.#followed.set(id, followed);
    this.#grow(followed);
    if (this.#isReady && this.#stream !== undefined) replica.connect(this.#stream);
  }

  /** While it runs, its host reports what it appends. */
  async #watch(followed: Followed): Promise<void> {
    const { entry, replica, subscriptions } = followed;
    followed.isWatched = true;
    try {
      const feed = await entry.feed();
      if (!subscriptions.disposed) subscriptions.use(feed.watch(() => replica.grow(feed.end)));
      replica.grow(feed.end);
    } catch {
      // It is tried again when the registry tells of it.
      followed.isWatched = false;
    }
  }

  #grow(followed: Followed): void {
    const { entry, isWatched, replica } = followed;
    if (runs(entry) && !isWatched) void this.#watch(followed);
    replica.grow(entry.activity.end);
  }

  #stepped(id: string): void {
    const followed = this.#followed.get(id);
    if (followed === undefined || followed.entry.live || !followed.replica.isComplete) return;
    const { end } = followed.entry.activity;
    this.#ledger.complete(id, { end, sequence: followed.replica.lastSequence });
    this.#release(id);
    this.#completeMore();
  }

  #release(id: string): void {
    const followed = this.#followed.get(id);
    this.#followed.delete(id);
    followed?.subscriptions.dispose();
  }

  /** Also of a session that was removed while the cluster was away. What was under way to the cluster has to arrive before. */
  async #remove(id: string, sent?: Promise<void>): Promise<void> {
    await Promise.all([sent, this.#facts.drop(id)]);
    if (!this.#isReady || this.#stream === undefined) return;
    try {
      await this.#stream.remove(id);
      this.#ledger.forget(id);
    } catch {
      // It is tried again with the next look.
    }
  }

  #stateOf({ state }: SessionReplica): Pick<ClusterReplicas["sessions"][number], "state" | "reason"> {
    if (this.#reason !== undefined) return { state: "degraded", reason: this.#reason };
    return { state: state.name, reason: state.reason ?? null };
  }
}

/** One that starts has no journal yet: the registry tells when it runs. */
const runs = ({ stored: { state } }: SessionEntry): boolean => state === "running";

/** Not more than the backlog may have; in the order of their age, because the stream drops what was sent first. */
function newestOf(entries: readonly SessionEntry[]): SessionEntry[] {
  let bytes = 0;
  return entries
    .toSorted((left, right) => (left.stored.createdAt < right.stored.createdAt ? 1 : -1))
    .filter(({ stored: { end } }) => (bytes += end) <= BACKLOG_BYTES_MAX)
    .toReversed();
}
