/** Questions of programs that read a line: they stand in front of the cursor and say which answers there are. */
import type { ApprovalKind } from "./approval.ts";
import type { ShownOption } from "./option-list.ts";

export interface LineQuestion {
  readonly question: string;
  readonly kind: ApprovalKind | null;
  readonly options: readonly ShownOption[];
}

const questionCharsMax = 500;
/** `[y/N]`, `(yes/no)`, `[Y/n/a]`, `(yes/no/[fingerprint])`, with what follows it up to the answer. */
const choices = /[[(]\s*(y(?:es)?\/n(?:o)?(?:\/\[?\w+\]?){0,6}|n(?:o)?\/y(?:es)?)\s*[\])]\s*(?:[:?]\s*)?$/i;
/** `(Y)es/(N)o/(D)on't ask again [Yes]:` */
const initials = /((?:\(\w\)[\w' ]+\/)+\(\w\)[\w' ]+?)\s*(?:\[(\w+)\])?:\s*$/;
/** `[y,n,q,a,d,/,e,?]?` of git: a capital is another key. */
const letters = /\[((?:[A-Za-z/],)+[A-Za-z?])\]\?\s*$/;
const secrets =
  /(?:\b(?:password|passphrase|passcode|PIN|verification code|one-time code|authentication code|OTP)\b[^:?]{0,80}|^\[sudo\][^:]{0,80}|^Username for '[^']+'|^Username|\blogin):\s*$/i;

/**
 * The question in a line that ends at the cursor; null where it is none. Other words than these are left to the kernel's word that
 * the program reads a line.
 */
export function lineQuestion(line: string): LineQuestion | null {
  const text = line.slice(-questionCharsMax);
  const choice = choices.exec(text);
  if (choice !== null && /\w/.test(text.slice(0, choice.index)))
    return { question: text.trim(), kind: null, options: optionsOf(choice[1] ?? "") };
  const initial = initials.exec(text);
  if (initial !== null)
    return { question: text.trim(), kind: null, options: optionsOfInitials(initial[1] ?? "", initial[2]) };
  const keys = letters.exec(text)?.[1]?.match(/[A-Za-z]/g);
  if (keys != null)
    return { question: text.trim(), kind: null, options: keys.map((id) => ({ id, label: id, isSelected: false })) };
  return secrets.test(text) ? { question: text.trim(), kind: "login", options: [] } : null;
}

/** The one in capitals is what Enter alone gives. */
function optionsOf(words: string): ShownOption[] {
  const labels = words.split("/").map((word) => word.replaceAll(/[[\]]/g, ""));
  const capitals = labels.filter((label) => /^\p{Lu}/u.test(label));
  return labels.map((label) => ({
    id: label.toLowerCase(),
    label,
    isSelected: capitals.length === 1 && label === capitals[0],
  }));
}

const optionsOfInitials = (words: string, standard: string | undefined): ShownOption[] =>
  words.split("/").map((word) => {
    const label = word.replaceAll(/[()]/g, "").trim();
    return { id: label.slice(0, 1).toLowerCase(), label, isSelected: label === standard };
  });

/** `y/n`, `[yN]`, `<o/n>`, `[yes|no]`, `(1=yes`, in one or two letters of any script or in words. */
const alternatives =
  /[[(<{]\s*(?:\d=)?\p{L}{1,9}(?:\s*[/|]\s*\p{L}{1,9})+|[[(<](?:n[yjos]|[yjos]n)[\])>]|\b\w+ or \w|\b(?:y|yes|no?|j|o|s)\s*[/|]\s*(?:n|no|y|yes)\b|[[(]\p{L}[\])]\p{L}+ /iu;
const words = /\p{L}{2,}\S*\s+\p{L}\S*\s+\p{L}/u;

/**
 * Whether a line without a rule may be a question, so that a text could be its answer: it has alternatives, a question mark, or a sentence.
 * `mayAsk("Delete [yes|no] > "); // true`
 */
export const mayAsk = (line: string): boolean =>
  alternatives.test(line) || /[?\uFF1F\u061F]/.test(line) || (words.test(line) && !/[/~@\\]/.test(line));
