/** Whether this machine is in a cluster. Nothing of `cluster/` is loaded before it has joined one. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { waits } from "../../../core/waits.ts";
import type { MachineSource } from "../../../machines/machines.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import { PROTOCOL_VERSION } from "../../../protocol/routes.ts";
import type { Cluster } from "./cluster.ts";
import type { OpenArchiveServer } from "./replicas/archive.ts";
import type { AuditStore } from "../../../daemon/audit/audit-store.ts";
import type { LecternPaths } from "../../../daemon/paths.ts";
import type { DaemonProblems } from "../../../daemon/problems.ts";
import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";

type ClusterStatus = OutputOf<"cluster.status">;

export interface ClusterMembershipOptions {
  readonly paths: Pick<LecternPaths, "clusterFile" | "daemonSocket" | "dataDirectory">;
  readonly version: string;
  readonly registry: SessionRegistry;
  readonly audit: AuditStore;
  readonly openArchive?: OpenArchiveServer | undefined;
  readonly problems: DaemonProblems;
  readonly onError: (error: unknown) => void;
}

const notJoined: ClusterStatus = {
  joined: false,
  name: null,
  role: null,
  servers: [],
  state: "off",
  reason: null,
  sinceMs: 0,
  server: null,
  serverVersion: null,
  machines: [],
  replicas: null,
};

export class ClusterMembership {
  readonly #options: ClusterMembershipOptions;
  readonly #startedMs = Date.now();
  #cluster: Cluster | undefined;
  /** Why the token cannot be used. */
  #trouble: string | undefined;
  #reading: Promise<void> = Promise.resolve();
  /** The first attempt since the token was read. */
  #connecting: Promise<unknown> | undefined;
  readonly #listeners = new Set<() => void>();
  /** The other machines; none before this one has joined. */
  readonly source: MachineSource = {
    ready: async () => {
      await this.#reading.catch(() => undefined);
      await (this.#connecting ??= this.settled(waits.partMs));
    },
    list: () => this.#cluster?.list() ?? [],
    transport: (name) => this.#cluster?.transport(name),
    subscribe: (listener) => {
      this.#listeners.add(listener);
      return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
    },
  };

  constructor(options: ClusterMembershipOptions) {
    this.#options = options;
  }

  get status(): ClusterStatus {
    if (this.#trouble === undefined) return this.#cluster?.status ?? notJoined;
    return { ...notJoined, joined: true, state: "refused", reason: this.#trouble };
  }

  /** Connects if there is a token, and leaves if there is none any more. Throws what is wrong with the token. One at a time. */
  read(): Promise<void> {
    const done = this.#reading.catch(() => undefined).then(async () => await this.#readReporting());
    this.#reading = done;
    return done;
  }

  /** Resolves when the first attempt to connect has shown something, or after `msMax`. */
  async settled(msMax: number): Promise<ClusterStatus> {
    for (const deadline = performance.now() + msMax; performance.now() < deadline; await delay(waits.pollMs)) {
      const { reason, state } = this.status;
      if (state === "off" || state === "refused" || reason !== null || this.#cluster?.isSettled === true) break;
    }
    return this.status;
  }

  /** Of a daemon that stops. */
  async close(): Promise<void> {
    await this.#reading.catch(() => undefined);
    await this.#cluster?.close();
    this.#cluster = undefined;
  }

  async #readReporting(): Promise<void> {
    try {
      await this.#read();
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = (error as Error).message;
      this.#options.problems.set("cluster", this.#trouble);
      throw error;
    }
  }

  async #read(): Promise<void> {
    const { onError, paths, problems } = this.#options;
    const isMember = existsSync(paths.clusterFile);
    await this.#cluster?.close({ leaves: !isMember });
    this.#cluster = undefined;
    this.#connecting = undefined;
    if (!isMember) return this.#tell();
    const { Cluster: Joined } = await import("./cluster.ts");
    this.#cluster = new Joined({
      tokenFile: paths.clusterFile,
      daemonSocket: paths.daemonSocket,
      instanceFile: join(paths.dataDirectory, "cluster-instance"),
      facts: () => ({
        version: this.#options.version,
        protocolVersion: PROTOCOL_VERSION,
        sessions: [...this.#options.registry.all].filter(({ live }) => live).length,
        sinceMs: this.#startedMs,
      }),
      registry: this.#options.registry,
      audit: this.#options.audit,
      openArchive: this.#options.openArchive,
      archivesDirectory: join(paths.dataDirectory, "archives"),
      replicasFile: join(paths.dataDirectory, "replicas.json"),
      onProblem: (problem) => problems.set("cluster", problem),
      onReplicaProblem: (problem) => problems.set("replicas", problem),
      onError,
    });
    this.#cluster.subscribe(this.#tell);
    this.#tell();
  }

  readonly #tell = (): void => {
    for (const listener of this.#listeners) listener();
  };
}
