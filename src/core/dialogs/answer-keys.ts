/**
 * Which keys answer a dialog, and whether it went. A mark is moved one step at a time and looked at again before Enter is pressed:
 * some programs take several keys in one read for one key, and Enter must never fall on another option than the one that was meant.
 */
import type { Frame } from "../screen/frame.ts";
import type { Approval } from "./approval.ts";
import { isUnread, readDialog, type Dialog, type DialogContext } from "./dialog.ts";

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
 * the frame, where it has no such option, where an answer has to be typed as text, or where the kernel reports that an unknown
 * program does not read.
 */
export function keysFor(approval: Approval, option: string, { frame, context }: ShownDialog): AnswerKeys | null {
  const dialog = isUnread(context) ? null : readDialog(frame, context);
  if (dialog === null || !isDialogOf(approval, dialog)) return null;
  const target = dialog.options.findIndex(({ id }) => id === option);
  const chosen = dialog.options[target];
  if (chosen === undefined) return null;
  switch (dialog.layout) {
    case "keys":
      return { keys: [option], isComplete: true };
    case "line":
      return { keys: [...(option.length === 1 ? [option] : chosen.label), "Enter"], isComplete: true };
    case "list":
    case "buttons":
      return moves(dialog, target);
  }
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

function moves(dialog: Dialog, target: number): AnswerKeys | null {
  const from = dialog.options.findIndex(({ id }) => id === dialog.selected);
  if (from === -1) return null;
  if (from === target) return { keys: ["Enter"], isComplete: true };
  const [back, forth] = dialog.layout === "list" ? ["Up", "Down"] : ["Left", "Right"];
  return { keys: [target > from ? forth : back], isComplete: false };
}
