/** Makes the streams of replicas with the key of the administrator: one for each machine, so that none takes the space of another. */
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
} from "@nats-io/jetstream";
import { LecternError } from "../../../core/errors.ts";
import { factsSubject, journalSubject, replicasStream } from "../subjects.ts";

/** On each server, compressed. Reserved when the stream is made: 20 machines fit into the 10 GB that `server.conf` allows. */
const REPLICAS_BYTES_MAX = 256 * 1024 ** 2;
/** A message: 256 KiB of frames, or one frame, before compression; with its headers. */
const REPLICA_MESSAGE_BYTES_MAX = 512 * 1024;

/** Makes what is missing; streams that exist keep their limits. Throws `NOT_AVAILABLE` if JetStream refuses. */
export async function prepareReplicas(
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
