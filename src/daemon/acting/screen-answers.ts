/** Answers to questions on screens: each becomes keys, and counts when the program has taken them. */
import { setTimeout as sleep } from "node:timers/promises";
import { planAnswer } from "../../core/acting/answer-plan.ts";
import type { MissedAct } from "../../core/acting/plan.ts";
import { waits } from "../../core/waits.ts";
import { LecternError } from "../../core/errors.ts";
import type { Approval } from "../../core/dialogs/approval.ts";
import type { ActTarget } from "../../core/acting/target.ts";
import { onlyHint, type QuestionScreens, type ScreenAnswer } from "../approvals/question-list.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { actIn } from "./executor.ts";
import { isMeant, targetNow } from "./targets.ts";
import { Until } from "./until.ts";
import type { EntryViews } from "../views/entry-views.ts";
import type { SessionViews } from "../views/session-views.ts";

/** Some agents take no key in the first moment of a dialog, so that nobody answers it by accident. */
const UNHEARD_MS = 500;
/** How often a dialog that stands is looked for before anything is pressed: a view that a new daemon has restored may know it before its screen. */
const UNSHOWN_MAX = 4;

/** Of an answer of which keys were pressed. */
const LEFT = "; keys were pressed, and what was not read of them is left in the line";

const refusals = {
  changed: ": the question has changed or is gone",
  outdated: ": it is not known whether its program reads now; answer it again",
  unknown: " with keys: it is not on the screen as it was, or its answer has to be typed",
};

/** Lets the list of questions press keys, and read journals to their ends. */
export function questionScreens(
  views: Pick<SessionViews, "use">,
  entryOf: (session: string) => SessionEntry | undefined,
): QuestionScreens {
  return {
    answer: async (session, given) => {
      const entry = entryOf(session);
      if (entry === undefined) throw new LecternError("CONFLICT", "Cannot answer: the session was removed");
      await views.use(entry, async (of) => await answerOnScreen(entry, of, given));
    },
    read: async (session) => {
      const entry = entryOf(session);
      // One that is about to start has no journal yet; one that ended shows no question.
      if (entry?.stored.state !== "running") return;
      await views.use(entry, async (of) => {
        if (!of.view.status.isFlooded) await of.complete();
      });
    },
  };
}

/**
 * Presses the keys and sees the dialog go. Throws `CONFLICT` if it is another dialog than was answered, if the program in the
 * foreground does not read, or if the program did not take the answer.
 */
async function answerOnScreen(
  entry: SessionEntry,
  views: EntryViews,
  { approval, option, by }: ScreenAnswer,
): Promise<void> {
  const { id } = approval;
  const { name } = entry.stored;
  await sleep(Math.min(UNHEARD_MS, Math.max(0, UNHEARD_MS - (Date.now() - approval.timeUs / 1000))));
  const until = new Until(entry, views, new AbortController().signal);
  const openNow = (): Approval | undefined => views.openApprovals.find((each) => each.id === id);
  const seen: { state: Approval["state"]; hasNews: boolean } = { state: "open", hasNews: false };
  using _ = views.subscribe((changes) => {
    for (const change of changes) {
      if (change.kind !== "approval") continue;
      seen.hasNews = true;
      if (change.approval.id === id) seen.state = change.approval.state;
    }
  });
  /** Until the mark has moved, or a program had time enough to move it. */
  const changed = async (): Promise<boolean> => await until.screen(async () => seen.hasNews, UNHEARD_MS);
  let presses = 0;
  let unshown = 0;
  let movedFrom: string | null = null;
  let deadlineMs = Infinity;
  /** Who asked, as it was when the first key was pressed. */
  let asker: ActTarget | undefined;
  for (; ; seen.hasNews = false) {
    // Whether the program reads, as it is now.
    const isOutdated = !(await entry.probe());
    await views.complete();
    const { reader, ...now } = await views.view.keysFor(id, option);
    const open = openNow();
    const target = targetNow(entry, { reader, kind: `dialog ${id}` });
    const mayCome = presses === 0 ? unshown < UNSHOWN_MAX : performance.now() < deadlineMs;
    if (presses === 0 || asker === undefined) asker = target;
    const isAnswered = seen.state === "answered";
    const look = { ...now, open, isAnswered, isOutdated, isMeant: isMeant(target, reader), target: asker };
    const plan = planAnswer(look, approval, { presses, movedFrom, mayCome });
    if ("isDone" in plan) return await assertRead(entry, views, { id, asker });
    if ("isEarly" in plan) {
      unshown += 1;
      await changed();
      continue;
    }
    if ("reason" in plan) {
      if (plan.reason === "hint") throw onlyHint({ ...approval, whyHint: now.whyUnread }, name);
      throw new LecternError(
        "CONFLICT",
        `Cannot answer question "${id}"${refusals[plan.reason]}${presses > 0 ? LEFT : ""}; see "lectern screen ${name}"`,
      );
    }
    // What is refused is nobody's answer.
    if (presses === 0) await entry.mark({ type: "approval-answer", approval: id, option, by });
    presses += 1;
    ({ movedFrom } = plan);
    deadlineMs = performance.now() + waits.answerMs;
    /** The choice was ticked, or its tick was taken away. */
    const isTicked = (): boolean => openNow() !== undefined && tickOf(openNow(), option) !== tickOf(open, option);
    const typed = await actIn(entry, plan);
    if ("missed" in typed) throw new LecternError("CONFLICT", missed(entry, id, typed.missed));
    if (!plan.isComplete) {
      await changed();
      continue;
    }
    // A question that stands there for `answerMs` gets another id, so that no second answer is typed under this one.
    // It is a hint for a moment if the host reports late that its program reads.
    const isOver = (): boolean => seen.state === "answered" || seen.state === "gone";
    await until.screen(async () => isOver() || isTicked(), waits.answerMs + waits.retryMs);
    if (isTaken(!isOver() && isTicked() ? "answered" : seen.state, approval))
      return await assertRead(entry, views, { id, asker });
    throw new LecternError(
      "CONFLICT",
      `The keys were pressed, but it was not seen that the program has taken the answer to question "${id}"; see "lectern screen ${name}", and answer what it asks then under its own id`,
    );
  }
}

/** Throws `CONFLICT` where another program reads now, and the keys stand in its line: the one that asked has ended before it read them. */
async function assertRead(
  entry: SessionEntry,
  { view }: EntryViews,
  { id, asker }: { readonly id: string; readonly asker: ActTarget | undefined },
): Promise<void> {
  if (asker === undefined || asker.group === null) return;
  const draft = await view.draft();
  const { program, group, pid } = targetNow(entry, draft);
  if (group === null || pid === asker.pid || draft.place !== "line" || draft.text === "") return;
  const why = `the program that asked has ended, and ${program ?? "another one"} reads`;
  throw new LecternError("CONFLICT", missed(entry, id, { why, isBegun: true, isOther: true }));
}

/** What another program holds in its line was typed for the one that asked. */
function missed({ stored: { name } }: SessionEntry, id: string, { why, isBegun }: MissedAct): string {
  return `Cannot answer question "${id}": ${why}${isBegun ? LEFT : ""}; see "lectern screen ${name}"`;
}

/** An agent may take a key late, and its dialog goes then. Of other programs it has to be seen that they took the answer. */
const isTaken = (state: Approval["state"], { agent }: Approval): boolean =>
  state === "answered" || (state === "gone" && agent !== null);

const tickOf = (asked: Approval | undefined, option: string): boolean | undefined =>
  asked?.options.find(({ id }) => id === option)?.checked;
