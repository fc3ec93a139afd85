/** The tool calls that stand in a session's journal. */
import type { LecternClient } from "../client/client.ts";
import type { RecordedCall } from "../core/gate/policy-files.ts";
import { asWireToolCall, judgedCall, policyLabels } from "../protocol/wire-call.ts";

const PAGE_BYTES = 1_048_576;

export interface FoundCalls {
  readonly calls: readonly RecordedCall[];
  /** Calls whose arguments were too long to be recorded. */
  readonly leftOut: number;
}

/** In the order of the journal. */
export async function recordedCalls(
  client: LecternClient,
  reference: string,
  { home, signal }: { readonly home: string | null; readonly signal: AbortSignal },
): Promise<FoundCalls> {
  const session = await client.call("sessions.get", { session: reference }, { signal });
  const context = { labels: policyLabels(session.labels), workingDirectory: session.workingDirectory, home };
  const calls: RecordedCall[] = [];
  let leftOut = 0;
  for (let from = session.start; from < session.end;) {
    const input = { session: session.id, from, bytesMax: PAGE_BYTES, types: ["mark" as const] };
    const page = await client.call("sessions.records", input, { signal });
    for (const record of page.records) {
      const event = asWireToolCall(record["event"]);
      if (event === undefined) continue;
      const call = judgedCall(event);
      if (call === undefined) leftOut += 1;
      else calls.push({ call, context, recorded: event.effect });
    }
    if (page.next === from) break;
    from = page.next;
  }
  return { calls, leftOut };
}
