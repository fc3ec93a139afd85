/** What is missing in the journal of a session: as the daemon knows it, once for a view. */
import { useEffect, useState } from "react";
import type { GapNotice, Session } from "../../client.ts";
import { toSessionRecord } from "../../client/session-record.ts";
import { daemon } from "../api.ts";
import { gapsOf, type ConversationGap } from "./gaps.ts";

/** The notices of a lost host are its last records. */
const LAST_BYTES = 4096;

const none: readonly ConversationGap[] = [];

/** `isLoaded`: the views were asked, so the daemon has opened the journal and knows where it begins. */
export function useGaps(session: Session, isLoaded: boolean): readonly ConversationGap[] {
  const [gaps, setGaps] = useState(none);
  const { id, degraded, exit, start } = session;
  useEffect(() => {
    if (!isLoaded) return;
    const leaving = new AbortController();
    const look = async (): Promise<void> => {
      const now = await daemon().call("sessions.get", { session: id }, { signal: leaving.signal });
      const notices = now.exit?.reason === "lost" ? await lastNotices(now, leaving.signal) : [];
      setGaps(gapsOf(now, notices));
    };
    look().catch(() => undefined); // A conversation without them is still one.
    return () => leaving.abort();
  }, [id, isLoaded, degraded, exit?.reason, start]);
  return gaps;
}

async function lastNotices({ id, start, end }: Session, signal: AbortSignal): Promise<GapNotice[]> {
  const input = { session: id, from: Math.max(start, end - LAST_BYTES), types: ["gap" as const] };
  const { records } = await daemon().call("sessions.records", input, { signal });
  return records.map(toSessionRecord).flatMap((record) => (record.type === "gap" ? [record.gap] : []));
}
