/** Whether a prompt can be accepted: now, or for later. */
import { LecternError } from "../../core/errors.ts";
import type { HowTyped, Receipt } from "../../core/acting/receipt.ts";
import { dueProblem, SCHEDULED_PER_SESSION_MAX, type Schedule } from "../../core/acting/schedule.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionViews } from "../views/session-views.ts";
import { questionOf } from "./prompt-question.ts";
import { assertFree, isAtPrompt } from "./type-prompt.ts";

/** Prompts that wait in one session. */
const WAITING_MAX = 100;

interface Wanted extends Pick<HowTyped, "whenEmpty" | "isForced"> {
  readonly isFirst?: boolean | undefined;
  /** How many prompts of the session are not done: one may leave while the screen is read. */
  readonly waiting: () => number;
}

/** Throws `CONFLICT` while a person is asked something or has typed something, or where no input line is shown; `LIMIT_EXCEEDED`. */
export async function assertAcceptable(
  entry: SessionEntry,
  views: SessionViews,
  { whenEmpty, isFirst = false, isForced, waiting }: Wanted,
): Promise<void> {
  const { name } = entry.stored;
  const asks = isFirst ? null : await views.use(entry, (of) => questionOf(entry, of));
  if (asks !== null) {
    const why = `Cannot prompt "${name}": it asks "${asks.question}"; ${asks.howToAnswer}`;
    throw new LecternError("CONFLICT", why, { details: { approval: asks.approval } });
  }
  if (waiting() >= WAITING_MAX) {
    throw new LecternError("LIMIT_EXCEEDED", `${WAITING_MAX} prompts wait for "${name}" already: let it finish some`);
  }
  if (waiting() > 0 || !isAtPrompt(entry)) return;
  const how = { mayHoldText: whenEmpty, mayHideInput: isForced || isFirst };
  await views.use(entry, async (of) => await assertFree(entry, of, { ...how, draft: await of.view.draft() }));
}

/** Undefined for a prompt that is typed now: also one for the end of a limit that there is not. Throws `INVALID_INPUT`. */
export async function possibleSchedule(
  entry: SessionEntry,
  views: SessionViews,
  schedule: Schedule | undefined,
): Promise<Schedule | undefined> {
  if (schedule === undefined) return undefined;
  if ("afterLimit" in schedule) {
    const isLimited = await views.use(entry, () => entry.status?.limit !== undefined);
    return isLimited ? schedule : undefined;
  }
  const problem = dueProblem(schedule.dueUs, Date.now() * 1000);
  if (problem === null) return schedule;
  throw new LecternError("INVALID_INPUT", `Cannot schedule the prompt: ${problem}`);
}

/** Throws `LIMIT_EXCEEDED`. */
export function assertRoom({ stored }: SessionEntry, receipts: readonly Receipt[]): void {
  if (receipts.filter(({ state }) => state === "scheduled").length < SCHEDULED_PER_SESSION_MAX) return;
  const next = `cancel one that "lectern prompt ${stored.name} --scheduled" lists`;
  const why = `${SCHEDULED_PER_SESSION_MAX} prompts are scheduled for "${stored.name}" already`;
  throw new LecternError("LIMIT_EXCEEDED", `${why}: ${next}`);
}
