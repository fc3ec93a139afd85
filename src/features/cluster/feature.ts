/** A cluster: machines that find each other through NATS servers, and hold copies of each other's sessions. */
import { waits } from "../../core/waits.ts";
import type { Feature } from "../feature.ts";

export const clusterFeature: Feature = {
  name: "cluster",
  commands: { administration: { cluster: async () => (await import("./cli/cluster-command.ts")).cluster } },
  open: async (daemon) => {
    const { ClusterMembership } = await import("./daemon/cluster-membership.ts");
    const membership = new ClusterMembership({
      ...daemon,
      openArchive: async (directory) => {
        const { openArchiveServer } = await import("./cli/archive-server.ts");
        return await openArchiveServer(directory, { features: daemon.list, logLevel: daemon.config.get("log").level });
      },
    });
    return {
      machines: membership.source,
      handlers: {
        "cluster.status": async () => {
          await membership.source.ready();
          return membership.status;
        },
        "cluster.read": async () => {
          await membership.read();
          return await membership.settled(waits.answerMs);
        },
      },
      // What is wrong with a token is a problem of the daemon, which starts without a cluster.
      start: () => void membership.read().catch(() => undefined),
      collect: (metrics) => {
        metrics.clear("lectern_cluster_connected");
        const { joined, state } = membership.status;
        if (joined) metrics.set("lectern_cluster_connected", {}, state === "connected" ? 1 : 0);
      },
      close: async () => await membership.close(),
    };
  },
};
