/**
 * Makes the buckets of a cluster, and a stream of replicas for each machine, so that none takes the space of another, with the key of its
 * administrator. Members may not: who makes a stream decides where its messages go. Has the servers on this machine read their settings again.
 */
import {
  JetStreamApiError,
  StorageType,
  DiscardPolicy,
  RetentionPolicy,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { LecternError } from "../../../core/errors.ts";
import { connectChecked } from "./connect.ts";
import type { MemberToken } from "./member-token.ts";
import { ALL_ROWS, MACHINES_STREAM, rowSubject, factsSubject, journalSubject, replicasStream } from "./subjects.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { executableOf } from "../../../pty/proc-files.ts";
import { serversOf } from "./cluster-directory.ts";

const ROW_BYTES_MAX = 4096;
const MACHINES_BYTES_MAX = 16 * 1024 * 1024;

/** Makes what is missing, for the machines that offer sessions. Throws as `connectChecked`, and `NOT_AVAILABLE` if JetStream refuses. */
export async function prepareCluster(admin: MemberToken, machines: readonly string[]): Promise<void> {
  const { connection, jetstream, degraded } = await connectChecked(admin);
  try {
    if (degraded !== null) throw new LecternError("NOT_AVAILABLE", `Cannot make the buckets: ${degraded}; try again`);
    await jetstream.streams.add({
      name: MACHINES_STREAM,
      subjects: [ALL_ROWS],
      description: "Machines of a Lectern cluster",
      storage: StorageType.File,
      num_replicas: admin.servers.length,
      max_msgs_per_subject: 1,
      max_msg_size: ROW_BYTES_MAX,
      max_bytes: MACHINES_BYTES_MAX,
      // One member could remove the rows of all others with a roll-up.
      allow_rollup_hdrs: false,
      deny_delete: true,
    });
    await prepareReplicas(jetstream, { machines, copies: admin.servers.length });
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError)) throw cause;
    throw new LecternError("NOT_AVAILABLE", `Cannot make the buckets: JetStream refused: ${cause.message}`, { cause });
  } finally {
    await connection.close();
  }
}

/** Removes the row of a machine that is no longer a member, for those who watch and for those who come later. */
export async function removeRow(admin: MemberToken, machine: string): Promise<void> {
  const { connection, jetstream } = await connectChecked(admin);
  try {
    const operation = headers();
    operation.set("KV-Operation", "DEL");
    connection.publish(rowSubject(machine), "", { headers: operation });
    await connection.flush();
    await jetstream.streams.purge(MACHINES_STREAM, { filter: rowSubject(machine) });
  } finally {
    await connection.close();
  }
}

/** On each server, compressed. Reserved when the stream is made: 20 machines fit into the 10 GB that `server.conf` allows. */
const REPLICAS_BYTES_MAX = 256 * 1024 ** 2;
/** A message: 256 KiB of frames, or one frame, before compression; with its headers. */
const REPLICA_MESSAGE_BYTES_MAX = 512 * 1024;

/** Makes what is missing; streams that exist keep their limits. Throws `NOT_AVAILABLE` if JetStream refuses. */
async function prepareReplicas(
  manager: JetStreamManager,
  { machines, copies }: { readonly machines: readonly string[]; readonly copies: number },
): Promise<void> {
  for (const machine of machines) await prepareMachine(manager, machine, copies);
}

async function prepareMachine(manager: JetStreamManager, machine: string, copies: number): Promise<void> {
  const name = replicasStream(machine);
  try {
    if (await exists(manager, name)) return;
    await manager.streams.add({
      name,
      subjects: [journalSubject(machine, "*"), factsSubject(machine, "*")],
      description: `Replicas of the sessions of ${machine}`,
      storage: StorageType.File,
      retention: RetentionPolicy.Limits,
      num_replicas: copies,
      discard: DiscardPolicy.Old,
      max_bytes: REPLICAS_BYTES_MAX,
      max_msg_size: REPLICA_MESSAGE_BYTES_MAX,
      allow_rollup_hdrs: false,
    });
  } catch (cause) {
    if (!(cause instanceof JetStreamApiError)) throw cause;
    const next = "give JetStream more space (max_file_store in server.conf), then prepare again";
    throw new LecternError(
      "NOT_AVAILABLE",
      `Cannot make the replicas of "${machine}": JetStream refused: ${cause.message}; ${next}`,
      { cause },
    );
  }
}

async function exists(manager: JetStreamManager, name: string): Promise<boolean> {
  try {
    await manager.streams.info(name);
    return true;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.status === 404) return false;
    throw error;
  }
}

interface Reloads {
  /** Names of the servers that were told. */
  readonly reloaded: readonly string[];
  /** They run elsewhere, from a copy of their directory, or do not run. */
  readonly elsewhere: readonly string[];
}

/** A server writes its process id into its directory, so one that runs from a copy is not found here. */
export function reloadServers(directory: string): Reloads {
  const names = serversOf(directory).map(({ name }) => name);
  const reloaded = names.filter((name) => reload(join(directory, name, "nats-server.pid")));
  return { reloaded, elsewhere: names.filter((name) => !reloaded.includes(name)) };
}

/** A process id may belong to another program by now, so the program is checked. */
function reload(pidFile: string): boolean {
  try {
    const pid = Number(readFileSync(pidFile, "utf8").trim());
    if (!Number.isInteger(pid) || pid <= 1) return false;
    const program = executableOf(pid);
    if (program === undefined || !program.startsWith("nats-server")) return false;
    process.kill(pid, "SIGHUP");
    return true;
  } catch {
    return false;
  }
}
