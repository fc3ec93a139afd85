/** What the gate needs of a reader of shell text. It is an argument, so that a gate without shell tools does not contain the parser. */
import type { CommandFolders } from "./command-folders.ts";
import type { ShellAnalysis } from "./shell-analysis.ts";
import type { ShellWord } from "./shell-words.ts";
import type { TreeWalk } from "./tree-walkers.ts";
import type { CallDirectory } from "./working-directory.ts";

/** Reads the shell text of calls into actions for the rules of a policy: `shell` of `lectern/shell`. */
/** What the records of programs say about the words of a command. They are with the reader, because only its actions are commands. */
export interface ProgramFacts {
  readonly foldersOf: (words: readonly ShellWord[]) => CommandFolders;
  readonly patternsAt: (words: readonly ShellWord[]) => readonly number[];
  readonly walkOf: (words: readonly ShellWord[]) => TreeWalk;
}

export interface ShellJudge {
  readonly programs: ProgramFacts;
  /** Reads the text at the pointer in the arguments; `directory`: where the text may run, by the other arguments. */
  readonly read: (
    pointer: readonly string[],
    call: { readonly name: string; readonly arguments: unknown },
    directory: CallDirectory,
  ) => ShellAnalysis;
}

/** Without a reader of shell text: any word may name a folder that is walked. */
export const unreadPrograms: ProgramFacts = {
  foldersOf: (words) => ({ folders: [undefined], rest: words }),
  patternsAt: () => [],
  walkOf: (words) => ({ reach: "unknown", operands: words.slice(1), follows: true }),
};
