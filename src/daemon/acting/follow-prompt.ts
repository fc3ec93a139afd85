/** Follows a prompt after Enter, until the program that it was typed for is at its prompt again or the session has ended. */
import type { PromptQuestion, StepNote } from "../../core/acting/receipt.ts";
import { isTarget, type ActTarget } from "../../core/acting/target.ts";
import { screenTimes } from "../../core/screen/times.ts";
import { waits } from "../../core/waits.ts";
import { isBehind, targetNow } from "./targets.ts";
import { enterAgain, isAtPrompt, leftInBox, takeOut, withLease, type PromptTyping } from "./type-prompt.ts";
import { untilWorked, workAfter, type Worked } from "./work-sign.ts";

/** A program that is at its prompt so long after Enter, and was not seen working, had little to do. */
const QUICK_MS = 700;
/** How often Enter is pressed behind one text. */
const ENTERS_MAX = 3;

/** Where the journal has Enter, and who took it, if that is known. */
export interface EnteredPrompt {
  readonly end: number;
  readonly target: ActTarget | undefined;
}

export interface Following extends Pick<PromptTyping, "entry" | "views" | "until" | "receipt">, Worked {
  readonly enteredUs: number;
  /** It works, or asks; with what the program reads that the command has started. */
  readonly onWorking: (reading: CommandReading | null, timeUs?: number) => Promise<void>;
  readonly wasSeenWorking: () => boolean;
  /** Whatever reads now may be prompted as well. */
  readonly onTurnEnd: () => void;
}

/** What a program reads that the command of a prompt has started. */
export interface CommandReading {
  readonly asks: PromptQuestion;
  /** Where the input ended when this was seen; once more has been typed, it no longer counts. */
  readonly inputEnd: number;
}

/** Null if `stop` was aborted. */
export async function followPrompt(
  following: Following,
): Promise<(StepNote & { readonly state: "done" | "failed" }) | null> {
  const { entry, stop, entered, receipt } = following;
  let { enteredUs } = following;
  // What stands in the box after somebody else has typed is theirs.
  let ourEnd = entered?.end ?? Infinity;
  const isOurs = (): boolean => entry.live && entry.inputEnd <= ourEnd;
  for (let enters = 1; ;) {
    await untilAtPrompt(following, enteredUs);
    if (stop.aborted) return null;
    // Not only of one that was never seen working: what an agent makes of Enter behind a paste depends on how busy it is.
    const box = isOurs() ? await leftInBox(following) : "empty";
    const sign = box === "empty" ? await untilWorked(following) : "late";
    if (stop.aborted) return null;
    if (typeof sign === "object") return { state: "failed", ...sign };
    if (sign === "worked" || (box === "left" && !isOurs())) {
      if (await untilBack(following)) continue;
      break;
    }
    // It began late: its turn has an end of its own.
    if (box !== "left") continue;
    // Not if it has worked since: then it took the text and put it back, and would do it twice.
    const mayEnter = enters < ENTERS_MAX && (await workAfter(following)) === undefined;
    const why = "Enter was pressed, and the text stood in the input box afterwards";
    const again = await withLease(entry, receipt.key, async (lost) => {
      const typing = { ...following, lost };
      const pressed = mayEnter ? await enterAgain(typing, { enters, target: entered?.target }) : null;
      return pressed ?? (await takeOut(typing, why, { isEntered: true }));
    });
    if ("reason" in again) return { state: "failed", ...again };
    ({ enterEnd: ourEnd, enteredUs } = again);
    enters += 1;
  }
  const wasWorking = await hasWorked(following);
  return { state: "done", reason: entry.live ? await endNote(following, wasWorking) : "the session has ended" };
}

/** Waits for an agent that was stopped, such as by Ctrl-Z: it goes on with the prompt later. False if it is not away, or has ended. */
async function untilBack({ entry, views, until, stop, entered, onWait, onTurnEnd }: Following): Promise<boolean> {
  const target = entered?.target;
  if (target === undefined || target.agent === null || !isBehind(target)) return false;
  onTurnEnd();
  await onWait(`${target.agent} is not in the foreground: it was stopped, or runs in the background`);
  const isBack = async (): Promise<boolean> =>
    !isBehind(target) || isTarget(target, targetNow(entry, await views.view.draft()));
  await until.screen(isBack, { ms: Infinity, pollMs: waits.retryMs }, stop);
  return entry.live;
}

async function untilAtPrompt(following: Following, enteredUs: number): Promise<void> {
  const { entry, until, stop, onWorking } = following;
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
      next = isOver() ? await readingOf(following) : null;
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
    const reading = await readingOf(following);
    if (reading === null) return;
    const isRead = async (): Promise<boolean> => !isOver() || (await readingOf(following)) === null;
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
async function readingOf({ entry, views }: Pick<Following, "entry" | "views">): Promise<CommandReading | null> {
  const { inputEnd } = entry;
  // Input wakes a program that reads, and the kernel shows that at once.
  await entry.probe();
  await views.caughtUp();
  const { place, isAtPrompt: isBehindPrompt } = await views.view.draft();
  if (place !== "line" || isBehindPrompt || !entry.live) return null;
  const { name } = entry.stored;
  const howToAnswer = `see it with "lectern screen ${name}", type with "lectern send ${name} --enter TEXT" or "lectern key ${name} KEY"`;
  return { asks: { approval: null, question: "the command reads input", options: [], howToAnswer }, inputEnd };
}

/** What a person should know of the end of a prompt that an agent took; null if there is nothing. */
async function endNote({ entry, views, entered }: Following, wasWorking: boolean): Promise<string | null> {
  const target = entered?.target;
  if (target === undefined || target.agent === null) return null;
  if (!isTarget(target, targetNow(entry, await views.view.draft()))) return `${target.agent} has left the foreground`;
  // A command of the agent itself; or it begins late.
  return wasWorking ? null : `${target.agent} took it, and was not seen working`;
}

/** A daemon that had no processor has not seen it work, and its views have. */
async function hasWorked(following: Following): Promise<boolean> {
  if (following.wasSeenWorking() || (following.entered?.end ?? 0) === 0) return following.wasSeenWorking();
  const worked = await workAfter(following);
  if (worked !== undefined) await following.onWorking(null, worked.timeUs);
  return worked !== undefined;
}
