/** What the gate needs of a reader of shell text. It is an argument, so that a gate without shell tools does not contain the parser. */
import type { ShellAnalysis } from "./shell-analysis.ts";
import type { CallDirectory } from "./working-directory.ts";

/** Reads the shell text of calls into actions for the rules of a policy: `shell` of `lectern/shell`. */
export interface ShellJudge {
  /** Reads the text at the pointer in the arguments; `directory`: where the text may run, by the other arguments. */
  readonly read: (
    pointer: readonly string[],
    call: { readonly name: string; readonly arguments: unknown },
    directory: CallDirectory,
  ) => ShellAnalysis;
}
