/**
 * What is done with an answer at what the screen shows: the keys to press now, or why there are none. A mark is moved one step at a time, and the
 * screen is looked at again before the next key.
 */
import type { Approval } from "../dialogs/approval.ts";
import type { AnswerKeys } from "../dialogs/answer-keys.ts";
import { encodeKeys } from "../input/keys.ts";
import type { ActPlan } from "./plan.ts";
import type { ActTarget } from "./target.ts";

/** Keys for one answer: a list is not longer than a screen. */
const PRESSES_MAX = 100;
const MOVES: ReadonlySet<string> = new Set(["Up", "Down", "Left", "Right"]);

interface Seen {
  /** By the dialog on the screen; null if it is not there, or nobody reads. */
  readonly keys: AnswerKeys | null;
  readonly whyUnread: string | null;
  readonly applicationCursor: boolean;
  /** The question as it is now; undefined if it is over. */
  readonly open: Pick<Approval, "selected" | "digest"> | undefined;
  readonly isAnswered: boolean;
  /** The kernel's last report, which `keys` and `whyUnread` are from, may be older than what is on the screen. */
  readonly isOutdated: boolean;
  /** The views see it in the foreground, too. */
  readonly isMeant: boolean;
  readonly target: ActTarget | null;
}

interface Progress {
  readonly presses: number;
  /** Where the mark was when the last key was to move it; null for another key. */
  readonly movedFrom: string | null;
  /** What is not on the screen may come yet. */
  readonly mayCome: boolean;
}

/**
 * - `isDone`: a key alone was the answer
 * - `isEarly`: the screen is looked at again: a mark that is moved late would move twice, and Enter would fall on another option
 * - `reason`: the answer is refused
 */
type AnswerPlan =
  | (ActPlan & { readonly isComplete: boolean; readonly movedFrom: string | null })
  | { readonly isDone: true }
  | { readonly isEarly: true }
  | { readonly reason: "hint" | "changed" | "unknown" | "outdated" };

export function planAnswer(
  { keys, whyUnread, applicationCursor, open, isAnswered, isOutdated, isMeant, target }: Seen,
  { digest }: Pick<Approval, "digest">,
  { presses, movedFrom, mayCome }: Progress,
): AnswerPlan {
  // A list that goes by itself while its mark is moved is not answered.
  if (presses > 0 && open === undefined && isAnswered) return { isDone: true };
  if (isOutdated) return mayCome ? { isEarly: true } : { reason: "outdated" };
  if (presses === 0 && whyUnread !== null) return { reason: "hint" };
  if (open?.digest !== digest || open === undefined) return { reason: "changed" };
  // The program has not taken the last key yet, or paints its dialog.
  const isUntaken = presses > 0 && movedFrom !== null && open.selected === movedFrom;
  if (keys === null || isUntaken) return mayCome ? { isEarly: true } : { reason: "unknown" };
  if (!isMeant) return { reason: "changed" };
  if (presses >= PRESSES_MAX) return { reason: "unknown" };
  // Enter acts by itself, and is a step of its own behind what is typed.
  const at = Math.max(0, keys.keys.lastIndexOf("Enter"));
  const parts = [keys.keys.slice(0, at), keys.keys.slice(at)].filter((part) => part.length > 0);
  const steps = parts.map((part) => ({ bytes: encodeKeys(part, { applicationCursor }), proof: "planned" as const }));
  const moves = keys.keys.some((key) => MOVES.has(key));
  const { isComplete } = keys;
  return { target, steps, isComplete, movedFrom: moves ? open.selected : null };
}
