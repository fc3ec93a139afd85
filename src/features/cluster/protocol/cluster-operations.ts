/** This machine as a member of a cluster. */
import * as z from "zod";
import { define } from "../../../protocol/operations/define.ts";

const machineSchema = z.strictObject({
  name: z.string(),
  /** `connecting`: known, and not heard yet. */
  state: z.enum(["connecting", "connected", "away"]),
  /** Why it is away; null otherwise. */
  reason: z.string().nullable(),
  /** Milliseconds since 1970 of the last change of `state`. */
  sinceMs: z.int(),
  version: z.string(),
  protocolVersion: z.int(),
  /** Live sessions. */
  sessions: z.int(),
  isThis: z.boolean(),
});

const replicaSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  /** `behind`: more than 1 MiB, or not compared yet. `degraded`: nothing is sent. */
  state: z.enum(["following", "behind", "degraded"]),
  /** Why it is degraded; null otherwise. */
  reason: z.string().nullable(),
  /** Of the journal, which the cluster does not have yet. */
  lagBytes: z.int(),
});

const replicasSchema = z.strictObject({
  /** Why nothing is sent, with the next step; null otherwise. */
  reason: z.string().nullable(),
  /** Of all replicas of this machine in the cluster, compressed, when it was last looked at. */
  bytes: z.int(),
  /** Ended sessions whose replicas are completed later. */
  waiting: z.int(),
  /** Removed sessions whose replicas are still in the cluster. */
  removing: z.int(),
  /** Sessions that run, or are being completed; at most 1,000. */
  sessions: z.array(replicaSchema),
});

const statusSchema = z.strictObject({
  joined: z.boolean(),
  /** Of this machine in the cluster; null if it has joined none. */
  name: z.string().nullable(),
  role: z.enum(["machine", "operator", "viewer"]).nullable(),
  servers: z.array(z.string()),
  /** `refused`: it is tried again seldom, because a person has to act. */
  state: z.enum(["off", "connecting", "connected", "refused"]),
  /** Why it is not connected, or what does not work, with the next step; null otherwise. */
  reason: z.string().nullable(),
  /** Milliseconds since 1970 of the last change of `state`; 0 for `off`. */
  sinceMs: z.int(),
  /** Host and port that it is connected to. */
  server: z.string().nullable(),
  serverVersion: z.string().nullable(),
  machines: z.array(machineSchema),
  /** Copies of the journals of this machine; null if it offers no sessions. */
  replicas: replicasSchema.nullable(),
});

export const clusterOperations = {
  "cluster.status": define({
    summary: "Show the connection to the cluster, and its machines",
    endpoint: "GET /v1/cluster",
    scope: "read",
    cli: ["cluster"],
    input: z.strictObject({}),
    output: statusSchema,
  }),
  "cluster.read": define({
    summary: "Read the token of the cluster again: connect, or leave if there is none any more",
    endpoint: "POST /v1/cluster/read",
    scope: "admin",
    person: true,
    cli: ["cluster"],
    input: z.strictObject({}),
    output: statusSchema,
  }),
} as const;
