/**
 * Programs that read or change everything below a folder that their words name: a rule about paths has to see `grep -r x ~` as a read of
 * all that is in `~`.
 */
import type { Program, Section } from "./program-entry.ts";
import { splitWords, type ProgramWords } from "./program-words.ts";
import { programNamed } from "./programs.ts";
import { longOptions } from "./shell-options.ts";
import { unknownWord, type ShellWord } from "./shell-words.ts";
import { startsNoWord } from "./shell-wrappers.ts";

/**
 * What a command does with the folders in its words:
 * - `tree`: it walks them
 * - `filled`: it writes names there that its words do not have
 * - `unknown`: it may walk them
 * - `itself`: it touches only the entry that is named
 */
export type Reach = "tree" | "filled" | "unknown" | "itself";

export interface TreeWalk {
  readonly reach: Reach;
  /** The words that may name a folder that is walked. */
  readonly operands: readonly ShellWord[];
  /** It follows the links that it meets. */
  readonly follows: boolean;
}

/** `walkOf(["grep", "-r", "x", ".."].map((word) => literalWord(word))); // reach "tree", operands [".."]` */
export function walkOf(words: readonly ShellWord[]): TreeWalk {
  const name = words[0]?.value?.slice(words[0].value.lastIndexOf("/") + 1);
  const program = name === undefined ? undefined : programNamed(name);
  if (name === "git") return walkOfGit(words.slice(1));
  if (name === undefined || program === undefined || !mayWalk(program)) {
    const isPlain = name !== undefined && (startsNoWord(name) || touchesOnlyNamed(program));
    const named = words.slice(1).filter((word) => !isOption(word));
    return isPlain ? nowhere : { reach: "unknown", operands: named, follows: false };
  }
  const split = splitWords(words, program);
  const mode = split.options.flatMap(({ spec }) => program.modes.get(spec) ?? [])[0];
  return walkOfProgram(split, mode ?? program);
}

function walkOfProgram(split: ProgramWords, program: Program): TreeWalk {
  const { entry, roles, sections } = program;
  // A word that is not read may be any option.
  const has = (section: Section): boolean =>
    split.options.some(({ spec }) => spec.section === section) || (split.unknown.length > 0 && sections.has(section));
  const readsEntries = entry.walks === "entries";
  const follows = entry.walks === "links" || has("follows");
  const isListed = entry.walks === "list" || split.options.some(({ spec }) => spec.section === "names");
  const walks = has("tree") || follows || (entry.walks !== "option" && !readsEntries && isTreeOf(program));
  if (!walks && !isListed && !readsEntries) return nowhere;
  const pattern = roles[0]?.name === "pattern" && !split.options.some(({ spec }) => givesPattern.test(spec.section));
  const values = split.options.flatMap(({ spec, value }) =>
    value !== null && /^(?:list|into|target)$/.test(spec.section) ? [value] : [],
  );
  const operands = split.operands.slice(pattern ? 1 : 0).map(({ word }) => word);
  const folders = [...operands, ...values, ...split.unknown.map(({ word }) => word)].filter(
    (word) => word.isStream !== true,
  );
  if (readsEntries) return { reach: walks ? "tree" : "itself", operands: folders, follows: true };
  return { reach: "tree", operands: isListed ? [...folders, unknownWord("(names in a file)")] : folders, follows };
}

const givesPattern = /(?:^|-)pattern$/;

const isTreeOf = ({ does, modes, roles }: Program): boolean =>
  modes.values().some(isTreeOf) ||
  roles.some(({ isTree }) => isTree) ||
  does.some(({ isTree, kind }) => isTree && kind === "replace");

const walking: readonly Section[] = ["tree", "follows", "names"];

/** Can it walk a folder? */
const mayWalk = (program: Program): boolean =>
  program.entry.walks !== undefined ||
  (program.entry.does !== "code" && isTreeOf(program)) ||
  walking.some((section) => program.sections.has(section));

/** It touches only what its words name, though it takes code. */
const touchesOnlyNamed = (program: Program | undefined): boolean =>
  program !== undefined &&
  (program.entry.script !== undefined || program.roles[0]?.name === "script" || program.entry.launch === "cmake");

/** `git diff` compares two paths as they are if one of them is outside of the repository (git-diff(1), --no-index). */
function walkOfGit(words: readonly ShellWord[]): TreeWalk {
  if (words.some(({ value }) => listsPaths.test(value ?? "")))
    return { reach: "tree", operands: [...words, unknownWord("(names in a file)")], follows: false };
  const isPair = words.some(({ value }) => value === "diff") && words.filter((word) => !isOption(word)).length > 2;
  const isWalked = isPair || words.some((word) => mayBe(word, comparesPaths));
  return isWalked ? { reach: "tree", operands: words, follows: false } : nowhere;
}

const listsPaths = new RegExp(longOptions("pathspec-from-file"));
const comparesPaths = new RegExp(longOptions("no-index"));

const nowhere: TreeWalk = { reach: "itself", operands: [], follows: false };

/** A word that the shell computes may be the option, unless it is known to be a path. */
const mayBe = ({ isStream, path, value }: ShellWord, option: RegExp): boolean =>
  value === undefined ? path === undefined && isStream !== true : option.test(value);

/** What a command prints (`<(ls)`) is no folder either, nor is `-j$(nproc)`. */
const isOption = ({ isStream, path, value }: ShellWord): boolean =>
  isStream === true || (value ?? path)?.startsWith("-") === true;
