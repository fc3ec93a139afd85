/** Waits for the end of a prompt, or for a question that the session asks meanwhile. */
import { isFinal, type AnsweredReceipt, type PromptQuestion, type Receipt } from "../../core/prompts/receipt.ts";
import { waits } from "../../core/waits.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionViews } from "../views/session-views.ts";
import { changeOf, questionOf } from "./prompt-question.ts";

interface Awaited {
  readonly entry: SessionEntry;
  readonly views: SessionViews;
  readonly now: () => Receipt;
  /** What a program that the prompt has started reads. */
  readonly reading: () => PromptQuestion | undefined;
  /** Resolves at the next step of any prompt. */
  readonly changed: (signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  /** Questions do not end the wait. */
  readonly throughQuestions: boolean;
}

export async function settledReceipt(awaited: Awaited): Promise<AnsweredReceipt> {
  const { entry, views: all, now: receiptNow, reading, changed, signal, throughQuestions } = awaited;
  const receipt = receiptNow();
  if (isFinal(receipt)) return { ...receipt, asks: null };
  return await all.use(entry, async (views) => {
    let readUntilMs = Infinity;
    for (;;) {
      const now = receiptNow();
      // What is asked before its time is not asked of it.
      const isIdle = isFinal(now) || now.state === "scheduled";
      const asks = isIdle ? null : (questionOf(entry, views) ?? reading() ?? null);
      if (asks === null) readUntilMs = Infinity;
      else readUntilMs = Math.min(readUntilMs, performance.now() + waits.partMs);
      // An agent may report that it asks before its dialog is on the screen.
      const isRead =
        asks !== null &&
        !throughQuestions &&
        (asks.approval !== null || reading() !== undefined || performance.now() >= readUntilMs);
      if (isFinal(now) || isRead || signal.aborted) return { ...now, asks };
      const news = new AbortController();
      const over = asks === null || throughQuestions ? [] : [AbortSignal.timeout(waits.partMs)];
      const any = AbortSignal.any([signal, news.signal, ...over]);
      await Promise.race([changed(any), changeOf(views, any)]);
      news.abort();
    }
  });
}
