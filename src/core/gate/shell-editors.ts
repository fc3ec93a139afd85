/**
 * `sed`, `awk` and the substitutions of Perl: agents use them to read and edit files, so a program of theirs passes if it verifiably
 * starts nothing, and reads and writes no other file than those in its words.
 */
import type { SplitCommand } from "./launches.ts";
import type { Section } from "./program-entry.ts";
import { valueAt } from "./shell-words.ts";

interface Language {
  readonly isEdit: (script: string) => boolean;
  /** A word that names copies: with a slash they would be in another folder. */
  readonly copies?: RegExp;
  /** Only options have scripts, and each file has such a name. */
  readonly files?: RegExp;
}

/** By the `script` of a record. */
const languages: ReadonlyMap<string, Language> = new Map<string, Language>([
  ["awk", { isEdit: isReadingAwk }],
  ["sed", { isEdit: isReadingSed, copies: /^-(?:i|-in-place=)[^/]*$/ }],
  // `-p` opens its files as `open` does with two arguments: `x|` is a command. A glob in the middle of a name leaves both of its ends.
  [
    "perl",
    { isEdit: (script) => perlProgram.test(script), copies: /^-[^/]*$/, files: /^(?!\*)[\w./*][\w./+@%=*-]*(?<!\*)$/ },
  ],
]);

const editing: ReadonlySet<Section> = new Set<Section>(["nothing", "ends", "script", "operands-replace"]);

/** Longer programs count as code. */
const programCharsMax = 2_000;

/** It has scripts, or a question, and nothing else than what edits the files of its words. */
export function onlyEdits({ program, split: { operands, options, unknown }, words }: SplitCommand): boolean {
  const language = languages.get(program.entry.script ?? "");
  if (language === undefined || unknown.length > 0) return false;
  const { copies, files, isEdit } = language;
  const isKnown = options.every(
    ({ at, spec, value }) =>
      editing.has(spec.section) &&
      (spec.section !== "operands-replace" || value === null || copies?.test(valueAt(words, at)) === true),
  );
  const given = options.flatMap(({ spec, value }) => (spec.section === "script" ? [value?.value] : []));
  const scripts = given.length > 0 || files !== undefined ? given : operands.slice(0, 1).map(({ word }) => word.value);
  const isWhole = scripts.length > 0 || options.some(({ spec }) => spec.section === "ends");
  return (
    isKnown &&
    isWhole &&
    scripts.every((script) => script !== undefined && script.length <= programCharsMax && isEdit(script)) &&
    (files === undefined || operands.every(({ word }) => files.test(word.value ?? word.path ?? "")))
  );
}

/** The program runs no command, opens only the files of the words, and calls no computed function. */
function isReadingAwk(program: string): boolean {
  // An option or a path, so another reading of the options has the program elsewhere.
  if (/^-|^(?:\.{1,2}|~)\//.test(program)) return false;
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
function isReadingSed(script: string): boolean {
  if (/\[\^?\]/.test(script)) return false;
  let at = 0;
  while (at < script.length) {
    sedCommand.lastIndex = at;
    const end = sedCommand.exec(script) === null ? -1 : sedCommand.lastIndex;
    if (end <= at) return script.slice(at).trim() === "";
    at = end;
  }
  return true;
}

/**
 * Only substitutions. A pattern has no code (`(?{...})`, `(*{...})`) and a text no expression (`@{[...]}`, `$1[...]`), and the program
 * does not end in `e`.
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
