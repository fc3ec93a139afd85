/** The commands that a rule names, word by word. */
import type { Glob } from "./globs.ts";

/** `name`, each of `words` and, after any number of words, each of `later` match one word; `open`: any further words may follow. */
export interface CommandPattern {
  readonly source: string;
  readonly name: Glob;
  readonly words: readonly Glob[];
  readonly later: readonly Glob[];
  readonly open: boolean;
}
