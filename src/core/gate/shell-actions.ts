/** The actions that a shell text is read into. */
import type { ProgramReading } from "./effects.ts";
import type { RuleWords } from "./git-words.ts";
import type { ShellWord } from "./shell-words.ts";
import type { StartedWords } from "./shell-wrappers.ts";
import { visibleText } from "./visible-text.ts";

/**
 * - `syntax`: bash rejects it, or the parser does
 * - `computed-name`: the program is only known at run time
 * - `launcher`: a program that runs another one, or code in its arguments, in a way that is not analysed
 * - `computed-script`: shell text that is made at run time
 * - `input-script`: a shell that runs its input (`curl ... | sh`)
 * - `arithmetic`, `expansion`: bash evaluates text in them as code
 * - `unreadable-characters`: control, bidirectional or invisible characters, which show people another text than bash reads
 * - `confusable-name`: a command name with non-ASCII letters
 * - `too-large`, `too-deep`: over the limits
 * - `program`: a program of another language, which may call other tools, or keys for a program that runs already
 * - `no-text`: the call has no text at its tool's pointer
 * - `working-directory`: an argument may change where the text runs
 * - `second-text`: an argument beside the text may be shell text too
 * - `unknown-words`: the program has a record, which does not know all of its words
 */
export type OpaqueReason =
  | "syntax"
  | "computed-name"
  | "launcher"
  | "computed-script"
  | "input-script"
  | "arithmetic"
  | "expansion"
  | "unreadable-characters"
  | "confusable-name"
  | "too-large"
  | "too-deep"
  | "program"
  | "no-text"
  | "working-directory"
  | "second-text"
  | "unknown-words";

export type ShellAction =
  | {
      readonly type: "command";
      /** The name first. Never empty. */
      readonly words: readonly ShellWord[];
      /** The words that rules match, if they differ from those that were written. */
      readonly ruled?: RuleWords;
      /** It only launches another command, which is judged by itself: no rule needs to allow this one. */
      readonly transparent: boolean;
      /** The words that a program which is in no table may start as commands. */
      readonly started?: StartedWords;
      /** What it does, if its program has a record. */
      readonly reading?: ProgramReading;
      readonly text: string;
    }
  | {
      readonly type: "redirect";
      readonly access: "read" | "write";
      readonly target: ShellWord;
      /** The shell opens it before it starts the command in front of it. */
      readonly isFirst?: true;
      readonly text: string;
    }
  | {
      readonly type: "assignment";
      readonly name: string;
      /** A program runs the value as a command, or loads the code it names (`GIT_SSH_COMMAND`, `LD_PRELOAD`). */
      readonly namesCommand: boolean;
      readonly text: string;
    }
  | { readonly type: "opaque"; readonly reason: OpaqueReason; readonly text: string };

export const opaque = (reason: OpaqueReason, text: string): ShellAction => ({
  type: "opaque",
  reason,
  text: visibleText(text),
});
