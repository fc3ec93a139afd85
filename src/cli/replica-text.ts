/** How far the cluster has a copy of a session. */
import { escapeForDisplay } from "../core/text/escape.ts";
import type { OutputOf } from "../protocol/operations.ts";
import { formatSize } from "./quantities.ts";

type Replica = NonNullable<OutputOf<"cluster.status">["replicas"]>["sessions"][number];

/** Such as `degraded: the quota is full, 3.1 MB behind`. */
export function replicaText({ lagBytes, reason, state }: Pick<Replica, "lagBytes" | "reason" | "state">): string {
  const why = reason === null ? "" : `: ${escapeForDisplay(reason)}`;
  return `${state}${why}, ${formatSize(lagBytes)} behind`;
}
