/** `lectern cluster join`, `leave` and `status`: this machine as a member. */
import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { LecternError } from "../../../core/errors.ts";
import { escapeForDisplay } from "../../../core/text/escape.ts";
import { replaceFile } from "../../../host/json-file.ts";
import { ensurePrivateDirectory } from "../../../host/private-directory.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import { formatTable } from "../../../cli/columns.ts";
import type { CliContext } from "../../../cli/context.ts";
import { replicaText } from "../../../cli/replica-text.ts";
import { formatAgo, formatSize } from "../../../cli/quantities.ts";

const SHOWN_MAX = 20;

type ClusterStatus = OutputOf<"cluster.status">;

/** The token is tried before it is kept, so that a mistake changes nothing. */
export async function join(file: string, name: string | undefined, context: CliContext): Promise<void> {
  const { paths } = context;
  const { readTokenFile, tokenText } = await import("../daemon/member-token.ts");
  const { connectChecked } = await import("../daemon/connect.ts");
  const token = readTokenFile(resolve(context.workingDirectory, file));
  if (token.role === "admin") {
    const next = '"lectern cluster add NAME" makes one for this machine';
    throw new LecternError("INVALID_INPUT", `Cannot join with "${file}": it is the key of the administrator; ${next}`);
  }
  if (name !== undefined && name !== token.name) {
    const next = `the servers know the key by its name: "lectern cluster add ${name}" makes another token`;
    throw new LecternError("INVALID_INPUT", `Cannot join as "${name}" with the token of "${token.name}": ${next}`);
  }
  const { connection, degraded } = await connectChecked(token);
  await connection.close();
  ensurePrivateDirectory(paths.dataDirectory);
  replaceFile(paths.clusterFile, tokenText(token));
  if (degraded !== null) context.note(`The servers accept the key, but ${degraded}`);
  const found = await context.call("cluster.read", {});
  if (found.state !== "refused") return context.note(`Joined as "${token.name}": ${stateText(found)}`);
  throw new LecternError(
    "CONFLICT",
    `Joined as "${token.name}", but the daemon is not connected: ${found.reason ?? "unknown"}`,
  );
}

export async function leave(context: CliContext): Promise<void> {
  const { clusterFile } = context.paths;
  if (!existsSync(clusterFile)) return context.note("This machine has joined no cluster");
  rmSync(clusterFile);
  const client = await context.runningClient();
  await client?.call("cluster.read", {});
  context.note(
    'Left the cluster; to make the key useless, run "lectern cluster remove NAME" on the machine that has its files',
  );
}

export async function status(json: boolean, context: CliContext): Promise<void> {
  const found = await context.call("cluster.status", {});
  if (json) return await context.print(JSON.stringify(found));
  if (!found.joined) return context.note('This machine has joined no cluster: see "lectern cluster --help"');
  await context.print(`${found.name ?? "This machine"}, ${found.role ?? "of unknown role"}: ${stateText(found)}`);
  await printReplicas(found.replicas, context);
  if (found.machines.length === 0) return;
  const now = Date.now();
  const rows = found.machines.map((machine) => [
    `${machine.name}${machine.isThis ? " (this one)" : ""}`,
    machine.state,
    formatAgo(machine.sinceMs, now),
    String(machine.sessions),
    escapeForDisplay(machine.version),
    escapeForDisplay(machine.reason ?? ""),
  ]);
  const table = await formatTable([["MACHINE", "STATE", "SINCE", "SESSIONS", "VERSION", ""], ...rows]);
  await context.print(table.join("\n"));
}

/** One line, and those sessions that are not in the cluster to their end. */
async function printReplicas(replicas: ClusterStatus["replicas"], context: CliContext): Promise<void> {
  if (replicas === null) return;
  if (replicas.reason !== null) return await context.print(`replicas: degraded: ${escapeForDisplay(replicas.reason)}`);
  const left = replicas.sessions.filter(({ state }) => state !== "following");
  const following = replicas.sessions.length - left.length;
  const waiting = replicas.waiting === 0 ? "" : `, ${replicas.waiting} ended ones to be completed`;
  const removing = replicas.removing === 0 ? "" : `, ${replicas.removing} removed ones to be deleted`;
  const sessions = following === 1 ? "1 session" : `${following} sessions`;
  await context.print(
    `replicas: following ${sessions}${waiting}${removing}; ${formatSize(replicas.bytes)} in the cluster`,
  );
  for (const replica of left.slice(0, SHOWN_MAX)) await context.print(`  ${replica.name}: ${replicaText(replica)}`);
  if (left.length > SHOWN_MAX) await context.print(`  and ${left.length - SHOWN_MAX} more`);
}

function stateText({ reason, server, serverVersion, state }: ClusterStatus): string {
  const where = server === null ? "" : ` to ${server}, nats-server ${serverVersion ?? "of unknown version"}`;
  return escapeForDisplay(`${state}${where}${reason === null ? "" : `: ${reason}`}`);
}
