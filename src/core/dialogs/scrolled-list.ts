/**
 * A list that is longer than its window scrolls while its mark is moved: other rows are shown, and it is the same question. What was asked
 * stays what it is, so that an answer falls on a label that was read.
 */
import type { Approval } from "./approval.ts";
import { withChecks } from "./choices.ts";
import type { Dialog } from "./dialog.ts";

/** So many options both windows show, at least. */
const OVERLAP_MIN = 2;

/**
 * `dialog` with the options of `asked` if it is a window of the same list further up or down, else `dialog` itself. Its mark is null where it
 * is on an option that was not shown before.
 */
export function scrolledTo(asked: Pick<Approval, "question" | "details" | "options">, dialog: Dialog): Dialog {
  const isList = dialog.layout === "list" || dialog.layout === "choices";
  if (!isList || asked.question !== dialog.question || asked.details !== dialog.details) return dialog;
  const [kept, seen] = [shownOf(asked), shownOf(dialog)];
  const shift = shiftOf(
    kept.map(({ label }) => label),
    seen.map(({ label }) => label),
  );
  if (shift === 0) return dialog;
  const named = seen.map((option, index) => ({ ...option, id: kept[index + shift]?.id ?? "" }));
  const marked = seen.findIndex(({ id }) => id === dialog.selected);
  const at = marked + shift;
  const selected = marked === -1 ? null : (kept[at]?.id ?? null);
  const options = withChecks(
    asked.options,
    named.filter(({ id }) => id !== ""),
  );
  const above = selected === null && marked !== -1 ? { above: at < 0 ? 0 : kept.length } : {};
  return { ...dialog, options, selected, ...above };
}

/** Those that the window shows: the keys of a dialog are named by words. */
const shownOf = ({ options }: Pick<Approval, "options">): Approval["options"] =>
  options.filter(({ id }) => /^\d+$/.test(id));

/** How many rows further down the window is; 0 if it is in the same place, or if it shows another list. */
function shiftOf(kept: readonly string[], seen: readonly string[]): number {
  if (new Set(kept).size < kept.length || new Set(seen).size < seen.length) return 0;
  const [first = ""] = seen;
  const down = kept.indexOf(first);
  const up = seen.indexOf(kept[0] ?? "");
  const shift = down === -1 ? -up : down;
  const isShifted = down !== -1 || up !== -1;
  const common = seen.filter((_, index) => kept[index + shift] !== undefined);
  const isSame = seen.every((label, index) => (kept[index + shift] ?? label) === label);
  return isShifted && isSame && common.length >= OVERLAP_MIN ? shift : 0;
}
