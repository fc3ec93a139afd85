/** The operations of a session of this process: the handlers of the daemon, over the parts of one session. */
import { cancelled } from "../client/transport-errors.ts";
import type { SessionRecord } from "../client/session-record.ts";
import { LecternError } from "../core/errors.ts";
import { approvingHandlers } from "../daemon/operations/approving.ts";
import type { Daemon } from "../daemon/operations/context.ts";
import { executeIn } from "../daemon/operations/executing.ts";
import { promptingHandlers } from "../daemon/operations/prompting.ts";
import { readItems } from "../daemon/operations/reading.ts";
import { typingHandlers } from "../daemon/operations/typing.ts";
import { readUpdates } from "../daemon/operations/updates.ts";
import { viewingHandlers } from "../daemon/operations/viewing.ts";
import type { CallContext, Handlers } from "../daemon/service.ts";
import type { SessionEntry } from "../daemon/sessions/session-entry.ts";
import { describeIssues, sentenceOf } from "../protocol/input-issues.ts";
import { operations, type InputOf, type OutputOf } from "../protocol/operations.ts";
import { nextOffset, toServerMessage } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import type { SessionUpdate } from "../protocol/views.ts";
import type { SessionCalls, SessionOperation, StreamOptions } from "./session-calls.ts";

export type LocalParts = Pick<Daemon, "registry" | "views" | "approvals" | "prompts" | "screens"> & {
  readonly callers: Pick<Daemon["callers"], "nameOf">;
};

const never = new AbortController().signal;

export class LocalCalls implements SessionCalls {
  readonly #parts: LocalParts;
  readonly #entry: SessionEntry;
  readonly #handlers: Pick<Handlers, SessionOperation>;

  constructor(parts: LocalParts, entry: SessionEntry) {
    this.#parts = parts;
    this.#entry = entry;
    this.#handlers = {
      ...approvingHandlers(parts),
      ...promptingHandlers(parts),
      ...typingHandlers(parts),
      ...viewingHandlers(parts),
      "sessions.get": async () => entry.view,
      "sessions.exec": async (input, { signal }) => await executeIn(entry, input, { signal, views: parts.views }),
      "sessions.kill": async ({ graceMs }) => {
        const { client, handle } = entry.requireSeat();
        await client.call("kill", { handle, graceMs });
        await entry.untilEnd();
        return entry.view;
      },
    };
  }

  async call<Name extends SessionOperation>(
    name: Name,
    input: InputOf<Name>,
    { signal = never }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<OutputOf<Name>> {
    const schema = operations[name].input;
    const parsed = schema.safeParse(input);
    if (!parsed.success) throw invalid(describeIssues(parsed.error, input, schema));
    // The name picks both the handler and its input; the compiler cannot follow that.
    const handler = this.#handlers[name] as (given: unknown, context: CallContext) => Promise<OutputOf<Name>>;
    return await handler(parsed.data, contextOf(signal));
  }

  async *updates(
    session: string,
    { from = 0, kinds, signal = never }: StreamOptions<"kinds"> = {},
  ): AsyncGenerator<SessionUpdate, void, void> {
    const input = { session, from, ...(kinds !== undefined && { kinds: [...kinds] }) };
    for await (const changes of readUpdates(this.#parts, input, contextOf(signal))) yield* changes;
    if (signal.aborted) throw cancelled(signal.reason);
  }

  async *follow(
    _session: string,
    { from, types, signal = never }: StreamOptions<"types"> = {},
  ): AsyncGenerator<SessionRecord, void, void> {
    const feed = await this.#entry.feed();
    using cursor = feed.openCursor(feed.beforeExit(from ?? feed.end));
    for await (const items of readItems(cursor, { follow: true, signal }))
      for (const { record } of items) if (types?.includes(record.type) ?? true) yield sessionRecordOf(record);
    if (signal.aborted) throw cancelled(signal.reason);
  }
}

const contextOf = (signal: AbortSignal): CallContext => ({ caller: { scope: "admin", session: null }, signal });

const invalid = (issues: ReturnType<typeof describeIssues>): LecternError =>
  new LecternError("INVALID_INPUT", sentenceOf(issues));

/** The memory of a record is used again after it was read. */
function sessionRecordOf(record: JournalRecord): SessionRecord {
  // Each message about a record is one of those that clients get.
  if (record.type !== "output") return toServerMessage(record) as SessionRecord;
  const { offset, timeUs, payload } = record;
  return { type: "output", offset, next: nextOffset(record), timeUs, bytes: payload.slice() };
}
