/** Says on standard error what a journal does not hold any more, so that a recording is never taken for whole by mistake. */
import type { LecternClient } from "../client/client.ts";
import type { CliContext } from "./context.ts";
import { formatSize } from "./quantities.ts";

export interface TrimmedRead {
  readonly client: LecternClient;
  readonly session: string;
  /** Where reading begins. */
  readonly from: number;
  readonly context: CliContext;
}

/** A gap at this place is the first record that is read there. */
export async function noteTrimmed({ client, session, from, context }: TrimmedRead): Promise<void> {
  const input = { session, from, bytesMax: 1 };
  const { records } = await client.call("sessions.records", input, { signal: context.signal });
  const [first] = records;
  if (first?.type !== "gap" || first.next <= from) return;
  const since = new Date(first.timeUs / 1000).toISOString();
  context.note(
    `[lectern: ${formatSize(first.next - from)} are missing, offsets ${from} to ${first.next}: they were trimmed or removed; ` +
      `the journal begins at ${since}]`,
  );
}
