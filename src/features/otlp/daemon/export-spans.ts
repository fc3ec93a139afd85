/** All spans of one session as lines of JSON, each a request that a collector takes (`otlpjsonfile` reads such a file). */
import { names } from "../core/names.ts";
import { requestOf } from "../core/span.ts";
import type { SessionEntry } from "../../../daemon/sessions/session-entry.ts";
import type { SessionViews } from "../../../daemon/views/session-views.ts";
import { SpanReader, spanSource } from "./span-reader.ts";

const SPANS_PER_LINE_MAX = 512;

export interface ExportSpansOptions {
  readonly views: SessionViews;
  readonly version: string;
  /** Texts are in the spans, with secrets masked. */
  readonly content: boolean;
  readonly signal: AbortSignal;
}

export async function* exportSpans(
  entry: SessionEntry,
  { content, signal, version, views }: ExportSpansOptions,
): AsyncGenerator<string> {
  await using _held = await hold(entry, views);
  const reader = new SpanReader({ entry, views, content }, null);
  const source = spanSource(version, { [names.serviceName]: "lectern" });
  for (let before = -1; !signal.aborted && !reader.isDone && reader.position.offset !== before;) {
    before = reader.position.offset;
    const spans = await reader.read(SPANS_PER_LINE_MAX);
    if (spans.length > 0) yield `${JSON.stringify(requestOf(spans, source))}\n`;
  }
}

/** The views stay open: between their close and their checkpoint nobody says how far they have read. */
async function hold(entry: SessionEntry, views: SessionViews): Promise<AsyncDisposable> {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const use = views.use(entry, async () => {
    begun.resolve();
    await over.promise;
  });
  use.catch(begun.reject);
  await begun.promise;
  return {
    [Symbol.asyncDispose]: async () => {
      over.resolve();
      await use;
    },
  };
}
