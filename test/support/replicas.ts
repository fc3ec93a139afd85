/** What the tests of replicas share: a member's stream, and the bytes of a journal as they are on disk. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DiscardPolicy } from "@nats-io/jetstream";
import { connectChecked } from "../../src/features/cluster/daemon/connect.ts";
import { ReplicaStream } from "../../src/features/cluster/daemon/replicas/replica-stream.ts";
import { restoreJournal } from "../../src/features/cluster/daemon/replicas/restore.ts";
import { replicasStream } from "../../src/features/cluster/daemon/subjects.ts";
import { RawFrameReader } from "../../src/journal/raw-frames.ts";
import type { OutputOf } from "../../src/protocol/operations.ts";
import type { NatsServers } from "./nats-servers.ts";
import type { TemporaryDaemon } from "./temporary-daemon.ts";
import { until } from "./until.ts";

const READ_BYTES = 256 * 1024;

/** Gives a daemon the token of a member, as `lectern cluster join` does. */
export async function joinCluster(daemon: TemporaryDaemon, servers: NatsServers, name: string): Promise<void> {
  copyFileSync(join(servers.directory, `${name}.token`), daemon.paths.clusterFile);
  await daemon.call("cluster.read", {});
}

export interface JournalDigest {
  readonly sha1: string;
  readonly bytes: number;
}

/** Of all frames, whatever the segments are. */
export async function digestOf(directory: string, end = Number.MAX_SAFE_INTEGER): Promise<JournalDigest> {
  const reader = new RawFrameReader(directory, { frameBytesMax: Number.MAX_SAFE_INTEGER });
  const hash = createHash("sha1");
  let bytes = 0;
  for (let offset = reader.bases()[0] ?? 0; ;) {
    const read = await reader.read({ offset, end, bytesMax: READ_BYTES });
    if (read.bytes.length === 0) return { sha1: hash.digest("hex"), bytes };
    hash.update(read.bytes);
    bytes += read.bytes.length;
    offset = read.next;
  }
}

interface ReplicaPlace {
  readonly reader: string;
  readonly machine: string;
  readonly session: string;
}

/** As another member reads it, once JetStream answers: on a busy machine it may choose leaders at any time. */
export async function digestOfReplica(servers: NatsServers, place: ReplicaPlace): Promise<JournalDigest> {
  let digest: JournalDigest | undefined;
  await until(async () => {
    digest = await readDigest(servers, place).catch(() => undefined);
    return digest !== undefined;
  }, "the replica can be read");
  return digest ?? assert.fail();
}

async function readDigest(servers: NatsServers, { reader, machine, session }: ReplicaPlace): Promise<JournalDigest> {
  const { connection, jetstream } = await connectChecked(servers.token(reader));
  const directory = mkdtempSync(join(tmpdir(), "lectern-restored-"));
  try {
    const bytes = await restoreJournal(new ReplicaStream(machine, connection, jetstream), session, directory);
    return bytes === 0 ? { sha1: "none", bytes } : await digestOf(directory);
  } finally {
    await connection.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The server that leads the stream of a machine, by its place in the list. */
export async function leaderOf(servers: NatsServers, machine: string): Promise<number> {
  const { connection, jetstream } = await connectChecked(servers.token("admin"));
  try {
    let leader = -1;
    await until(async () => {
      const cluster = await jetstream.streams.info(replicasStream(machine)).then(
        (info) => info.cluster,
        () => undefined,
      );
      leader = servers.servers.findIndex(({ name }) => name === cluster?.leader);
      return leader !== -1;
    }, "the stream has a leader");
    return leader;
  } finally {
    await connection.close();
  }
}

/** Changes the limits of the stream, as an administrator of the servers could. */
export async function limitStream(
  servers: NatsServers,
  machine: string,
  limits: { readonly max_bytes: number; readonly discard: DiscardPolicy },
): Promise<void> {
  const { connection, jetstream } = await connectChecked(servers.token("admin"));
  try {
    await jetstream.streams.update(replicasStream(machine), limits);
  } finally {
    await connection.close();
  }
}

type Replicas = NonNullable<OutputOf<"cluster.status">["replicas"]>;

export async function replicasOf(daemon: TemporaryDaemon): Promise<Replicas> {
  const { replicas } = await daemon.call("cluster.status", {});
  if (replicas === null) throw new Error("the daemon has no replicas");
  return replicas;
}

/** Resolves when all sessions are in the cluster to their end. */
export async function untilReplicated(daemon: TemporaryDaemon): Promise<void> {
  let last: Replicas | undefined;
  await until(async () => {
    last = await replicasOf(daemon);
    const isFollowed = last.sessions.every(({ lagBytes, state }) => state === "following" && lagBytes === 0);
    return last.reason === null && last.waiting === 0 && isFollowed;
  }, "the replicas are complete").catch((cause: unknown) => {
    throw new Error(`The replicas are not complete: ${JSON.stringify(last)}`, { cause });
  });
}
