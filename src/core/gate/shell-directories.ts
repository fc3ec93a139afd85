/**
 * The directories in which a relative path of a script may be resolved. A `cd` may fail, be skipped, or run in a subshell, so each one
 * adds candidates and removes none; a rule about a path must hold for all of them.
 */
import { normalizePath } from "./paths.ts";
import type { ShellWord } from "./shell-words.ts";

/** Relative to the start directory or absolute, besides the start itself; null if unknown. */
export type Directories = readonly string[] | null;

const candidatesMax = 8;

/** The directories after a command with a plain name. `repeats`: it is in a loop or a function. */
export function directoryAfter(directories: Directories, words: readonly ShellWord[], repeats: boolean): Directories {
  const name = words[0]?.value;
  if (name === "find") return words.some(changesFolder) ? null : directories;
  if (directories === null || (name !== "cd" && name !== "pushd" && name !== "popd")) return directories;
  const target = targetOf(words);
  if (name === "popd" || target === undefined) return null;
  if (target.startsWith("/") || target.startsWith("~")) return limited([...directories, target]);
  if (repeats) return null;
  return limited([
    ...directories,
    normalizePath(target),
    ...directories.map((base) => normalizePath(`${base}/${target}`)),
  ]);
}

/**
 * The directory behind `cd WORD &&`, from the one before it; undefined if it is not surely that one. With `..` in the word the shell may
 * follow the links before it, or not.
 */
export function folderBehind(folder: string, words: readonly ShellWord[]): string | undefined {
  const [name, target] = words.map(({ value }) => value);
  if (name !== "cd" || words.length !== 2 || target === undefined) return undefined;
  if (!/^[^-+]/.test(target) || /(?:^|\/)\.\.(?:\/|$)/.test(target)) return undefined;
  return target.startsWith("/") ? target : normalizePath(`${folder}/${target}`);
}

/**
 * The directories of a text in which subshells of loops run these commands. Each subshell begins in one of the directories that the rest
 * of the text may go to, also later, because the loop goes round.
 */
export function afterRounds(
  directories: Directories,
  rounds: readonly (readonly (readonly ShellWord[])[])[],
): Directories {
  let all = directories;
  for (const round of rounds) {
    const inside = round.reduce((before, words) => directoryAfter(before, words, false), directories);
    all = all === null || inside === null ? null : limited([...all, ...inside]);
  }
  return all;
}

/** `find -execdir` runs its command in the directory of each file; a computed word may be that option. */
const changesFolder = (word: ShellWord): boolean =>
  word.value === undefined ? word.path === undefined : /^-(?:execdir|okdir)$/.test(word.value);

/** True if the command searches `CDPATH` (bash manual 4.1, "cd"). */
export function usesSearchPath(words: readonly ShellWord[]): boolean {
  const name = words[0]?.value;
  return (name === "cd" || name === "pushd") && !/^(?:[/~]|\.\.?(?:\/|$))/.test(targetOf(words) ?? "/");
}

function limited(directories: readonly string[]): Directories {
  const unique = [...new Set(directories)];
  return unique.length > candidatesMax ? null : unique;
}

/** `cd` alone goes home, `cd -` to the previous directory; options other than -P, -L, -e and -@ are unknown. */
function targetOf(words: readonly ShellWord[]): string | undefined {
  const operands = words.slice(1).filter((word) => !/^-[PLe@]+$|^--$/.test(word.value ?? ""));
  const [target] = operands;
  if (target === undefined) return words[0]?.value === "cd" ? "~" : undefined;
  if (operands.length > 1 || target.path === undefined || /^[-+]/.test(target.path)) return undefined;
  // A word in quotes stays one, also if it is an item that a loop made of a glob.
  return target.value ?? (target.text.startsWith("~") || target.isOne === true ? target.path : undefined);
}
