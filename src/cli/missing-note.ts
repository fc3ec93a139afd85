/** Reports on standard error what a journal no longer contains, so that a recording is not taken for complete by mistake. */
import type { LecternClient } from "../client/client.ts";
import type { OffsetRange } from "../protocol/damaged-ranges.ts";
import type { CliContext } from "./context.ts";
import type { GapNotice } from "../protocol/records.ts";
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
  // A damaged first record is reported with the others.
  if ((first as { gap?: Partial<GapNotice> }).gap?.reason !== "trimmed") return;
  const since = new Date(first.timeUs / 1000).toISOString();
  context.note(
    `[lectern: ${formatSize(first.next - from)} are missing, offsets ${from} to ${first.next}: trimmed or removed; ` +
      `the journal begins at ${since}]`,
  );
}

/** Further ones are counted. */
const SHOWN_MAX = 10;

/** Prints a note for each damaged part that was left out, up to ten. */
export function noteDamaged(
  ranges: readonly OffsetRange[],
  { session, context }: Omit<TrimmedRead, "client" | "from">,
): void {
  for (const { from, to } of ranges.slice(0, SHOWN_MAX)) {
    context.note(`[lectern: ${formatSize(to - from)} are missing, offsets ${from} to ${to}: damaged]`);
  }
  const more = ranges.length > SHOWN_MAX ? `${ranges.length - SHOWN_MAX} more damaged parts are missing; ` : "";
  if (ranges.length > 0) context.note(`[lectern: ${more}"lectern check ${session}" shows which files are damaged]`);
}
