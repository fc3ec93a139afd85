/** The machines that this one reaches through its cluster, by its own daemon. */
import { existsSync } from "node:fs";
import type { CliContext } from "./context.ts";

/** None without a daemon, which is not started for them. */
export async function clusterMachines({
  paths,
  runningClient,
  signal,
}: Pick<CliContext, "paths" | "runningClient" | "signal">): Promise<readonly string[]> {
  if (!existsSync(paths.clusterFile)) return [];
  const client = await runningClient();
  const machines = (await client?.call("machines.list", {}, { signal }))?.machines ?? [];
  return machines.filter(({ link }) => link === "cluster").map(({ name }) => name);
}
