/** This machine as a member of a cluster. */
import { waits } from "../../core/waits.ts";
import type { Handlers } from "../service.ts";
import type { Daemon } from "./context.ts";

export const clusterHandlers = ({ membership }: Daemon): Pick<Handlers, "cluster.status" | "cluster.read"> => ({
  "cluster.status": async () => membership.status,
  "cluster.read": async () => {
    await membership.read();
    return membership.settled(waits.answerMs);
  },
});
