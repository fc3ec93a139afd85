/** What a shell text does, as far as it can be read without running it. */
import type { ShellAction } from "./shell-actions.ts";
import type { Directories } from "./shell-directories.ts";
import type { CallDirectory } from "./working-directory.ts";

export interface ShellAnalysis {
  readonly actions: readonly ShellAction[];
  readonly directories: Directories;
  /** The one directory of commands that run only after a `cd` has succeeded: `cd x && ls`. */
  readonly folders: ReadonlyMap<ShellAction, string>;
  /** The actions run one after the other, as they are in the list: there is no loop, pipe, function or substitution. */
  readonly isInOrder: boolean;
  /** The text sets `HOME`, so the meaning of `~` in it is unknown. */
  readonly setsHome: boolean;
}

/** Of a text that is not read: it may be anywhere. */
export const unreadAnalysis = (action: ShellAction): ShellAnalysis => ({
  actions: [action],
  directories: null,
  folders: new Map(),
  isInOrder: true,
  setsHome: true,
});

/** Reads the shell text of calls into actions for the rules of a policy: `shell` of `lectern/shell`. */
export interface ShellJudge {
  /** Reads the text at the pointer in the arguments; `directory`: where the text may run, by the other arguments. */
  readonly read: (
    pointer: readonly string[],
    call: { readonly name: string; readonly arguments: unknown },
    directory: CallDirectory,
  ) => ShellAnalysis;
}
