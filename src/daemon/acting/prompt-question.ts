/** What a session asks a person while somebody waits for a prompt, and the wait for the end of one. */
import { type PromptQuestion, isFinal, type AnsweredReceipt, type Receipt } from "../../core/acting/receipt.ts";
import { howToAnswer } from "../approvals/how-to-answer.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";
import { waits } from "../../core/waits.ts";
import type { SessionViews } from "../views/session-views.ts";

/** Null if nothing is asked. */
export function questionOf(entry: SessionEntry, views: EntryViews): PromptQuestion | null {
  const { name } = entry.stored;
  const [asked] = views.openApprovals;
  if (asked !== undefined) {
    const { id, question } = asked;
    const options = asked.options.map((option) => ({ id: option.id, label: option.label }));
    return { approval: id, question, options, howToAnswer: howToAnswer(name, asked) };
  }
  if (entry.status?.state !== "blocked") return null;
  const { summary } = entry.status;
  return { approval: null, question: summary, options: [], howToAnswer: `see it with "lectern screen ${name}"` };
}

/** What a prompt that works waits for. */
export function askedReason({ status }: SessionEntry, reading: PromptQuestion | null): string | null {
  if (status?.state === "blocked") return `asks: ${status.summary}`;
  return reading === null ? null : `asks: ${reading.question}`;
}

interface Awaited {
  readonly entry: SessionEntry;
  readonly views: SessionViews;
  /** With what a program reads that the prompt has started. */
  readonly now: () => readonly [Receipt, PromptQuestion | undefined];
  /** Resolves at the next step of any prompt. */
  readonly changed: (signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Questions do not end the wait. */
  readonly throughQuestions: boolean;
}

export async function settledReceipt(awaited: Awaited): Promise<AnsweredReceipt> {
  const { entry, views: all, now: promptNow, changed, signal, throughQuestions } = awaited;
  const [receipt] = promptNow();
  if (isFinal(receipt)) return { ...receipt, asks: null };
  return await all.use(entry, async (views) => {
    let readUntilMs = Infinity;
    for (;;) {
      const [now, reading] = promptNow();
      // What is asked before its time is not asked of it.
      const isIdle = isFinal(now) || now.state === "scheduled";
      const asks = isIdle ? null : (questionOf(entry, views) ?? reading ?? null);
      if (asks === null) readUntilMs = Infinity;
      else readUntilMs = Math.min(readUntilMs, performance.now() + waits.partMs);
      // An agent may report that it asks before its dialog is on the screen, and its question may be read before what shows that it works.
      const isWhole = now.state !== "submitted" && (asks?.approval != null || reading !== undefined);
      const isRead = asks !== null && !throughQuestions && (isWhole || performance.now() >= readUntilMs);
      if (isFinal(now) || isRead || signal.aborted) return { ...now, asks };
      const news = new AbortController();
      using _ = views.subscribe(() => news.abort());
      const over = asks === null || throughQuestions ? [] : [AbortSignal.timeout(waits.partMs)];
      await changed(AbortSignal.any([signal, news.signal, ...over]));
    }
  });
}
