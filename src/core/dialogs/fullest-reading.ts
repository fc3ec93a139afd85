/**
 * Merges two readings of one dialog. What was read once is kept while the agent folds it, cuts it, scrolls a part of it away, or draws it
 * in another size.
 *
 * Law: when in doubt, they are two dialogs. Only a reading with a sign that it is incomplete can be the shorter form of another one; any
 * other difference than line breaks is another dialog.
 */
import type { ApprovalOption, QuestionSubject } from "./approval.ts";
import { WAY_OUT, type Dialog } from "./dialog.ts";
import { ELLIPSIS_END, isFoldMark } from "./fold-mark.ts";
import { squash } from "../text/squash.ts";

export type QuestionReading = QuestionSubject & Pick<Dialog, "question" | "details" | "options" | "isComplete">;

/** The fuller of the two; null if they are readings of two dialogs. */
export function fullestReading(kept: QuestionReading, seen: QuestionReading): QuestionReading | null {
  if (!isSameText(kept.question, seen.question)) return null;
  const options = fullestOptions(kept, seen);
  if (options === null) return null;
  const isSame = squash(kept.details) === squash(seen.details);
  if (isSame && kept.isComplete === seen.isComplete) return { ...subjectAndText(kept), options };
  if (!seen.isComplete && isShortened(seen, kept)) return { ...subjectAndText(kept), options };
  return !kept.isComplete && isShortened(kept, seen) ? { ...subjectAndText(seen), options } : null;
}

const subjectAndText = (reading: QuestionReading): Omit<QuestionReading, "options"> => {
  const { tool, command, change, directory, reason, question, details, isComplete } = reading;
  return { tool, command, change, directory, reason, question, details, isComplete };
};

/** Cut lists show the first options, cut labels their beginning. */
function fullestOptions(kept: QuestionReading, seen: QuestionReading): readonly ApprovalOption[] | null {
  const [more, less] =
    listed(kept).length >= listed(seen).length ? [listed(kept), listed(seen)] : [listed(seen), listed(kept)];
  const fits = less.every(({ id, label }, index) => {
    const other = more[index];
    return other?.id === id && isSameLabel(other.label, label);
  });
  if (!fits) return null;
  if (less.length < more.length) return less.length === 0 || kept.isComplete !== seen.isComplete ? more : null;
  // A complete label is not made longer by a hint that a library shows beside the option that is marked.
  const longest = more.map((option, index) => {
    const other = kept.isComplete ? undefined : less[index];
    return other !== undefined && squash(other.label).length > squash(option.label).length ? other : option;
  });
  // The way out of a list that was cut is needed as long as no option refuses.
  return longest.some(({ effect }) => effect === "deny") ? longest : kept.options;
}

/** The options that the list itself shows. */
const listed = ({ options }: QuestionReading): readonly ApprovalOption[] => options.filter(({ id }) => id !== WAY_OUT);

function isSameLabel(one: string, two: string): boolean {
  const [long, short] = [squash(one), squash(two)].toSorted((first, second) => second.length - first.length);
  return long?.startsWith((short ?? "").replace(ELLIPSIS_END, "")) === true;
}

/** Every piece of `part` is in `whole`, in order. */
function isShortened(part: QuestionReading, whole: QuestionReading): boolean {
  const text = squash(whole.details);
  let at = 0;
  for (const piece of piecesOf(part.details)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return true;
}

/** What is between the places at which a text was folded or cut. */
function piecesOf(details: string): string[] {
  const pieces = [""];
  for (const row of details.split("\n")) {
    if (isFoldMark(row)) pieces.push("");
    else {
      const isCut = ELLIPSIS_END.test(row);
      pieces[pieces.length - 1] += squash(isCut ? row.replace(ELLIPSIS_END, "") : row);
      if (isCut) pieces.push("");
    }
  }
  return pieces.filter((piece) => piece !== "");
}

const isSameText = (one: string, two: string): boolean => {
  const [long, short] = [squash(one), squash(two)].toSorted((first, second) => second.length - first.length);
  return long === short || ((short ?? "").endsWith("…") && long?.startsWith((short ?? "").slice(0, -1)) === true);
};
