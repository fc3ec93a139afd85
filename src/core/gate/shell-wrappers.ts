/**
 * Programs without a record may start what their words name: `wrapper rm x`, `wrapper 'rm x'`. A rule that asks or denies
 * takes each word of such a program for the beginning of a command that may run.
 */
import { ruleWords, type RuleWords } from "./git-words.ts";
import { readCommand, type ProgramReading } from "./effects.ts";
import { programNamed } from "./programs.ts";
import { literalWord, type ShellWord } from "./shell-words.ts";

/** True if no record says what the program does with its words. `name` is plain. */
export function isUnknownProgram(name: string): boolean {
  const program = programNamed(name);
  return program === undefined || program.entry.starts === "words";
}

interface Beginning {
  readonly words: readonly ShellWord[];
  readonly ruled: RuleWords;
  readonly reading?: ProgramReading;
}

/** What an unknown program may start: a command that begins at one of these words. Each is read once for all rules. */
export class StartedWords {
  readonly words: readonly ShellWord[];
  readonly #beginnings = new Map<number, Beginning>();

  constructor(words: readonly ShellWord[]) {
    this.words = words;
  }

  beginningAt(at: number): Beginning {
    const known = this.#beginnings.get(at);
    if (known !== undefined) return known;
    const words = this.words.slice(at);
    const reading = readCommand(words);
    const beginning = { words, ruled: ruleWords(words), ...(reading && { reading }) };
    this.#beginnings.set(at, beginning);
    return beginning;
  }
}

/** A word that is shell text, code or `NAME=VALUE` has several. */
const separators = /[\s"'`;|&()<>{}$,=\\#@]+/;

/**
 * The words behind the program's name, and the parts of those that are texts.
 * `startedWords(["wrapper", "-c", "rm x"].map((word) => literalWord(word)))?.length; // 4: -c, "rm x", rm, x`
 */
export function startedWords(words: readonly ShellWord[]): readonly ShellWord[] {
  return words.slice(1).flatMap((word) => {
    if (word.value === undefined || !separators.test(word.value)) return [word];
    const parts = word.value.split(separators).filter((part) => part !== "");
    return [word, ...parts.map((part) => literalWord(part))];
  });
}
