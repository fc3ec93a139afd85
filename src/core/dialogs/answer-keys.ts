/**
 * Which keys answer a dialog, and whether it went. A mark is moved one step at a time and looked at again before Enter is pressed:
 * some programs take several keys in one read for one key, and Enter must never fall on another option than the one that was meant.
 */
import type { Frame } from "../screen/frame.ts";
import type { Approval, ApprovalOption } from "./approval.ts";
import { withChecks } from "./choices.ts";
import { readDialog, SUBMIT, WAY_OUT, type Dialog, type DialogContext } from "./dialog.ts";
import { fullestReading } from "./fullest-reading.ts";
import { whyUnread } from "./reader.ts";
import { scrolledTo } from "./scrolled-list.ts";

/** A screen to be looked at: `ApprovalFold.context` is the context. */
export interface ShownDialog {
  readonly frame: Frame;
  readonly context: DialogContext;
}

/** Keys by their names for `encodeKeys`. */
export interface AnswerKeys {
  readonly keys: readonly string[];
  /** These keys answer. False: they only move the mark; look at the next frame and ask again. */
  readonly isComplete: boolean;
}

/**
 * The keys to press now so that `option` (an id of `approval.options`) becomes the answer; null where another dialog or none stands on
 * the frame, where it has no such option, where an answer has to be typed as text, or where nobody is known to read it.
 */
export function keysFor(approval: Approval, option: string, { frame, context }: ShownDialog): AnswerKeys | null {
  const shown = readDialog(frame, context);
  const dialog = shown && scrolledTo(approval, shown);
  if (dialog === null || whyUnread(dialog.layout, context) !== null || !isShownNow(approval, dialog)) return null;
  const target = dialog.options.findIndex(({ id }) => id === option);
  const chosen = dialog.options[target];
  if (chosen === undefined) return hiddenOption(approval, option, dialog);
  if (option === WAY_OUT) return { keys: ["Escape"], isComplete: true };
  switch (dialog.layout) {
    case "keys":
      return { keys: [option], isComplete: true };
    case "line":
      return { keys: [...typedFor(chosen), "Enter"], isComplete: true };
    case "choices":
      // Enter submits wherever the mark is.
      return option === SUBMIT ? { keys: ["Enter"], isComplete: true } : moves(dialog, target, "Space");
    case "list":
    case "buttons":
      return moves(dialog, target, "Enter");
    case "unknown":
      return null;
  }
}

/** What is typed for an option of a line. Words are typed as they are shown: "YES" is not always "yes". */
export const typedFor = ({ id, label }: Pick<ApprovalOption, "id" | "label">): string =>
  id.length === 1 || /^\d+$/.test(id) ? id : label;

/** As it was kept, with the same ticks, or a part of it: folded, or drawn in another size. */
function isShownNow(approval: Approval, dialog: Dialog): boolean {
  if (withChecks(approval.options, dialog.options) !== approval.options) return false;
  const fullest = isDialogOf(approval, dialog) ? approval : fullestReading(approval, dialog);
  return fullest !== null && fullest.details === approval.details && fullest.options.length === approval.options.length;
}

/** The same question about the same thing with the same options; where the mark stands does not matter. */
export function isDialogOf(approval: Approval, dialog: Dialog): boolean {
  return (
    approval.question === dialog.question &&
    approval.details === dialog.details &&
    approval.options.length === dialog.options.length &&
    approval.options.every(({ id, label }, index) => {
      const other = dialog.options[index];
      return other?.id === id && other.label === label;
    })
  );
}

/** An option that a cut list does not show: the mark is moved towards it, and one that refuses has the key for leaving. */
function hiddenOption(approval: Approval, option: string, dialog: Dialog): AnswerKeys | null {
  const index = approval.options.findIndex(({ id }) => id === option);
  if (index === -1 || dialog.layout !== "list") return null;
  const leaves = dialog.options.some(({ id }) => id === WAY_OUT);
  if (leaves && approval.options[index]?.effect === "deny") return { keys: ["Escape"], isComplete: true };
  return { keys: ["Down"], isComplete: false };
}

function moves({ above, layout, options, selected }: Dialog, target: number, chooses: string): AnswerKeys | null {
  const from = options.findIndex(({ id }) => id === selected);
  if (from === target) return { keys: [chooses], isComplete: true };
  const [back, forth] = layout === "buttons" ? ["Left", "Right"] : ["Up", "Down"];
  if (from === -1) return above === undefined ? null : { keys: [target >= above ? forth : back], isComplete: false };
  return { keys: [target > from ? forth : back], isComplete: false };
}
