/** What the model of a session is about to call, as it begins: read off the marks that the gateway writes into the journal. */
import { useEffect, useState } from "react";
import { toSessionRecord } from "../../client/session-record.ts";
import { daemon } from "../api.ts";
import { Intents, type Intent } from "./intents.ts";

const POLL_MS = 500;
/** An intent is no older than what stands so near to the end of the journal. */
const LOOK_BACK_BYTES = 256 * 1024;

const none: readonly Intent[] = [];

export function useIntents(session: string, isLive: boolean): readonly Intent[] {
  const [list, setList] = useState(none);
  useEffect(() => {
    if (!isLive) return;
    const leaving = new AbortController();
    follow(session, leaving.signal, setList).catch(() => undefined); // Nothing depends on them.
    return () => leaving.abort();
  }, [session, isLive]);
  return isLive ? list : none;
}

async function follow(session: string, signal: AbortSignal, tell: (list: readonly Intent[]) => void): Promise<void> {
  const { policy } = await daemon().call("policy.get", { session }, { signal });
  // Not through the gateway: there are none.
  if (policy === null) return;
  const { start, end } = await daemon().call("sessions.get", { session }, { signal });
  const intents = new Intents();
  let told = "";
  for (let from = Math.max(start, end - LOOK_BACK_BYTES); !signal.aborted;) {
    const input = { session, from, bytesMax: 2 * LOOK_BACK_BYTES, types: ["mark" as const] };
    const page = await daemon()
      .call("sessions.records", input, { signal })
      .catch(() => undefined); // The daemon is away for a while.
    for (const record of page?.records.map(toSessionRecord) ?? []) {
      if (record.type === "mark") intents.feed(record.event, record.timeUs);
    }
    const list = intents.list;
    if (JSON.stringify(list) !== told) tell(list);
    told = JSON.stringify(list);
    // In a flood the end of it is enough.
    if (page !== undefined) from = Math.max(page.next, page.end - LOOK_BACK_BYTES);
    const rest = Promise.withResolvers<void>();
    setTimeout(rest.resolve, POLL_MS);
    await rest.promise;
  }
}
