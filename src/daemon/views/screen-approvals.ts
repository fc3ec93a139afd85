/** The questions on the screens of all sessions, in the book of what waits for a person; answers become keys. */
import { LecternError } from "../../core/errors.ts";
import type { Approval } from "../../core/approvals/approval.ts";
import { encodeKeys } from "../../core/input/keys.ts";
import type { ApprovalBook } from "../approvals.ts";
import type { SessionEntry } from "../session-entry.ts";
import type { EntryViews } from "./entry-views.ts";
import type { SessionViews } from "./session-views.ts";

/** A mark is moved one step at a time; a list is not longer than a screen. */
const STEPS_MAX = 100;
/** A dialog that still stands so long after its answer was not answered. */
const GONE_MS_MAX = 5000;
/** Some agents take no key in the first moment of a dialog, so that nobody answers it by accident. */
const UNHEARD_MS = 500;

/** Keeps the book in step with what the views say. */
export function watchScreens(views: SessionViews, book: ApprovalBook): Disposable {
  return views.subscribe((entry, changes) => {
    for (const change of changes) {
      if (change.kind !== "approval" || change.approval.source !== "screen") continue;
      const { approval } = change;
      if (approval.state !== "open") book.close(entry.id, approval.id);
      else {
        const asked = { session: entry.id, approval };
        const answer = async (option: { readonly id: string }, by: string): Promise<void> => {
          try {
            await views.use(entry, async (of) => await answerOnScreen(entry, of, { approval, option: option.id, by }));
          } catch (error) {
            const stands = (await views.peek(entry))?.openApprovals.some(({ id }) => id === approval.id) === true;
            if (stands) book.open({ ...asked, answer });
            throw error;
          }
        };
        book.open({ ...asked, answer });
      }
    }
  });
}

interface Answer {
  readonly approval: Approval;
  readonly option: string;
  readonly by: string;
}

/** Presses the keys and sees the dialog go. Throws `CONFLICT` where it is another dialog, or still stands. */
async function answerOnScreen(entry: SessionEntry, views: EntryViews, { approval, option, by }: Answer): Promise<void> {
  const { id } = approval;
  await entry.mark({ type: "approval-answer", approval: id, option, by });
  await pause(UNHEARD_MS - (Date.now() - approval.timeUs / 1000));
  for (let step = 0; ; step += 1) {
    await views.complete();
    const keys = await views.view.keysFor(id, option);
    if (keys === null || step >= STEPS_MAX) {
      throw new LecternError(
        "CONFLICT",
        `Cannot answer question "${id}" with keys: it does not stand on the screen as it did, or wants to be typed; look with "lectern screen ${entry.stored.name}"`,
      );
    }
    const isGone = goes(views, id, keys.isComplete ? GONE_MS_MAX : 0);
    const moved = moves(views);
    await entry.input(encodeKeys(keys.keys), false);
    if (!keys.isComplete) await moved;
    else if (await isGone) return;
    else {
      throw new LecternError(
        "CONFLICT",
        `The keys were pressed, but question "${id}" still stands: look with "lectern screen ${entry.stored.name}"`,
      );
    }
  }
}

/** Resolves to true when a question is open no more, to false after `ms`. */
async function goes(views: EntryViews, id: string, ms: number): Promise<boolean> {
  const isOpen = (): boolean => views.openApprovals.some((approval) => approval.id === id);
  const { promise, resolve } = Promise.withResolvers<void>();
  using _ = views.subscribe(() => {
    if (!isOpen()) resolve();
  });
  const timer = setTimeout(resolve, ms);
  await promise;
  clearTimeout(timer);
  return !isOpen();
}

/** Resolves when the mark has moved, or when a program had time enough to move it. */
async function moves(views: EntryViews): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  using _ = views.subscribe((changes) => {
    if (changes.some(({ kind }) => kind === "approval")) resolve();
  });
  const timer = setTimeout(resolve, 500);
  await promise;
  clearTimeout(timer);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.min(ms, UNHEARD_MS)));
