/** Daemons that are processes of their own, each with its home, as members of a cluster on real servers. */
import { join } from "node:path";
import type { MemberRole } from "../../src/features/cluster/daemon/permissions.ts";
import { CliHome } from "../e2e/cli-home.ts";
import { NatsServers } from "./nats-servers.ts";
import { until } from "./until.ts";

export class ClusterHomes implements AsyncDisposable {
  readonly servers: NatsServers;
  readonly #homes: ReadonlyMap<string, CliHome>;

  private constructor(servers: NatsServers, homes: ReadonlyMap<string, CliHome>) {
    this.servers = servers;
    this.#homes = homes;
  }

  /** Resolves when each of them sees all others. */
  static async start(members: Readonly<Record<string, MemberRole>>, servers: 1 | 3 = 1): Promise<ClusterHomes> {
    const nats = await NatsServers.start(servers, members);
    const homes = new ClusterHomes(nats, new Map(Object.keys(members).map((name) => [name, new CliHome()])));
    try {
      await Promise.all(
        Object.keys(members).map(async (name) => {
          await homes.home(name).startDaemon("--no-tcp");
          await homes.home(name).ok("cluster", "join", join(nats.directory, `${name}.token`));
        }),
      );
      const present = Object.entries(members).filter(([, role]) => role !== "viewer");
      for (const name of Object.keys(members)) await homes.untilConnected(name, ...present.map(([each]) => each));
      return homes;
    } catch (error) {
      await homes[Symbol.asyncDispose]();
      throw error;
    }
  }

  home(name: string): CliHome {
    const home = this.#homes.get(name);
    if (home === undefined) throw new Error(`there is no machine ${name}`);
    return home;
  }

  async untilConnected(watcher: string, ...machines: string[]): Promise<void> {
    await until(
      async () => {
        const status = await this.home(watcher).client.call("cluster.status", {});
        const here = new Set(status.machines.filter(({ state }) => state === "connected").map(({ name }) => name));
        return status.state === "connected" && machines.every((name) => here.has(name));
      },
      `${watcher} sees ${machines.join(", ")}`,
    );
  }

  /** The server that a machine is connected to, as its place in the list. */
  async serverOf(name: string): Promise<number> {
    const { server } = await this.home(name).client.call("cluster.status", {});
    return this.servers.servers.findIndex(({ port }) => server?.endsWith(`:${port}`) === true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#homes.values()].map(async (home) => home[Symbol.asyncDispose]()));
    await this.servers[Symbol.asyncDispose]();
  }
}
