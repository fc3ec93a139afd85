/**
 * Programs that read or change everything below a folder that their words name: a rule about paths has to see `grep -r x ~` as a read of
 * all that is in `~`.
 */
import { isAtOrBelow } from "../sandbox/plan.ts";
import type { PathContext } from "./paths.ts";
import { longOptions } from "./shell-options.ts";
import { unknownWord, valueAt, type ShellWord } from "./shell-words.ts";
import { startsNoWord } from "./shell-wrappers.ts";

interface Walker {
  /** It walks only with an option that matches. Undefined: always. */
  readonly recursive?: RegExp;
  /** It also walks two operands behind such a word. */
  readonly pair?: string;
  /** The next word is the value of such an option, and no folder that is walked. */
  readonly values?: RegExp;
  /** The first operand is a pattern, unless an option that matches gives one. */
  readonly pattern?: RegExp;
  /** Its folders end at the first word that matches. */
  readonly end?: RegExp;
  /** With such an option it reads names of files from a file or its input. */
  readonly lists?: RegExp;
  /** The first word holds options, with or without a dash. */
  readonly isBundled?: true;
  /** It also reads the files that are directly in a folder, without such an option. */
  readonly readsEntries?: true;
  /** With such an option it follows the links that it meets. */
  readonly follows?: RegExp;
}

const either = (short: string, long: string): RegExp => new RegExp(`${short}|${longOptions(long)}`);
const never = "(?!)";
/** Also without words. */
const always = /(?:)/;

/** By the plain names of programs. A letter with a value ends a bundle, so before it stands none of the others with one. */
const walkers: ReadonlyMap<string, Walker> = new Map(
  Object.entries<Walker>({
    "fdfind fd": {
      values:
        /^-[A-Za-z]*[etdESjco]$|^--(?:extension|type|(?:max|min|exact)-depth|exclude|size|threads|color|owner|changed-(?:within|before)|max-results|and)$/,
      pattern: either(never, "search-path base-directory"),
      follows: either("^-[A-Za-z]*L", "follow"),
    },
    "ack ag": { follows: either("^-[A-Za-z]*f", "follow") },
    "7z 7za 7zr jar": { follows: always },
    tree: { follows: /^-[A-Za-z]*l/ },
    ugrep: { follows: either("^-[A-Za-z]*[RS]", "dereference") },
    "ln mount mv unzip": {},
    "bsdtar gtar tar": {
      values: /^-[^bCFfgHIKLNTVX-]*[fX]$|^--(?:file|exclude|exclude-from)$/,
      lists: either("^-?[A-Za-z]*T", "files-from"),
      isBundled: true,
      // -L of bsdtar, which is a length for GNU tar.
      follows: either("^-?[A-Za-z]*[hL]", "dereference"),
    },
    "chattr chgrp chmod chown dir getfacl ls lsattr setfacl vdir": {
      recursive: either("^-[A-Za-z]*R", "recursive"),
      follows: either("^-[A-Za-z]*L", "dereference logical"),
    },
    "bsdcpio cpio pax": { lists: always, follows: either("^-[A-Za-z]*L", "dereference") },
    cp: {
      recursive: either("^-[A-Za-z]*[rRa]", "recursive archive"),
      follows: either("^-[A-Za-z]*L", "dereference"),
    },
    "diff sdiff": { recursive: either("^-[A-Za-z0-9]*r", "recursive"), follows: always, readsEntries: true },
    du: { lists: either(never, "files0-from"), follows: either("^-[A-Za-z0-9]*L", "dereference") },
    "egrep fgrep grep zgrep": {
      recursive: either("^-[A-Za-z]*[rRd]", "recursive dereference-recursive directories"),
      values: /^-[^ABCmdDef-]*[ABCmdDef]$/,
      pattern: either("^-[A-Za-z]*[ef]", "regexp file"),
      follows: either("^-[A-Za-z]*[RS]", "dereference-recursive"),
    },
    find: { end: /^(?:-(?![HLP]$|O\d$)|[!(,])/, lists: /^-files0-from/, follows: /^-L$|^-follow$/ },
    // `git diff` compares two paths as they are if one of them is outside of the repository (git-diff(1), --no-index).
    git: { recursive: either(never, "no-index"), pair: "diff", lists: either(never, "pathspec-from-file") },
    "bzip2 gzip xz zstd": {
      recursive: either("^-[A-Za-z0-9]*r", "recursive"),
      follows: either("^-[A-Za-z0-9]*f", "force"),
    },
    rg: {
      values: /^-[^ABCdEefgjMmrtT-]*[ABCgmtT]$/,
      pattern: either("^-[A-Za-z]*[ef]", "regexp file files"),
      follows: either("^-[A-Za-z]*L", "follow"),
    },
    "rm srm": { recursive: either("^-[A-Za-z]*[rR]", "recursive") },
    rsync: {
      lists: either(never, "files-from"),
      follows: either("^-[A-Za-z]*[Lk]", "copy-links copy-dirlinks copy-unsafe-links"),
    },
    scp: { recursive: /^-[A-Za-z0-9]*r/, follows: always },
    "sort wc": { recursive: /(?!)/, lists: either(never, "files0-from") },
    zip: {
      recursive: either("^-[A-Za-z]*[rR]", "recurse-paths recurse-patterns"),
      lists: /^-[A-Za-z]*@/,
      follows: always,
    },
  }).flatMap(([names, walker]) => names.split(" ").map((name) => [name, walker])),
);

/** They touch only what their words name, beside those of which that is known for another reason. */
const plainReaders = /^(?:[gmn]?awk|cmake|sed|jq)$/;

/**
 * What a command does with the folders in its words:
 * - `tree`: it walks them
 * - `unknown`: it may walk them
 * - `itself`: it touches only the entry that is named
 */
export type Reach = "tree" | "unknown" | "itself";

export interface TreeWalk {
  readonly reach: Reach;
  /** The words that may name a folder that is walked. */
  readonly operands: readonly ShellWord[];
  /** It follows the links that it meets. */
  readonly follows: boolean;
}

/**
 * @example
 * ```ts
 * walkOf(["grep", "-r", "x", ".."].map((word) => literalWord(word))); // reach "tree", operands ["-r", ".."]
 * ```
 */
export function walkOf(words: readonly ShellWord[]): TreeWalk {
  const [first, ...rest] = words;
  const name = first?.value?.slice(first.value.lastIndexOf("/") + 1);
  const walker = name === undefined ? undefined : walkers.get(name);
  if (name === undefined || walker === undefined) {
    const isPlain = name !== undefined && (startsNoWord(name) || plainReaders.test(name));
    return isPlain ? nowhere : { reach: "unknown", operands: rest.filter((word) => !isOption(word)), follows: false };
  }
  const { end, follows: links, lists, pair, readsEntries, recursive } = walker;
  const isIn = (sign: RegExp): boolean => rest.some((word) => mayBe(word, sign));
  const follows = links === always || (links !== undefined && isIn(links));
  const listed = lists === always || (lists !== undefined && rest.some(({ value }) => lists.test(value ?? "")));
  if (listed) return { reach: "tree", operands: [...rest, unknownWord("(names in a file)")], follows };
  const isPair =
    pair !== undefined && rest.some(({ value }) => value === pair) && rest.filter((word) => !isOption(word)).length > 2;
  const isFlat = recursive !== undefined && !isIn(recursive) && !isPair;
  if (isFlat && readsEntries !== true) return nowhere;
  const last = end === undefined ? -1 : rest.findIndex(({ value }) => value !== undefined && end.test(value));
  const folders = foldersIn(last < 0 ? rest : rest.slice(0, last), walker);
  return { reach: isFlat ? "itself" : "tree", operands: folders, follows };
}

const nowhere: TreeWalk = { reach: "itself", operands: [], follows: false };

/** A word that the shell computes may be the option, unless it is known to be a path. */
const mayBe = ({ isStream, path, value }: ShellWord, option: RegExp): boolean =>
  value === undefined ? path === undefined && isStream !== true : option.test(value);

/** What a command prints (`<(ls)`) is no folder either, nor is `-j$(nproc)`. */
const isOption = ({ isStream, path, value }: ShellWord): boolean =>
  isStream === true || (value ?? path)?.startsWith("-") === true;

/** Without the values of options and the pattern of a search. */
function foldersIn(words: readonly ShellWord[], { isBundled, pattern, values }: Walker): readonly ShellWord[] {
  const ends = words.findIndex(({ value }) => value === "--");
  const options = ends < 0 ? words : words.slice(0, ends);
  let hasPattern = pattern === undefined || options.some((word) => mayBe(word, pattern));
  return words.filter((word, at) => {
    const before = ends >= 0 && at > ends ? "" : valueAt(words, at - 1);
    const option = at === 1 && isBundled === true ? before.replace(/^(?!-)/, "-") : before;
    if (values?.test(option) === true) return false;
    if (word.isStream === true) return false;
    if (hasPattern || isOption(word)) return true;
    hasPattern = true;
    return false;
  });
}

/** Folders in which nothing of a user is hidden: those of the system, and the one for everybody. */
const openFolders: readonly string[] = ["/tmp", "/usr", "/bin", "/sbin", "/lib", "/lib64"];

/**
 * May the folder hold a path that a rule names without saying where, such as `**\/.ssh/**`? Not if it lies in the session's directory or
 * is open to everybody: a search there is daily work, and what is secret in it has to be named with its place.
 */
export function mayHold(folder: string, reach: Reach, { home, workingDirectory }: PathContext): boolean {
  if (home !== null && isAtOrBelow(home, folder)) return true;
  if (workingDirectory !== null && workingDirectory !== folder && isAtOrBelow(workingDirectory, folder)) return true;
  if (reach !== "tree") return false;
  if (workingDirectory !== null && isAtOrBelow(folder, workingDirectory)) return false;
  const isOpen = openFolders.some((open) => isAtOrBelow(folder, open));
  return !isOpen || (home !== null && isAtOrBelow(folder, home));
}
