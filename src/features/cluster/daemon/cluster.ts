/** This machine as a member of a cluster: its connection, its row, and the machines that it hears. Loaded only if it has joined one. */
import type { JetStreamManager } from "@nats-io/jetstream";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { unixTransport } from "../../../client/unix-transport.ts";
import type { Transport } from "../../../client/transport.ts";
import { LecternError } from "../../../core/errors.ts";
import type { MachineSource } from "../../../machines/machines.ts";
import type { MachineInfo } from "../../../protocol/machines.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import type { AuditStore } from "../../../daemon/audit/audit-store.ts";
import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";
import { within } from "../../../timers/within.ts";
import type { CheckedConnection } from "./connect.ts";
import { HeardMachines, type HeardMachine } from "./heard-machines.ts";
import { ClusterLink, type LinkState } from "./link.ts";
import { readRow } from "./machine-row.ts";
import { readTokenFile, type MemberToken } from "./member-token.ts";
import { natsTransport } from "./nats-transport.ts";
import { OwnRow, type DaemonFacts } from "./own-row.ts";
import type { OpenArchiveServer } from "./replicas/archive.ts";
import { Archives, type AwayMachine } from "./replicas/archives.ts";
import { ReplicaStream } from "./replicas/replica-stream.ts";
import { Replicas } from "./replicas/replicas.ts";
import { serveMembers } from "./serve-members.ts";
import { ALL_ROWS, machineOfRow, MACHINES_STREAM, rowSubject } from "./subjects.ts";
import { TunnelHub } from "./tunnel-hub.ts";

const BEAT_MS = 1000;
/** Requests in flight while the rows that the stream has kept are read. */
const READS_MAX = 16;
const ROWS_READ_MAX = 1024;
/** A message that could not be sent by then is not waited for at the end. */
const END_MS_MAX = 2000;
/** Listeners for changes are told at most this often. */
const CHANGE_MS_MIN = 100;

export interface ClusterOptions {
  readonly tokenFile: string;
  readonly instanceFile: string;
  readonly facts: () => DaemonFacts;
  readonly registry: Pick<SessionRegistry, "all" | "get" | "subscribe">;
  readonly audit: Pick<AuditStore, "list" | "changed">;
  /** What is known of the replicas. */
  readonly replicasFile: string;
  readonly onReplicaProblem: (problem: string | null) => void;
  /** Serves the sessions of machines that are away, in caches below `archivesDirectory`. Without it they cannot be read. */
  readonly openArchive?: OpenArchiveServer | undefined;
  readonly archivesDirectory: string;
  /** The socket of this machine's own daemon. */
  readonly daemonSocket: string;
  /** `null` when the cluster works again. */
  readonly onProblem: (problem: string | null) => void;
  readonly onError: (error: unknown) => void;
}

export class Cluster implements MachineSource {
  readonly #token: MemberToken;
  readonly #options: ClusterOptions;
  readonly #machines = new HeardMachines();
  readonly #own: OwnRow | undefined;
  readonly #replicas: Replicas | undefined;
  readonly #archives: Archives | undefined;
  #jetstream: JetStreamManager | undefined;
  readonly #link: ClusterLink;
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<() => void>();
  #changing: NodeJS.Timeout | undefined;
  #hub: TunnelHub | undefined;
  #isSettled = false;

  /** Throws `UNSAFE_PERMISSIONS`, `INVALID_INPUT`, `NOT_FOUND` for the token file. Connects in the background. */
  constructor(options: ClusterOptions) {
    this.#options = options;
    this.#token = readTokenFile(options.tokenFile);
    const { name: machine, role } = this.#token;
    this.#own = role === "viewer" ? undefined : new OwnRow({ ...options, machine });
    const { onReplicaProblem: onProblem, replicasFile: stateFile } = options;
    this.#replicas = role === "viewer" ? undefined : new Replicas({ ...options, machine, stateFile, onProblem });
    const { archivesDirectory: directory, openArchive: openServer, onError } = options;
    // A machine that reaches no others reads none of their replicas.
    if (openServer !== undefined && role !== "machine")
      this.#archives = new Archives({ directory, openServer, onError });
    this.#link = new ClusterLink(this.#token, {
      onState: (state) => this.#stateChanged(state),
      onConnected: async (checked) => await this.#connected(checked),
      onError: options.onError,
    });
    this.#timer = setInterval(() => this.#beat(), BEAT_MS);
    this.#timer.unref();
  }

  /** Connected, the name of this machine is taken, and the others are known. */
  get isSettled(): boolean {
    return this.#link.connection !== undefined && this.#isSettled;
  }

  get status(): OutputOf<"cluster.status"> {
    const { name, role, servers } = this.#token;
    const machines = this.#machines.all.map(({ reason, row, sinceMs, state }) => {
      const { name: machine, protocolVersion, sessions, version } = row;
      return { name: machine, state, reason, sinceMs, version, protocolVersion, sessions, isThis: machine === name };
    });
    return {
      joined: true,
      name,
      role: role === "admin" ? "operator" : role,
      servers: [...servers],
      ...this.#link.state,
      machines,
      replicas: this.#replicas?.status ?? null,
    };
  }

  async ready(): Promise<void> {
    // It knows what there is as it goes.
  }

  /** The other machines that this one reaches. */
  list(): MachineInfo[] {
    if (this.#token.role === "machine") return [];
    const address = this.#link.state.server ?? new URL(this.#token.servers[0] ?? "").host;
    return this.#others().map(({ reason, row: { name, version }, sinceMs, state }) => ({
      name,
      link: "cluster",
      address,
      state,
      reason,
      sinceMs,
      version,
    }));
  }

  transport(name: string): Transport | undefined {
    if (!this.#others().some(({ row }) => row.name === name)) return undefined;
    const scopeMax = this.#token.role === "viewer" ? "read" : "write";
    const live = natsTransport({ machine: name, scopeMax, hub: () => this.#hubFor(name) });
    return this.#archives?.transport(() => this.#away(name), live) ?? live;
  }

  /** Calls back when a machine or the connection has changed. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** `leaves`: the row of this machine is removed; otherwise the others see that its daemon was stopped. */
  async close({ leaves = false }: { readonly leaves?: boolean } = {}): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#changing);
    this.#listeners.clear();
    const connection = this.#link.connection;
    if (connection !== undefined && this.#own !== undefined) {
      const ended = this.#own.end(connection, { leaves }).catch(() => undefined);
      await within(END_MS_MAX, ended);
    }
    await this.#archives?.closeAll();
    await this.#replicas?.close();
    await this.#link.close();
    this.#options.onProblem(null);
  }

  async #connected({ connection, jetstream }: CheckedConnection): Promise<void> {
    connection.subscribe(ALL_ROWS, { callback: (error, message) => this.#heard(error, message) });
    const hub = new TunnelHub(connection, this.#token.name);
    this.#hub = hub;
    void connection.closed().then(() => hub.close("this machine lost its connection to the cluster"));
    await this.#own?.take(connection, jetstream);
    if (this.#own !== undefined)
      serveMembers(hub, { machine: this.#token.name, transport: unixTransport(this.#options.daemonSocket) });
    this.#own?.beat(connection);
    // Only of the daemon that has the name.
    this.#replicas?.connected(connection, jetstream);
    this.#jetstream = jetstream;
    await this.#readRows(jetstream);
    this.#isSettled = true;
  }

  /** A machine whose replicas can be read instead of it; undefined if it is here, or this machine is cut off. */
  #away(name: string): AwayMachine | undefined {
    const { connection } = this.#link;
    const machine = this.#machines.get(name);
    if (connection === undefined || this.#jetstream === undefined || machine?.state !== "away") return undefined;
    return { name, sinceMs: machine.sinceMs, stream: new ReplicaStream(name, connection, this.#jetstream) };
  }

  #others(): HeardMachine[] {
    return this.#machines.all.filter(({ row }) => row.name !== this.#token.name);
  }

  /** Throws `FORBIDDEN` if this machine reaches no others, `MACHINE_AWAY` with the reason. */
  #hubFor(name: string): TunnelHub {
    if (this.#token.role === "machine") {
      const next = `"lectern cluster add NAME --role operator" makes a token that may`;
      throw new LecternError("FORBIDDEN", `Cannot reach "${name}": this machine only offers its own sessions; ${next}`);
    }
    const machine = this.#machines.get(name);
    if (machine !== undefined) this.#refuseOtherProtocol(machine);
    const why = this.#link.connection === undefined ? "this machine is not connected to the cluster" : machine?.reason;
    if (this.#hub !== undefined && why == null) return this.#hub;
    const message = `Cannot reach machine "${name}": ${why ?? "it is not known"}; see "lectern cluster status"`;
    throw new LecternError("MACHINE_AWAY", message, { details: { machine: name } });
  }

  /** Throws `VERSION_MISMATCH`. */
  #refuseOtherProtocol({ row: { name, protocolVersion, version } }: HeardMachine): void {
    const own = this.#options.facts();
    if (protocolVersion === own.protocolVersion) return;
    const older = protocolVersion < own.protocolVersion ? `machine "${name}"` : "this machine";
    throw new LecternError(
      "VERSION_MISMATCH",
      `Cannot reach machine "${name}": it has Lectern ${version} (protocol ${protocolVersion}), this one ${own.version} (protocol ${own.protocolVersion}); update Lectern on ${older}`,
    );
  }

  /** Machines that were away when this one connected are known from the stream. While it does not answer, those that are heard are shown. */
  async #readRows(manager: JetStreamManager): Promise<void> {
    const info = await manager.streams.info(MACHINES_STREAM, { subjects_filter: ALL_ROWS }).catch(() => undefined);
    if (info === undefined) return;
    const names = Object.keys(info.state.subjects ?? {})
      .flatMap((subject) => machineOfRow(subject) ?? [])
      .slice(0, ROWS_READ_MAX);
    const left = new Set(names);
    for (let at = 0; at < names.length; at += READS_MAX) {
      await Promise.all(
        names.slice(at, at + READS_MAX).map(async (name) => {
          const message = await manager.streams
            .getMessage(MACHINES_STREAM, { last_by_subj: rowSubject(name) })
            .catch(() => undefined);
          const isRemoved = message === null || message?.header?.get("KV-Operation");
          if (isRemoved) left.delete(name);
          const row = message ? readRow(name, message.string()) : undefined;
          if (row !== undefined && !isRemoved) this.#changed(this.#machines.known(row));
        }),
      );
    }
    // A machine that is heard is there, whatever the stream has kept.
    for (const { row, state } of this.#machines.all) {
      if (state !== "connected" && !left.has(row.name)) this.#changed(this.#machines.remove(row.name));
    }
  }

  #heard(error: Error | null, message: Msg): void {
    if (error !== null) {
      this.#options.onError(error);
      return;
    }
    const name = machineOfRow(message.subject);
    if (name === undefined) return;
    if (message.headers?.get("KV-Operation")) {
      this.#changed(this.#machines.remove(name));
      return;
    }
    const row = readRow(name, message.string());
    if (row === undefined) return;
    if (name === this.#token.name) this.#heardOwn(row);
    this.#changed(this.#machines.heard(row));
    if (this.#machines.get(name)?.state === "connected") this.#archives?.close(name);
  }

  #heardOwn(row: Parameters<OwnRow["heard"]>[0]): void {
    try {
      this.#own?.heard(row);
    } catch (error) {
      void this.#link.refuse(error as Parameters<ClusterLink["refuse"]>[0]);
    }
  }

  #beat(): void {
    const connection: NatsConnection | undefined = this.#link.connection;
    if (connection !== undefined) this.#own?.beat(connection);
    // After what has arrived while this process stood still.
    setImmediate(() => this.#changed(this.#machines.check()));
  }

  #stateChanged({ reason, state }: LinkState): void {
    this.#machines.connection(state === "connected");
    this.#options.onProblem(state === "connected" || reason === null ? null : `Cluster: ${reason}`);
    this.#changed(true);
  }

  #changed(hasChanged: boolean): void {
    if (!hasChanged || this.#changing !== undefined) return;
    this.#changing = setTimeout(() => {
      this.#changing = undefined;
      for (const listener of this.#listeners) listener();
    }, CHANGE_MS_MIN);
    this.#changing.unref();
  }
}
