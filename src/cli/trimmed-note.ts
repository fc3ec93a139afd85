/** Reports on standard error what a journal no longer contains, so that a recording is not taken for complete by mistake. */
import type { LecternClient } from "../client/client.ts";
import type { CliContext } from "./context.ts";
import { formatSize } from "./quantities.ts";

export interface TrimmedRead {
  readonly client: LecternClient;
  readonly session: string;
  /** The offset where reading begins. */
  readonly from: number;
  readonly context: CliContext;
}

/** Prints a note if the first record at `from` is a gap. */
export async function noteTrimmed({ client, session, from, context }: TrimmedRead): Promise<void> {
  const input = { session, from, bytesMax: 1 };
  const { records } = await client.call("sessions.records", input, { signal: context.signal });
  const [first] = records;
  if (first?.type !== "gap" || first.next <= from) return;
  const since = new Date(first.timeUs / 1000).toISOString();
  context.note(
    `[lectern: ${formatSize(first.next - from)} are missing, offsets ${from} to ${first.next}: trimmed or removed; ` +
      `the journal begins at ${since}]`,
  );
}
