/** The actions that a shell text is read into. */
import type { ProgramReading } from "./effects.ts";
import type { RuleWords } from "./git-words.ts";
import type { OpaqueReason } from "./opaque-reasons.ts";
import type { ShellWord } from "./shell-words.ts";
import type { StartedWords } from "./shell-wrappers.ts";
import { visibleText } from "./visible-text.ts";

export type ShellAction =
  | {
      readonly type: "command";
      /** The name first. Never empty. */
      readonly words: readonly ShellWord[];
      /** The words that rules match. */
      readonly ruled: RuleWords;
      /** It only launches another command, which is judged by itself: no rule needs to allow this one. */
      readonly transparent: boolean;
      /** A runner (`uv run`, `python -m`) starts it: who allows the runner allows it to run. */
      readonly isCovered?: true;
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
