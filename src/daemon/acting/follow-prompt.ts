/** Follows a prompt after Enter, until the program that it was typed for is at its prompt again or the session has ended. */
import { isAgentCommand } from "../../core/acting/box-text.ts";
import type { PromptQuestion, StepNote } from "../../core/acting/receipt.ts";
import { isTarget } from "../../core/acting/target.ts";
import type { ChatMessage } from "../../core/chat/message.ts";
import { screenTimes } from "../../core/screen/times.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { waits } from "../../core/waits.ts";
import type { KeptViews } from "../store/view-store.ts";
import { hasEnded, isBehind, targetNow } from "./targets.ts";
import type { EnteredPrompt } from "./typed-inputs.ts";
import { enterAgain, isAtPrompt, leftInBox, takeOut, withLease, type PromptTyping } from "./type-prompt.ts";

/** A program that is at its prompt so long after Enter, and was not seen working, had little to do. */
const QUICK_MS = 700;
/** How often Enter is pressed behind one text. */
const ENTERS_MAX = 3;
const MESSAGES_MAX = 200;
/** Of the status, between Enter and the end of a turn. */
const STATUSES_MAX = 1000;

export interface Following extends Pick<PromptTyping, "entry" | "views" | "until" | "receipt"> {
  readonly entered: EnteredPrompt;
  readonly stop: AbortSignal;
  readonly store: Pick<KeptViews, "list">;
  readonly workMs: number;
  readonly onWait: (reason: string) => Promise<void>;
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
  let last = entered;
  // What stands in the box after somebody else has typed is theirs.
  const isOurs = (): boolean => entry.live && entry.inputEnd <= last.enterEnd;
  for (let enters = 1; ;) {
    await untilAtPrompt(following, last);
    if (stop.aborted) return null;
    // Its box may still be on the screen.
    if (entered.target !== undefined && hasEnded(entered.target)) break;
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
      const pressed = mayEnter ? await enterAgain(typing, { enters, target: entered.target }) : null;
      return pressed ?? (await takeOut(typing, why, { isEntered: true }));
    });
    if ("reason" in again) return { state: "failed", ...again };
    last = again;
    enters += 1;
  }
  const wasWorking = await hasWorked(following);
  return { state: "done", reason: entry.live ? await endNote(following, wasWorking) : "the session has ended" };
}

/** Waits for an agent that was stopped, such as by Ctrl-Z: it goes on with the prompt later. False if it is not away, or has ended. */
async function untilBack({ entry, views, until, stop, entered, onWait, onTurnEnd }: Following): Promise<boolean> {
  const { target } = entered;
  if (target === undefined || target.agent === null || !isBehind(target)) return false;
  onTurnEnd();
  await onWait(`${target.agent} is not in the foreground: it was stopped, or runs in the background`);
  const isBack = async (): Promise<boolean> =>
    !isBehind(target) || isTarget(target, targetNow(entry, await views.view.draft()));
  await until.screen(isBack, { ms: Infinity, pollMs: waits.retryMs }, stop);
  return entry.live;
}

async function untilAtPrompt(following: Following, { enteredUs, target }: EnteredPrompt): Promise<void> {
  const { entry, until, stop, onWorking } = following;
  const isNew = (): boolean => (entry.status?.sinceUs ?? 0) >= enteredUs;
  const isBusy = (): boolean => isNew() && ["working", "blocked"].includes(entry.status?.state ?? "");
  const isEnded = (): boolean => target !== undefined && hasEnded(target);
  const isOver = (): boolean => isAtPrompt(entry) || entry.status?.state === "exited" || isEnded();
  // A quick command is at its prompt again before anybody looked. An agent without a processor begins late.
  const quickMs = (entry.status?.agent ?? null) === null ? QUICK_MS : waits.partMs;
  await until.status(() => isBusy() || (isNew() && isOver()), quickMs);
  if (isBusy()) await onWorking(null);
  /** What it reads after more input; null once it does not read. */
  const nextReading = async ({ inputEnd }: CommandReading): Promise<CommandReading | null> => {
    let next: CommandReading | null = null;
    const hasChanged = async (): Promise<boolean> => {
      const now = isOver() ? await readingOf(following) : null;
      if (now === "unknown") return false;
      next = now;
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
    let reading = await readingOf(following);
    if (reading === null) return;
    const isRead = async (): Promise<boolean> => !isOver() || (reading = await readingOf(following)) === null;
    // A shell that has no processor draws its prompt late.
    if ((await until.screen(isRead, waits.partMs, stop)) || reading === "unknown") continue;
    for (let now: CommandReading | null = reading; now !== null && !stop.aborted;) {
      await onWorking(now);
      now = await nextReading(now);
    }
    if (!stop.aborted) await onWorking(null);
  }
}

/** What the command has started reads now: a line, a key, a page. Null if the program is at its own prompt; `unknown` while the kernel's last report may be older. */
async function readingOf({
  entry,
  views,
}: Pick<Following, "entry" | "views">): Promise<CommandReading | "unknown" | null> {
  const { inputEnd } = entry;
  // Input wakes a program that reads, and the kernel shows that at once.
  if (!(await entry.probe()) && entry.live) return "unknown";
  await views.caughtUp();
  const { place, isAtPrompt: isBehindPrompt } = await views.view.draft();
  if (place !== "line" || isBehindPrompt || !entry.live) return null;
  const { name } = entry.stored;
  const howToAnswer = `see it with "lectern screen ${name}", type with "lectern send ${name} --enter TEXT" or "lectern key ${name} KEY"`;
  return { asks: { approval: null, question: "the command reads input", options: [], howToAnswer }, inputEnd };
}

/** What a person should know of the end of a prompt that an agent took; null if there is nothing. */
async function endNote({ entry, views, entered }: Following, wasWorking: boolean): Promise<string | null> {
  const { target } = entered;
  if (target === undefined || target.agent === null) return null;
  if (!isTarget(target, targetNow(entry, await views.view.draft()))) return `${target.agent} has left the foreground`;
  // A command of the agent itself; or it begins late.
  return wasWorking ? null : `${target.agent} took it, and was not seen working`;
}

/** A daemon that had no processor has not seen it work, and its views have. */
async function hasWorked(following: Following): Promise<boolean> {
  if (following.wasSeenWorking() || following.entered.enterEnd === 0) return following.wasSeenWorking();
  const worked = await workAfter(following);
  if (worked !== undefined) await following.onWorking(null, worked.timeUs);
  return worked !== undefined;
}

/**
 * Whether an agent has worked on a prompt that it took: an agent without a processor shows its empty box for seconds before it begins, and
 * is then not done.
 * - `worked`: it works, asks or has answered, or no work is to be seen: a shell, a command of the agent, an agent whose conversation
 *   cannot be read, or one that has left the foreground
 * - `late`: it works now, after it had shown no sign of it
 * - `reason`: it showed none within `workMs`
 */
async function untilWorked(taken: Following): Promise<"worked" | "late" | { readonly reason: string }> {
  const { entry, receipt, entered, views, until, stop, workMs, onWait } = taken;
  const { text, isLiteral = false, targets = [] } = receipt;
  const { enterEnd } = entered;
  const agent = entered.target?.agent ?? targets[0]?.agent ?? null;
  if (agent === null || enterEnd === 0 || isAgentCommand(text, { isLiteral })) return "worked";
  const hasSign = async (): Promise<boolean> =>
    (await workAfter(taken)) !== undefined || (await messagesOf(taken, { agent, from: enterEnd })).some(isItsOwn);
  if ((await hasSign()) || (await messagesOf(taken, { agent, from: 0 })).length === 0) return "worked";
  const unseen = `${agent} took it, and was not seen working`;
  await onWait(unseen);
  const isAway = async (): Promise<boolean> => !entry.live || (await views.view.draft()).reader.agent !== agent;
  await until.screen(async () => (await hasSign()) || (await isAway()), { ms: workMs, pollMs: waits.retryMs }, stop);
  if (await hasSign()) return "late";
  if (await isAway()) return "worked";
  const next = `see what it does with "lectern screen ${entry.stored.name}" before you send it again`;
  return { reason: `${unseen} within ${workMs / 1000} s; ${next}` };
}

/** The first change of the status after Enter that shows work. */
async function workAfter({ entry, store, entered }: Following): Promise<ViewChange | undefined> {
  const query = { session: entry.id, from: entered.enterEnd, kinds: ["status" as const] };
  return (await store.list({ ...query, last: STATUSES_MAX, changesMax: STATUSES_MAX })).find(showsWork);
}

/** What it says or does; the prompt itself is one of its messages too. */
const isItsOwn = ({ role }: ChatMessage): boolean => !["user", "welcome", "conversation-start"].includes(role);

async function messagesOf(
  { entry: { id: session }, store }: Following,
  { agent, from }: { readonly agent: string; readonly from: number },
): Promise<ChatMessage[]> {
  const query = { session, from, kinds: ["message" as const], last: MESSAGES_MAX, changesMax: MESSAGES_MAX };
  const messages = (await store.list(query)).flatMap((change) => (change.kind === "message" ? [change.message] : []));
  return messages.filter((message) => message.agent === agent && message.offset >= from);
}

/** That something was entered, and no answer to it was seen, is not the agent's word. */
function showsWork(change: ViewChange): boolean {
  if (change.kind !== "status" || !["working", "blocked"].includes(change.status.state)) return false;
  return change.status.evidence.some(({ isDecisive, signal }) => isDecisive && signal !== "input");
}
