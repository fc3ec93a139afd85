import type { LecternClient } from "../../client/client.ts";
import type { SessionRecord } from "../../client/session-record.ts";
import { signalKeys } from "../../core/events/event-key.ts";
import type { TaggedEvent } from "../../core/events/tagged-event.ts";
import { LecternError } from "../../core/errors.ts";
import { LOOK_BACK_BYTES, nothingBeyondEnd, sanitizerBehind } from "../../core/text/sanitizer-behind.ts";
import type { Sanitizer } from "../../core/text/sanitizer.ts";
import { tagOptionsOf } from "../../protocol/event-tag.ts";
import { withDaemon } from "../ask-again.ts";
import { formatSize } from "../quantities.ts";
import type { OffsetRange } from "../../protocol/damaged-ranges.ts";
import { defineCommand, requireOneFormat, shownSessionArgument } from "../command.ts";
import type { CliContext } from "../context.ts";
import { TagFilter, tagsNote } from "../tag-filter.ts";
import { noteDamaged, noteTrimmed } from "../missing-note.ts";

const TAIL_BYTES_MAX = 16 * 1024 * 1024;
const RECORDS_BYTES_MAX = 1024 * 1024;
const EVENTS_MAX = 10_000;

export const logs = defineCommand({
  name: "logs",
  summary: "Print the output of a session",
  details: [
    "A journal keeps its newest output, 1 GiB by default (run --retain-bytes). Trimmed or damaged output",
    "is reported on standard error, and as a gap record with --json; the exit code stays 0.",
  ],
  arguments: [shownSessionArgument],
  options: {
    follow: { type: "flag", short: "f", summary: "Follow until the session ends" },
    tail: { type: "number", short: "n", placeholder: "N", maximum: 1_000_000, summary: "Only the last N lines" },
    from: { type: "number", placeholder: "OFFSET", summary: "Start at this offset" },
    raw: { type: "flag", summary: "Print bytes as the program wrote them" },
    text: { type: "flag", summary: "Without escape sequences and event tags (default)" },
    json: { type: "flag", summary: "Records, one per line, with offsets and times; output is base64" },
  },
  examples: ["lectern logs build", "lectern logs -f --tail 20 web", "lectern logs build --raw > build.log"],
  async run({ arguments: { session }, options }, context) {
    requireOneFormat(options, "raw", "text", "json");
    if (options.tail !== undefined && (options.raw || options.json))
      throw new LecternError("USAGE", "Cannot use --tail with --raw or --json: use --from");
    const reading: Reading = { client: await context.client(), session, follow: options.follow, context };
    if (options.follow) context.endWithReader();
    if (options.json) await printRecords(reading, options.from ?? 0);
    else if (options.raw) await printRaw(reading, options.from ?? 0);
    else {
      await printText(reading, options.from, options.tail);
      if (!options.follow) await noteRepainted(reading);
    }
  },
});

interface Reading {
  readonly client: LecternClient;
  readonly session: string;
  readonly follow: boolean;
  readonly context: CliContext;
}

async function printRaw(reading: Reading, from: number): Promise<void> {
  for await (const bytes of outputOf(reading, from)) await reading.context.writeOutput(bytes);
}

async function printText(reading: Reading, from: number | undefined, tail: number | undefined): Promise<void> {
  const { client, session, context, follow } = reading;
  let next = from ?? 0;
  if (tail !== undefined) {
    const input = { session, tail, from, bytesMax: TAIL_BYTES_MAX };
    const end = await client.call("sessions.logs", input, { signal: context.signal });
    // Only if the requested lines reach back to the start of the journal.
    const isShort = end.omittedBytes === 0 && end.text.split("\n").length <= tail;
    if (end.trimmedBytes > 0 && isShort) await noteTrimmed({ client, session, from: from ?? 0, context });
    if (end.damagedBytes > 0) {
      context.note(
        `[lectern: ${formatSize(end.damagedBytes)} are missing between offsets ${end.from} and ${end.next}: damaged; ` +
          `"lectern check ${session}" shows which files]`,
      );
    }
    await context.writeOutput(end.text);
    noteTags(end.tags, reading);
    if (!follow) return;
    next = end.next;
  }
  const { eventTag } = await client.call("sessions.get", { session }, { signal: context.signal });
  const sanitizer = await sanitizerAt(reading, next);
  const write = async (text: string): Promise<void> => await context.writeOutput(text);
  using tags = new TagFilter({ ...tagOptionsOf(eventTag), newSignals: signalsOf(reading, next), write });
  for await (const bytes of outputOf(reading, next)) await tags.feed(sanitizer.feed(bytes));
  await tags.feed(sanitizer.end());
  await tags.end();
  noteTags(tags.tags, reading);
}

/** At each call those that were reported since the last one. */
function signalsOf({ client, session, context }: Reading, from: number): () => Promise<Set<string>> {
  let next = from;
  return async () => {
    const found: TaggedEvent[] = [];
    for (;;) {
      const query = { session, trust: "text", limit: EVENTS_MAX, from: next } as const;
      const page = await client.call("sessions.events", query, { signal: context.signal });
      next = page.next;
      found.push(...page.events);
      if (page.events.length < EVENTS_MAX) return signalKeys(found);
    }
  };
}

function noteTags(tags: number, { context, session }: Reading): void {
  const note = tagsNote(tags, `logs ${session} --raw`);
  if (note !== undefined) context.note(`lectern: ${note}`);
}

/** What a program wrote to repaint its screen is hard to read as text. */
async function noteRepainted({ client, session, context }: Reading): Promise<void> {
  const { signal } = context;
  const { agent, exit, name, status } = await client.call("sessions.get", { session }, { signal });
  const address = context.addressOf(name);
  // The last line of a screen has no line feed.
  const start = context.stdout.isTTY ? "\n" : "";
  if ((status?.agent ?? agent) !== null) {
    context.note(
      `${start}[lectern: this is the output of an agent; "lectern chat ${address}" prints the conversation]`,
    );
  } else if (exit === null && (await client.call("sessions.screen", { session }, { signal })).isAlternate) {
    context.note(`${start}[lectern: a full-screen program runs; "lectern screen ${address}" prints what it shows now]`);
  }
}

/** For the output from `from` on, which may be in the middle of an escape sequence. */
async function sanitizerAt({ client, session, context }: Reading, from: number): Promise<Sanitizer> {
  const input = { session, from: Math.max(0, from - LOOK_BACK_BYTES), bytesMax: LOOK_BACK_BYTES };
  const { records } = await client.call("sessions.records", input, { signal: context.signal }).catch(nothingBeyondEnd);
  const before = records.map(({ type, offset, data }) => ({
    type,
    offset,
    bytes: typeof data === "string" ? Buffer.from(data, "base64") : undefined,
  }));
  return sanitizerBehind(before, from);
}

/** Output from an offset on. While following, it reconnects to the next daemon. */
async function* outputOf({ client, session, follow, context }: Reading, from: number): AsyncGenerator<Uint8Array> {
  const { signal } = context;
  if (!follow) {
    await noteTrimmed({ client, session, from, context });
    const onDamaged = (ranges: readonly OffsetRange[]): void => noteDamaged(ranges, { session, context });
    return yield* client.bytes("sessions.output", { session, from }, { signal, onDamaged });
  }
  const { exit, end } = await client.call("sessions.get", { session }, { signal });
  // After the exit nothing follows, so an attachment would wait forever.
  if (exit !== null && from >= end) return;
  await using attachment = await client.attach(session, {
    from,
    signal,
    readOnly: true,
    lossless: true,
    beforeReconnect: withDaemon(context),
  });
  for await (const item of attachment) {
    if (item.type === "output") yield item.bytes;
    else if (item.type === "gap")
      context.note(`[lectern: ${item.next - item.offset} bytes are missing here (${item.reason})]`);
    // The exit record itself may be damaged.
    if (exit !== null && "next" in item && item.next >= end) return;
  }
}

async function printRecords({ client, session, follow, context }: Reading, from: number): Promise<void> {
  const { signal } = context;
  if (follow) {
    const records = client.follow(session, { from, signal, beforeReconnect: withDaemon(context) });
    for await (const record of records) await context.print(toJson(record));
    return;
  }
  for (let next = from; ;) {
    const page = await client.call(
      "sessions.records",
      { session, from: next, bytesMax: RECORDS_BYTES_MAX },
      { signal },
    );
    for (const record of page.records) await context.print(JSON.stringify(record));
    if (page.next >= page.end || page.next === next) return;
    next = page.next;
  }
}

function toJson(record: SessionRecord): string {
  if (record.type !== "output") return JSON.stringify(record);
  const { bytes, ...rest } = record;
  return JSON.stringify({ ...rest, data: Buffer.from(bytes).toString("base64") });
}
