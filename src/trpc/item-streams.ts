/** The streams of items, as the generators that tRPC's subscriptions are made of. */
import { tracked, type TrackedEnvelope } from "@trpc/server";
import type { LecternClient } from "../client/client.ts";
import type { SessionRecord } from "../client/session-record.ts";
import type { ItemOf, ItemsOperation, ParsedInputOf } from "../protocol/operations.ts";

/** Items of one session have the offset at which tRPC's client resumes by itself. */
type Streamed<Name extends ItemsOperation> = Name extends `sessions.${string}`
  ? TrackedEnvelope<ItemOf<Name>>
  : ItemOf<Name>;

export type StreamingClient = Pick<LecternClient, "follow" | "updates" | "daemonUpdates">;

type Streams = {
  readonly [Name in ItemsOperation]: (
    client: StreamingClient,
    input: ParsedInputOf<Name>,
    signal: AbortSignal | undefined,
  ) => AsyncIterable<Streamed<Name>, void, void>;
};

export const itemStreams: Streams = {
  "sessions.follow": async function* (client, { session, ...options }, signal) {
    for await (const record of client.follow(session, { ...options, signal }))
      yield tracked(String(record.next), toItem(record));
  },
  "sessions.updates": async function* (client, { session, ...options }, signal) {
    for await (const update of client.updates(session, { ...options, signal }))
      yield tracked(String(update.offset), update);
  },
  "daemon.updates": (client, options, signal) => client.daemonUpdates({ ...options, signal }),
};

/** As it is in PROTOCOL.md: the bytes of an output are base64. */
function toItem(record: SessionRecord): ItemOf<"sessions.follow"> {
  if (record.type !== "output") return { ...record };
  const { bytes, ...rest } = record;
  return { ...rest, data: Buffer.from(bytes).toString("base64") };
}
