/** Answers to questions on screens: each becomes keys, and counts when the program has taken them. */
import { waits } from "../../core/waits.ts";
import { LecternError } from "../../core/errors.ts";
import type { Approval } from "../../core/dialogs/approval.ts";
import type { ViewChange } from "../../core/views/change.ts";
import type { ForegroundReader } from "../../core/acting/target.ts";
import { encodeKeys } from "../../core/input/keys.ts";
import { onlyHint, type QuestionScreens, type ScreenAnswer } from "../approvals/question-list.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { readingNow, typeFor, type MissedAct } from "./targets.ts";
import type { EntryViews } from "../views/entry-views.ts";
import type { SessionViews } from "../views/session-views.ts";

/** Keys for one answer: a mark is moved one step at a time, and a list is not longer than a screen. */
const PRESSES_MAX = 100;
const MOVES: ReadonlySet<string> = new Set(["Up", "Down", "Left", "Right"]);
/** Some agents take no key in the first moment of a dialog, so that nobody answers it by accident. */
const UNHEARD_MS = 500;
/** How often a dialog that stands is looked for before anything is pressed: a view that a new daemon has restored may know it before its screen. */
const UNSHOWN_MAX = 4;

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
  await pause(UNHEARD_MS - (Date.now() - approval.timeUs / 1000));
  const seen: { state: Approval["state"] } = { state: "open" };
  using _ = views.subscribe((changes) => void (seen.state = endIn(changes, id) ?? seen.state));
  let presses = 0;
  let unshown = 0;
  let deadlineMs = Infinity;
  /** Who asked, as it was when the first key was pressed. */
  let asker: ForegroundReader | undefined;
  /** Where the mark was when it was moved last. */
  let movedFrom: string | null = null;
  for (;;) {
    // A program may have stopped reading without a sign since the last probe.
    await entry.probe();
    await views.complete();
    const { keys, whyUnread, applicationCursor, reader } = await views.view.keysFor(id, option);
    if (whyUnread !== null && presses === 0) throw onlyHint({ ...approval, whyHint: whyUnread }, entry.stored.name);
    const open = views.openApprovals.find((each) => each.id === id);
    // A key alone was the answer. A list that goes by itself while its mark is moved is not answered.
    if (presses > 0 && open === undefined && seen.state === "answered")
      return await assertRead(entry, views, { id, asker });
    const isSame = open !== undefined && open.digest === approval.digest;
    // A key was pressed: the program has not taken it yet, or paints its dialog. Nothing more is pressed meanwhile: a mark that is
    // moved late would move twice, and Enter would fall on another option.
    const isUntaken = presses > 0 && (keys === null || (movedFrom !== null && open?.selected === movedFrom));
    const isUnshown = presses === 0 && keys === null && unshown < UNSHOWN_MAX;
    if (isSame && (isUnshown || (isUntaken && performance.now() < deadlineMs))) {
      if (isUnshown) unshown += 1;
      await moves(views);
      continue;
    }
    const { isMeant, reads } = readingNow(entry, reader);
    if (keys === null || isUntaken || !isSame || !isMeant || presses >= PRESSES_MAX) {
      throw new LecternError("CONFLICT", refusal(entry, { approval, isSame: isSame && isMeant }));
    }
    if (presses === 0) asker = reads;
    // What is refused is nobody's answer.
    if (presses === 0) await entry.mark({ type: "approval-answer", approval: id, option, by });
    presses += 1;
    const end = ends(views, { id, option, ticked: tickOf(open, option) }, keys.isComplete ? waits.answerMs : 0);
    const moved = moves(views);
    deadlineMs = performance.now() + waits.answerMs;
    movedFrom = keys.keys.some((key) => MOVES.has(key)) ? open.selected : null;
    const pressed = await typeFor(entry, { bytes: encodeKeys(keys.keys, { applicationCursor }), reader: asker });
    if ("why" in pressed) throw new LecternError("CONFLICT", missed(entry, id, pressed));
    if (!keys.isComplete) await moved;
    else if (isTaken(await end, approval)) return await assertRead(entry, views, { id, asker });
    else {
      throw new LecternError(
        "CONFLICT",
        `The keys were pressed, but the program has not taken the answer to question "${id}" in ${waits.answerMs / 1000} s; see "lectern screen ${entry.stored.name}"`,
      );
    }
  }
}

/** Why nothing was pressed, and what to do next. */
function refusal({ stored }: SessionEntry, { approval, isSame }: { approval: Approval; isSame: boolean }): string {
  const next = `see "lectern screen ${stored.name}"`;
  if (!isSame) return `Cannot answer question "${approval.id}": the question has changed or is gone; ${next}`;
  return `Cannot answer question "${approval.id}" with keys: it is not on the screen as it was, or its answer has to be typed; ${next}`;
}

/** Throws `CONFLICT` where another program reads now, and the keys stand in its line: the one that asked has ended before it read them. */
async function assertRead(
  entry: SessionEntry,
  { view }: EntryViews,
  { id, asker }: { readonly id: string; readonly asker: ForegroundReader | undefined },
): Promise<void> {
  if (asker === undefined) return;
  const { place, reader, text } = await view.draft();
  const { program, reads } = readingNow(entry, reader);
  if (reads === undefined || reads.pid === asker.pid || place !== "line" || text === "") return;
  const why = `the program that asked has ended, and ${program ?? "another one"} reads`;
  throw new LecternError("CONFLICT", missed(entry, id, { why, isBegun: true, isOther: true }));
}

/** What another program holds in its line was typed for the one that asked. */
function missed({ stored: { name } }: SessionEntry, id: string, { why, isBegun }: MissedAct): string {
  const left = isBegun ? `; keys were pressed, and what was not read of them is left in the line` : "";
  return `Cannot answer question "${id}": ${why}${left}; see "lectern screen ${name}"`;
}

/** An agent may take a key late, and its dialog goes then. Of other programs it has to be seen that they took the answer. */
const isTaken = (state: Approval["state"], { agent }: Approval): boolean =>
  state === "answered" || (state === "gone" && agent !== null);

/** How a question ended; undefined if these changes do not end it. */
function endIn(changes: readonly ViewChange[], id: string): Approval["state"] | undefined {
  const end = changes.find(
    (change) => change.kind === "approval" && change.approval.id === id && change.approval.state !== "open",
  );
  return end?.kind === "approval" ? end.approval.state : undefined;
}

const tickOf = ({ options }: Approval, option: string): boolean | undefined =>
  options.find(({ id }) => id === option)?.checked;

interface Pressed {
  readonly id: string;
  readonly option: string;
  /** Whether the option was ticked before; undefined if it is not one of several choices. */
  readonly ticked: boolean | undefined;
}

/** How a question ended, or `answered` if its choice was ticked; `open` if neither happened within `ms`. */
async function ends(views: EntryViews, { id, option, ticked }: Pressed, ms: number): Promise<Approval["state"]> {
  const { promise, resolve } = Promise.withResolvers<Approval["state"]>();
  using _ = views.subscribe((changes) => {
    const end = endIn(changes, id);
    const now = views.openApprovals.find((each) => each.id === id);
    if (end !== undefined) resolve(end);
    else if (now !== undefined && tickOf(now, option) !== ticked) resolve("answered");
  });
  const timer = setTimeout(() => resolve("open"), ms);
  const state = await promise;
  clearTimeout(timer);
  return state;
}

/** Resolves when the mark has moved, or when a program had time enough to move it. */
async function moves(views: EntryViews): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _ = views.subscribe((changes) => {
    if (changes.some(({ kind }) => kind === "approval")) resolve();
  });
  const timer = setTimeout(resolve, UNHEARD_MS);
  await promise;
  clearTimeout(timer);
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(ms, 0), UNHEARD_MS)));
