/**
 * `sed`, `awk` and the substitutions of Perl: agents use them to read and edit files, so a program of theirs passes if it verifiably
 * starts nothing, and reads and writes no other file than those in its words.
 */
import type { ShellWord } from "./shell-words.ts";

const readers: ReadonlyMap<string, (words: readonly ShellWord[]) => boolean> = new Map([
  ...["awk", "gawk", "mawk", "nawk", "original-awk"].map((name) => [name, isReadingAwk] as const),
  ...["sed", "gsed"].map((name) => [name, isReadingSed] as const),
]);

export const isEditor = (name: string): boolean => readers.has(name);

/** `words` begins with the plain name of a program for which `isEditor` is true. */
export const onlyEdits = (words: readonly ShellWord[]): boolean => readers.get(words[0]?.value ?? "")?.(words) === true;

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
  const plain = program.replaceAll("||", " ").replaceAll(">=", " ");
  return !/[|@]|system|getline|ARGV|close|fflush/.test(plain) && !(plain.includes(">") && plain.includes("print"));
}

const sedFlags =
  /^(?:-[nErszu]+|-i[^eEnrsuzf]*|-[nErszu]+i|--(?:quiet|silent|regexp-extended|in-place(?:=.*)?|null-data|posix|sandbox|version|help|separate|unbuffered))$/;

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
  if (operands.some((word) => word.value === undefined && word.path === undefined && word.isOne !== true)) return false;
  const all = scripts.length > 0 ? scripts : operands.length > 0 ? [operands[0]?.value] : [];
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
