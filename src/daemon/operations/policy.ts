/** Policies: the one of a session, whether a text is one, and what it would have done. */
import type { RecordedCall } from "../../core/gate/policy-files.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import type { WireToolCallEvent } from "../../core/records.ts";
import type { JournalRecord } from "../../protocol/records.ts";
import { judgedCall, policyLabels } from "../../protocol/wire-call.ts";
import type { Handlers } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { JobThread } from "../jobs/job-thread.ts";
import type { Daemon } from "./context.ts";

const PAGE_BYTES = 1_048_576;
/** More are counted and not judged: an answer is one document. */
const CALLS_MAX = 5000;

type PolicyHandlers = Pick<Handlers, "policy.get" | "policy.check" | "policy.replay">;

export function policyHandlers({ registry, wire }: Daemon): PolicyHandlers {
  const texts = new JobThread();
  return {
    "policy.get": async ({ session }) => ({ policy: wire.settingsOf(registry.resolve(session))?.policy ?? null }),
    "policy.check": async ({ policy }) => await texts.run("policy.check", policy),
    "policy.replay": async ({ session, policy }, { signal }) => {
      const entry = registry.resolve(session);
      const home = wire.settingsOf(entry)?.home ?? process.env["HOME"] ?? null;
      return await replayed(entry, { policy, home, signal, texts });
    },
  };
}

interface Replaying {
  readonly policy: string;
  readonly home: string | null;
  readonly signal: AbortSignal;
  readonly texts: JobThread;
}

async function replayed(
  entry: SessionEntry,
  { policy, home, signal, texts }: Replaying,
): Promise<OutputOf<"policy.replay">> {
  const { calls, offsets, leftOut } = await recordedCalls(entry, home, signal);
  const result = await texts.run("policy.replay", { text: policy, calls });
  if (!result.ok) {
    const counts = { allow: 0, ask: 0, deny: 0 };
    return { ok: false, problems: [...result.problems], calls: [], counts, changed: 0, decidedBy: {}, leftOut: 0 };
  }
  const { replay, warnings } = result;
  return {
    ok: true,
    problems: [...warnings],
    calls: replay.calls.map((call, index) => ({ ...call, offset: offsets[index] ?? 0 })),
    counts: replay.counts,
    changed: replay.changed,
    decidedBy: Object.fromEntries(replay.decidedBy),
    leftOut,
  };
}

interface FoundCalls {
  readonly calls: readonly RecordedCall[];
  /** Where each of them stands. */
  readonly offsets: readonly number[];
  /** Calls whose arguments were too long to be recorded, and those that are too many. */
  readonly leftOut: number;
}

/** The tool calls that stand in a session's journal, in its order. */
async function recordedCalls(entry: SessionEntry, home: string | null, signal: AbortSignal): Promise<FoundCalls> {
  await entry.refresh();
  const { labels, workingDirectory } = entry.stored;
  const context = { labels: policyLabels(labels), workingDirectory, home };
  const feed = await entry.feed();
  const calls: RecordedCall[] = [];
  const offsets: number[] = [];
  let leftOut = 0;
  for (let from = feed.start; from < feed.end;) {
    signal.throwIfAborted();
    const { records, next } = await feed.reader.read(from, { bytesMax: PAGE_BYTES });
    for (const record of records) {
      const event = callOf(record);
      if (event === undefined) continue;
      const call = calls.length < CALLS_MAX ? judgedCall(event) : undefined;
      if (call === undefined) {
        leftOut += 1;
        continue;
      }
      calls.push({ call, context, recorded: event.effect });
      offsets.push(record.offset);
    }
    if (next === from) break;
    from = next;
  }
  return { calls, offsets, leftOut };
}

function callOf({ type, payload }: JournalRecord): WireToolCallEvent | undefined {
  const mark = type === "mark" ? decodeMark(payload) : undefined;
  return mark?.type === "wire-tool-call" ? mark : undefined;
}
