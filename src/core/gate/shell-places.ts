/** Where the reader of a shell text is, and the command that it has read there. */
import type { ShellLaunch } from "./launches.ts";
import type { ShellAction } from "./shell-actions.ts";
import type { ShellWord } from "./shell-words.ts";

export interface TextPlace {
  /** The text that the positions of the node refer to. */
  readonly source: string;
  readonly depth: number;
  /** Inside something that may run more than once, or later. */
  readonly repeats: boolean;
  /** In a subshell of something that repeats: it starts in a folder that another round may have changed. */
  readonly isRound?: true;
  /** `isTop`: directly in the text, where each command runs; `isNamed`: in a command with a name. */
  readonly isTop?: boolean;
  readonly isNamed?: boolean;
}

export interface PlainCommand {
  readonly action: ShellAction;
  /** Its words, the name without its folder. */
  readonly words: readonly ShellWord[];
  readonly launches: readonly ShellLaunch[];
}

export interface Launching {
  readonly text: string;
  readonly place: TextPlace;
  /** The command's input, if the script contains it literally. */
  readonly input: string | undefined;
}
