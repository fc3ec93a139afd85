/**
 * Programs without a record may start what their words name: `wrapper rm x`, `wrapper 'rm x'`. A rule that asks or denies
 * takes each word of such a program for the beginning of a command that may run.
 */
import type { Glob } from "./globs.ts";
import type { RuledCommand } from "./rules.ts";
import { ruleWords } from "./git-words.ts";
import { readCommand } from "./effects.ts";
import { programNamed } from "./programs.ts";
import { literalWord, type ShellWord } from "./shell-words.ts";

/** True if no record says what the program does with its words. `name` is plain. */
export function isUnknownProgram(name: string): boolean {
  const program = programNamed(name);
  return program === undefined || program.entry.starts === "words";
}

/** With more beginnings in one command a rule is a possible match, */
const beginningsMax = 20;
/** and with more words behind all that were read. */
const beginningWordsMax = 20_000;

/** What an unknown program may start: a command that begins at one of these words. Each is read once for all rules. */
export class StartedWords {
  readonly #words: readonly ShellWord[];
  readonly #beginnings = new Map<number, RuledCommand>();
  #places: ReturnType<typeof placesOf> | undefined;
  #wordsLeft = beginningWordsMax;

  constructor(words: readonly ShellWord[]) {
    this.#words = words;
  }

  /** Those with one of the names. Undefined: there are more, or too many words were read. */
  *beginningsOf(names: readonly Glob[]): Generator<RuledCommand | undefined> {
    const places = (this.#places ??= placesOf(this.#words));
    const found = names.flatMap((name) => {
      if (!/[*?\\]/.test(name.source)) return places.get(name.source) ?? [];
      return [...places].flatMap(([text, there]) => (name.matches(text) ? there : []));
    });
    const starts = [...new Set(found.map(([, at]) => at))].toSorted((a, b) => a - b);
    for (const at of starts.slice(0, beginningsMax)) yield this.#beginningAt(at);
    if (starts.length > beginningsMax) yield undefined;
  }

  #beginningAt(at: number): RuledCommand | undefined {
    const known = this.#beginnings.get(at);
    if (known !== undefined) return known;
    const words = this.#words.slice(at);
    this.#wordsLeft -= words.length;
    if (this.#wordsLeft < 0) return undefined;
    const reading = readCommand(words);
    const beginning = { words, ruled: ruleWords(words), ...(reading && { reading }) };
    this.#beginnings.set(at, beginning);
    return beginning;
  }
}

/** Where each word is, by its text and by the name behind its last slash. */
function placesOf(words: readonly ShellWord[]): ReadonlyMap<string, readonly (readonly [string, number])[]> {
  const named = words.flatMap(({ value }, at) =>
    value === undefined ? [] : [[value, at] as const, [value.slice(value.lastIndexOf("/") + 1), at] as const],
  );
  return Map.groupBy(named, ([name]) => name);
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
