/**
 * `sed`, `awk` and the substitutions of Perl: agents use them to read and edit files, so a program of theirs passes if it verifiably
 * starts nothing, and reads and writes no other file than those in its words.
 */
import { mayBeOption, valueAt, type ShellWord } from "./shell-words.ts";

type Reading = (words: readonly ShellWord[]) => boolean;

const readers: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ...["awk", "gawk", "mawk", "nawk", "original-awk"].map((name) => [name, isReadingAwk] as const),
  ...["sed", "gsed"].map((name) => [name, isReadingSed] as const),
  ["perl", isSubstitutingPerl] as const,
]);

/** A program that takes code in its words always, other than Perl, which also runs files. */
export const isEditor = (name: string): boolean => readers.has(name) && name !== "perl";

/** `words` begins with the plain name. */
export const onlyEdits = (words: readonly ShellWord[]): boolean => readers.get(valueAt(words, 0))?.(words) === true;

/** Longer programs count as code. */
const programCharsMax = 2_000;

/** The program runs no command, opens only the files of the words, and calls no computed function. */
function isReadingAwk(words: readonly ShellWord[]): boolean {
  let at = 1;
  for (; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined && !/^-[Fv]/.test(words[at]?.text ?? "")) return false;
    if (value === "-F" || value === "-v") {
      at += 1;
      if (words[at]?.value === undefined && words[at]?.isOne !== true) return false;
    } else if (value === "--") {
      at += 1;
      break;
    } else if (value === undefined || !/^-[Fv]./.test(value)) break;
  }
  const program = words[at]?.value;
  if (program === undefined || program.startsWith("-") || program.length > programCharsMax) return false;
  // A path, so another reading of the options has the program elsewhere.
  if (/^(?:\.{1,2}|~)\//.test(program)) return false;
  const plain = program.replaceAll("||", " ").replaceAll(">=", " ");
  return !/[|@]|system|getline|ARGV|close|fflush/.test(plain) && !mayPrintToFile(plain);
}

/** Outside of `print` and `printf` a `>` compares. Strings are removed first; a `/` may begin a pattern that hides one. */
function mayPrintToFile(program: string): boolean {
  const bare = program.replaceAll(/"(?:[^"\\\n]|\\[^\n])*"/g, "0");
  if (/["/#\\\r]/.test(bare)) return program.includes(">") && program.includes("print");
  // A line feed behind a comma does not end the statement.
  return bare.split(/[{};]/).some((statement) => /print.*>/s.test(statement));
}

// A suffix with a slash puts the copy into another folder.
const sedFlags =
  /^(?:-[nErszu]+|-i[^/eEnrsuzf]*|-[nErszu]+i|--(?:quiet|silent|regexp-extended|in-place(?:=[^/]*)?|null-data|posix|sandbox|version|help|separate|unbuffered))$/;

function isReadingSed(words: readonly ShellWord[]): boolean {
  const scripts: (string | undefined)[] = [];
  const operands: ShellWord[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word?.value;
    if (word === undefined) continue;
    if (value === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (value !== undefined && (/^-[nErsz]*e$/.test(value) || value === "--expression"))
      scripts.push(words[(at += 1)]?.value);
    else if (value?.startsWith("--expression=") === true) scripts.push(value.slice("--expression=".length));
    else if (value === undefined || !value.startsWith("-") || value === "-") operands.push(word);
    else if (!sedFlags.test(value)) return false;
  }
  // GNU sed accepts options after the files, so a computed word can be one.
  if (operands.some(mayBeOption)) return false;
  const all = scripts.length > 0 ? scripts : operands.slice(0, 1).map(({ value }) => value);
  return all.every((script) => script !== undefined && isReadingScript(script));
}

const address = String.raw`(?:\d+(?:~\d+)?|\$|/(?:[^\\/\n[]|\\.|\[[^\]\n/]*\])*/[IM]*)`;
const sedCommand = new RegExp(
  String.raw`[\s;]*(?:#[^\n]*(?:\n|$)|(?:${address}(?:\s*,\s*(?:${address}|[+~]\d+))?\s*)?(?:!\s*)?(?:` +
    [
      String.raw`[pdDPnNgGhHx=lFz{}]`,
      String.raw`[qQ]\s*\d*`,
      String.raw`[bt]\s*\w*|:\s*\w+`,
      String.raw`[aic]\s*\\?\n?[^\\\n]*(?:\n|$)`,
      String.raw`s([/|#,@:!%+~])(?:(?!\1)[^\\\n[]|\\.|\[(?:(?!\1)[^\]\n])*\])*\1(?:(?!\1)[^\\\n]|\\[\s\S])*\1[gpiImM\d]*`,
      String.raw`y([/|#,@:!%+~])(?:(?!\2)[^\\\n]|\\.)*\2(?:(?!\2)[^\\\n]|\\.)*\2`,
    ].join("|") +
    String.raw`)[ \t]*(?=[;\n}#]|$|(?<=[{}]))|$)`,
  "y",
);

/** True if each command of the script only edits the text that passes through. Programs disagree about `[]]` and `[^]]`. */
function isReadingScript(script: string): boolean {
  if (script.length > programCharsMax || /\[\^?\]/.test(script)) return false;
  let at = 0;
  while (at < script.length) {
    sedCommand.lastIndex = at;
    const end = sedCommand.exec(script) === null ? -1 : sedCommand.lastIndex;
    if (end <= at) return script.slice(at).trim() === "";
    at = end;
  }
  return true;
}

/** `-i` takes the rest of the word: `-pie` and `-pi.e` edit in place with backups, and the next word is a file of code. */
const perlOptions = /^-(?:[pnlw]|0[0-7]{0,3})*(?:(e)|i(?:\.\w+)?)?$/;

/**
 * Only substitutions. A pattern has no code (`(?{...})`, `(*{...})`) and a text no expression (`@{[...]}`, `$1[...]`), and the program
 * does not end in `e`. `-p` opens its files as `open` does with two arguments: `x|` is a command, so a name is plain.
 */
const perlSubstitution = new RegExp(
  ["/", "\\|", "#", ","]
    .map((end) => {
      const pattern = String.raw`(?:(?!${end})[^$@\\\n(]|\\[^NpPkg\n]|\((?!\*|\?)|\(\?(?:[:=!]|<[=!])|\$(?=${end}|[)|]))*`;
      const text = String.raw`(?:(?!${end})[^$@\\\n]|\\[^NcxoQ\n]|\$\d(?![\w[{:-]))*`;
      return `s${end}${pattern}${end}${text}${end}[gims]*`;
    })
    .map((form) => `(?:${form})`)
    .join("|"),
);
const perlProgram = new RegExp(
  `^\\s*(?:${perlSubstitution.source})(?:\\s*;\\s*(?:${perlSubstitution.source}))*\\s*;?\\s*$`,
);
const plainName = /^[\w./][\w./+@%=-]*$/;

function isSubstitutingPerl(words: readonly ShellWord[]): boolean {
  let at = 1;
  let programs = 0;
  for (; words[at]?.value?.startsWith("-") === true; at += 1) {
    const option = perlOptions.exec(valueAt(words, at));
    if (option === null) return false;
    if (option[1] === undefined) continue;
    at += 1;
    programs += 1;
    const program = words[at]?.value;
    if (program === undefined || program.length > programCharsMax || !perlProgram.test(program)) return false;
  }
  return programs > 0 && words.slice(at).every(({ path, value }) => isPlainName(value ?? path));
}

/** A glob in the middle of a name leaves its beginning and its end. */
const isPlainName = (name: string | undefined): boolean =>
  name !== undefined && plainName.test(name.replaceAll("*", "x")) && !name.startsWith("*") && !name.endsWith("*");
