/** What a shell text does, as far as it can be read without running it. */
import type { ShellAction } from "./shell-actions.ts";
import type { Directories } from "./shell-directories.ts";

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
