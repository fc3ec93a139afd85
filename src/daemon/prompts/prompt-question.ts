/** What a session asks a person while somebody waits for a prompt. */
import type { PromptQuestion } from "../../core/prompts/receipt.ts";
import { howToAnswer } from "../approvals/how-to-answer.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";

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

/** Resolves when something that the views report has changed, or when `signal` is aborted. */
export async function changeOf(views: EntryViews, signal: AbortSignal): Promise<void> {
  const changed = Promise.withResolvers<void>();
  using _ = views.subscribe(() => changed.resolve());
  const onAbort = (): void => changed.resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) return;
  await changed.promise;
  signal.removeEventListener("abort", onAbort);
}

/** What a prompt that works waits for. */
export function askedReason({ status }: SessionEntry, reading: PromptQuestion | null): string | null {
  if (status?.state === "blocked") return `asks: ${status.summary}`;
  return reading === null ? null : `asks: ${reading.question}`;
}
