/** Words of searches and editors that are patterns or programs: a rule that allows by paths does not take them for files. */
import { valueAt, type ShellWord } from "./shell-words.ts";

interface Shape {
  /** Options without a value that may come before the pattern. */
  readonly flags: RegExp;
  /** Options whose value is the next word and no file. */
  readonly values?: RegExp;
  /** With such an option there is no pattern among the operands. */
  readonly given: RegExp;
}

const grep: Shape = {
  flags:
    /^-[abcEFGHhIiLlnoPqRrsTUVvwxyzZ\d]+$|^--(?:[a-z-]+=.*|(?:ignore-case|line-number|recursive|count|word-regexp|no-filename|with-filename|only-matching|invert-match|extended-regexp|fixed-strings|perl-regexp|files-with-matches|quiet)$)/,
  given: /^-[A-Za-z\d]*[ef]|^--(?:re|fil)/,
};

const shapes: ReadonlyMap<string, Shape> = new Map([
  ...["grep", "egrep", "fgrep"].map((name) => [name, grep] as const),
  [
    "rg",
    {
      flags:
        /^-[acFHIiLlNnoPpqSsUuvwxz0.]+$|^--(?:hidden|no-ignore|no-filename|no-heading|line-number|ignore-case|smart-case|fixed-strings|only-matching|files-with-matches|count|multiline|pcre2|word-regexp)$/,
      given: /^-[A-Za-z\d.]*[ef]|^--(?:reg|fil)/,
    },
  ],
  [
    "sed",
    {
      flags: /^-[nErszu]+$|^-[nErszu]*i\S*$|^--(?:quiet|silent|regexp-extended|in-place(?:=.*)?|null-data|posix)$/,
      given: /^-[nErszu]*[ef]|^--(?:e|f)/,
    },
  ],
  ["awk", { flags: /^-F.+$/, values: /^-F$/, given: /^-[fEei]|^--/ }],
]);

/** Indexes of the words; none if the options before them are not known. */
export function patternsAt(words: readonly ShellWord[]): readonly number[] {
  const name = valueAt(words, 0);
  const shape = shapes.get(name);
  if (shape === undefined) return [];
  const given = words.flatMap(({ value }, at) => (shape.given.test(value ?? "") ? [at] : []));
  if (given.length > 0) {
    const isPlain = name === "sed" && given.every((at) => /^-[nErsz]*e$/.test(valueAt(words, at)));
    // `-e -e p`: the second one is the program of the first.
    return isPlain && given.every((at) => !given.includes(at - 1)) ? given.map((at) => at + 1) : [];
  }
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined) return [];
    if (shape.values?.test(value) === true) at += 1;
    else if (!value.startsWith("-")) return [at];
    else if (!shape.flags.test(value)) return [];
  }
  return [];
}
