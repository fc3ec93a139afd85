/** Real nats-servers on loopback with the files that `lectern cluster init` writes. Closing them ends them. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect as connectTcp } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  addMember,
  createClusterDirectory,
  machinesOf,
  readServers,
} from "../../src/features/cluster/daemon/cluster-directory.ts";
import { readTokenFile, type MemberToken } from "../../src/features/cluster/daemon/member-token.ts";
import type { MemberRole } from "../../src/features/cluster/daemon/permissions.ts";
import { prepareCluster } from "../../src/features/cluster/daemon/prepare.ts";
import type { ClusterServer } from "../../src/features/cluster/daemon/server-files.ts";
import { freePort } from "./free-port.ts";
import { ended, started } from "./leftovers.ts";
import { until } from "./until.ts";

const ROUTE_PORT_DISTANCE = 2000;
const STARTS_MAX = 5;
/** Long enough for some elections. */
const PREPARE_MS_MAX = 25_000;

export class NatsServers implements AsyncDisposable {
  readonly directory: string;
  readonly servers: readonly ClusterServer[];
  readonly #parent: string;
  readonly #processes = new Map<string, ChildProcess>();

  private constructor(parent: string, servers: readonly ClusterServer[]) {
    this.#parent = parent;
    this.directory = join(parent, "cluster");
    this.servers = servers;
    started(this);
  }

  /**
   * `members` by name. A port that another program took meanwhile is a reason to start once more, and so are servers that do not find each other:
   * on a busy machine, three that start together once refused a stream for minutes ("no suitable peers for placement").
   */
  static async start(count: 1 | 3 = 1, members: Readonly<Record<string, MemberRole>> = {}): Promise<NatsServers> {
    for (let attempt = 1; ; attempt += 1) {
      const places = await Promise.all(
        Array.from({ length: count }, async () => `127.0.0.1:${await freePort(ROUTE_PORT_DISTANCE)}`),
      );
      const made = new NatsServers(mkdtempSync(join(tmpdir(), "lectern-nats-")), readServers(places.join(",")));
      try {
        const { directory, servers } = made;
        await createClusterDirectory(directory, { servers, features: { syncInterval: false } });
        for (const [name, role] of Object.entries(members)) addMember(directory, { name, role });
        await Promise.all(servers.map(async (_, index) => made.startServer(index)));
        await made.prepare(PREPARE_MS_MAX);
        return made;
      } catch (error) {
        await made[Symbol.asyncDispose]();
        if (attempt === STARTS_MAX) throw error;
      }
    }
  }

  token(name: string): MemberToken {
    return readTokenFile(join(this.directory, `${name}.token`));
  }

  pid(index = 0): number {
    const { pid } = this.#process(index);
    if (pid === undefined) throw new Error("the server has not started");
    return pid;
  }

  signal(signal: NodeJS.Signals, index = 0): void {
    process.kill(this.pid(index), signal);
  }

  async kill(index = 0): Promise<void> {
    const server = this.#process(index);
    const exit = once(server, "exit");
    server.kill("SIGKILL");
    await exit;
  }

  /** Resolves when it accepts connections. */
  async startServer(index = 0): Promise<void> {
    const { name, port } = this.#server(index);
    const server = spawn("nats-server", ["-c", "server.conf", "-l", "server.log"], {
      cwd: join(this.directory, name),
      stdio: "ignore",
    });
    this.#processes.set(name, server);
    await once(server, "spawn");
    await until(async () => {
      if (server.exitCode !== null) throw new Error(this.log(index));
      return accepts(port);
    }, "the server accepts connections");
  }

  /** With three servers, JetStream answers only after they have chosen a leader. */
  async prepare(msMax = 90_000): Promise<void> {
    const admin = this.token("admin");
    for (const deadline = performance.now() + msMax; ; await delay(100)) {
      try {
        await prepareCluster(admin, machinesOf(this.directory));
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
      }
    }
  }

  log(index = 0): string {
    return readFileSync(join(this.directory, this.#server(index).name, "server.log"), "utf8");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!ended(this)) return;
    for (const server of this.#processes.values()) {
      if (server.exitCode !== null || server.signalCode !== null || server.pid === undefined) continue;
      const exit = once(server, "exit");
      server.kill("SIGKILL");
      await exit;
    }
    rmSync(this.#parent, { recursive: true, force: true });
  }

  #server(index: number): ClusterServer {
    const server = this.servers[index];
    if (server === undefined) throw new Error(`there is no server ${index}`);
    return server;
  }

  #process(index: number): ChildProcess {
    const found = this.#processes.get(this.#server(index).name);
    if (found === undefined) throw new Error("the server has not started");
    return found;
  }
}

/** One server with a configuration of the test's own, which need not be a good one. */
export class OtherServer implements AsyncDisposable {
  readonly port: number;
  readonly #directory: string;
  readonly #server: ChildProcess;

  private constructor(directory: string, server: ChildProcess, port: number) {
    this.#directory = directory;
    this.#server = server;
    this.port = port;
    started(this);
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  static async start(configuration: string): Promise<OtherServer> {
    const directory = mkdtempSync(join(tmpdir(), "lectern-nats-"));
    // By itself a server closes a connection that has not sent its key in 2 s, which a busy machine may need.
    const patient = "authorization { timeout: 60 }";
    writeFileSync(join(directory, "server.conf"), `listen: "127.0.0.1:-1"\n${patient}\n${configuration}\n`);
    return this.startIn(directory);
  }

  /** With the files of a directory, which is removed at the end; the port is a free one. */
  static async startIn(directory: string): Promise<OtherServer> {
    const server = spawn(
      "nats-server",
      ["-c", "server.conf", "-p", "-1", "--ports_file_dir", ".", "-l", "server.log"],
      {
        cwd: directory,
        stdio: "ignore",
      },
    );
    await once(server, "spawn");
    const file = join(directory, `nats-server_${server.pid}.ports`);
    let port = 0;
    await until(() => {
      if (server.exitCode !== null) throw new Error(readFileSync(join(directory, "server.log"), "utf8"));
      port = portIn(file);
      return port !== 0;
    }, "the server has written its port");
    return new OtherServer(directory, server, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!ended(this)) return;
    const exit = once(this.#server, "exit");
    this.#server.kill("SIGKILL");
    await exit;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** 0 if it is not written yet. */
function portIn(file: string): number {
  try {
    const { nats } = JSON.parse(readFileSync(file, "utf8")) as { nats: string[] };
    return Number(new URL(nats[0] ?? "").port);
  } catch {
    return 0;
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connectTcp(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
