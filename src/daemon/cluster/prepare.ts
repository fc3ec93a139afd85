/** Makes the buckets of a cluster with the key of its administrator. Members may not: who makes a stream decides where its messages go. */
import { JetStreamApiError, StorageType } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { LecternError } from "../../core/errors.ts";
import { connectChecked } from "./connect.ts";
import type { MemberToken } from "./member-token.ts";
import { prepareReplicas } from "./replicas/streams.ts";
import { ALL_ROWS, MACHINES_STREAM, rowSubject } from "./subjects.ts";

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
