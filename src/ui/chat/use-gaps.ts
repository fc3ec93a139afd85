/** The gaps in the journal of a session, loaded once per view. */
import { useEffect, useMemo, useState } from "react";
import type { Session } from "../../client.ts";
import type { GapNotice } from "../../protocol/records.ts";
import { toSessionRecord } from "../../client/session-record.ts";
import { daemon } from "../api.ts";
import { gapsOf, type ConversationGap } from "./gaps.ts";

/** The notices of a lost host are its last records. */
const LAST_BYTES = 4096;

interface Asked {
  readonly start: number;
  readonly notices: readonly GapNotice[];
}

/** `isLoaded`: the views were read, so the daemon has opened the journal and knows its start. */
export function useGaps({ id, start, end, exit, degraded }: Session, isLoaded: boolean): readonly ConversationGap[] {
  const [asked, setAsked] = useState<Asked>({ start: 0, notices: [] });
  const isLost = exit?.reason === "lost";
  useEffect(() => {
    if (!isLoaded) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    const load = async (): Promise<void> => {
      const now = await daemon().call("sessions.get", { session: id }, { signal });
      setAsked({ start: now.start, notices: isLost ? await lastNotices({ ...now, id }, signal) : [] });
    };
    load().catch(() => undefined); // Gaps are optional.
    return () => leaving.abort();
  }, [id, isLoaded, isLost]);
  return useMemo(
    () => gapsOf({ start: Math.max(start, asked.start), end, exit, degraded }, asked.notices),
    [start, end, exit, degraded, asked],
  );
}

async function lastNotices({ id, start, end }: Session, signal: AbortSignal): Promise<GapNotice[]> {
  const input = { session: id, from: Math.max(start, end - LAST_BYTES), types: ["gap" as const] };
  const { records } = await daemon().call("sessions.records", input, { signal });
  return records.map(toSessionRecord).flatMap((record) => (record.type === "gap" ? [record.gap] : []));
}
