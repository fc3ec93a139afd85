/** Follows a prompt after Enter, until the program that it was typed for is at its prompt again or the session has ended. */
import { isSameReader, type Reader } from "../../core/acting/draft.ts";
import type { PromptQuestion } from "../../core/acting/receipt.ts";
import { screenTimes } from "../../core/screen/times.ts";
import { waits } from "../../core/waits.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { EntryViews } from "../views/entry-views.ts";
import { isAtPrompt, type PromptTyping } from "./type-prompt.ts";

/** A program that is at its prompt so long after Enter, and was not seen working, had little to do. */
const QUICK_MS = 700;

interface Following extends Pick<PromptTyping, "entry" | "views" | "until"> {
  readonly stop: AbortSignal;
  readonly enteredUs: number;
  /** It works, or asks; with what the program reads that the command has started. */
  readonly onWorking: (reading: CommandReading | null) => Promise<void>;
}

/** What a program reads that the command of a prompt has started. */
export interface CommandReading {
  readonly asks: PromptQuestion;
  /** Where the input ended when this was seen; once more has been typed, it no longer counts. */
  readonly inputEnd: number;
}

export async function followPrompt({ entry, views, until, stop, enteredUs, onWorking }: Following): Promise<void> {
  const isNew = (): boolean => (entry.status?.sinceUs ?? 0) >= enteredUs;
  const isBusy = (): boolean => isNew() && ["working", "blocked"].includes(entry.status?.state ?? "");
  const isOver = (): boolean => isAtPrompt(entry) || entry.status?.state === "exited";
  // A quick command is at its prompt again before anybody looked. An agent without a processor begins late.
  const quickMs = (entry.status?.agent ?? null) === null ? QUICK_MS : waits.partMs;
  await until.status(() => isBusy() || (isNew() && isOver()), quickMs);
  if (isBusy()) await onWorking(null);
  /** What it reads after more input; null once it does not read. */
  const nextReading = async ({ inputEnd }: CommandReading): Promise<CommandReading | null> => {
    let next: CommandReading | null = null;
    const hasChanged = async (): Promise<boolean> => {
      next = isOver() ? await readingOf(entry, views) : null;
      return next === null || next.inputEnd > inputEnd;
    };
    await until.screen(hasChanged, { ms: Infinity, pollMs: waits.retryMs }, stop);
    return entry.live ? next : null;
  };
  while (entry.live && !stop.aborted) {
    await until.status(() => isOver() || entry.status?.state === "blocked");
    if (entry.status?.state === "blocked") {
      await onWorking(null);
      await until.status(() => entry.status?.state !== "blocked");
      continue;
    }
    // What it asks may be read off the screen a moment after the kernel has reported that it waits.
    // An agent may report that it is done before it draws its last words.
    await until.still(screenTimes.echoMs, stop, waits.partMs);
    if (!isOver()) continue;
    const reading = await readingOf(entry, views);
    if (reading === null) return;
    const isRead = async (): Promise<boolean> => !isOver() || (await readingOf(entry, views)) === null;
    // A shell that has no processor draws its prompt late.
    if (await until.screen(isRead, waits.partMs, stop)) continue;
    for (let now: CommandReading | null = reading; now !== null && !stop.aborted;) {
      await onWorking(now);
      now = await nextReading(now);
    }
    if (!stop.aborted) await onWorking(null);
  }
}

/** What the command has started reads now: a line, a key, a page. Null if the program is at its own prompt. */
async function readingOf(entry: SessionEntry, views: EntryViews): Promise<CommandReading | null> {
  const { inputEnd } = entry;
  // Input wakes a program that reads, and the kernel shows that at once.
  await entry.probe();
  await views.caughtUp();
  const { place, isAtPrompt: isBehindPrompt } = await views.view.draft();
  if (place !== "line" || isBehindPrompt || !entry.live) return null;
  return { asks: asksOf(entry), inputEnd };
}

function asksOf({ stored: { name } }: SessionEntry): PromptQuestion {
  return {
    approval: null,
    question: "the command reads input",
    options: [],
    howToAnswer: `see it with "lectern screen ${name}", type with "lectern send ${name} --enter TEXT" or "lectern key ${name} KEY"`,
  };
}

/** What a person should know of the end of a prompt that the agent `before` took; null if there is nothing. */
export async function endNote(
  { view }: EntryViews,
  before: Reader | undefined,
  wasWorking: boolean,
): Promise<string | null> {
  if (before === undefined || before.agent === null) return null;
  if (!isSameReader(before, (await view.draft()).reader)) return `${before.agent} has left the foreground`;
  // A command of the agent itself; or it begins late.
  return wasWorking ? null : `${before.agent} took it, and was not seen working`;
}
