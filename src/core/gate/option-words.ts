/** The options of a command as rules name them, read once for all rules: each rule asks for a few spellings, whatever the number of words. */
import type { Certainty } from "./certainty.ts";
import type { Effect } from "./policy-schema.ts";
import type { ShellWord } from "./shell-words.ts";

const known = new WeakMap<readonly ShellWord[], OptionWords>();

/** The words before `--`; a computed one may be any option. */
export class OptionWords {
  readonly #words: ReadonlySet<string>;
  /** The words up to an `=`. */
  readonly #names: ReadonlySet<string>;
  /** Each letter of a bundle behind its dash. `#loose`: what follows the letters is a value, as in `-qf/x`. */
  readonly #letters: ReadonlySet<string>;
  readonly #loose: ReadonlySet<string>;
  readonly #isOpen: boolean;

  private constructor(given: readonly ShellWord[]) {
    const end = given.findIndex((word) => word.value === "--");
    const candidates = end < 0 ? given : given.slice(0, end);
    this.#isOpen = candidates.some(({ value }) => value === undefined);
    this.#words = new Set(candidates.flatMap(({ value }) => value ?? []));
    const words = [...this.#words];
    this.#names = new Set(words.map((word) => word.split("=", 1)[0] ?? ""));
    this.#letters = new Set(words.flatMap((word) => lettersOf(word, /^.([A-Za-z0-9]+)$/)));
    this.#loose = new Set(words.flatMap((word) => [word.slice(0, 2), ...lettersOf(word, /^.([A-Za-z0-9]+)/)]));
  }

  /** `implied`: options that the operands of the command are equivalent to. */
  static of(words: readonly ShellWord[], implied: readonly ShellWord[]): OptionWords {
    const made = known.get(words) ?? new OptionWords([...implied, ...words.slice(1)]);
    known.set(words, made);
    return made;
  }

  /** Is one of the spellings among them? */
  has(spellings: readonly string[], effect: Effect): Certainty {
    if (spellings.some((spelling) => this.#hasOption(spelling, effect !== "allow"))) return "yes";
    return this.#isOpen ? "maybe" : "no";
  }

  /** `-r` also matches `-rf`, and `--force` also `--force=x`. Rules that ask or deny also match the abbreviation `--for`. */
  #hasOption(spelling: string, restricts: boolean): boolean {
    if (this.#words.has(spelling)) return true;
    if (spelling.length === 2 && spelling !== "--") return (restricts ? this.#loose : this.#letters).has(spelling);
    // Go programs and some others accept long names with one dash or two.
    const dashed = ["-", "--"].map((dash) => spelling.replace(/^--?/, dash));
    if (restricts && spelling.length > 3 && dashed.some((name) => name.length > 3 && this.#names.has(name)))
      return true;
    if (!spelling.startsWith("--")) return false;
    const lengths = restricts ? Array.from({ length: spelling.length - 2 }, (_, at) => at + 3) : [spelling.length];
    return lengths.some((length) => this.#names.has(spelling.slice(0, length)));
  }
}

const lettersOf = (word: string, bundle: RegExp): readonly string[] =>
  [...new Set(bundle.exec(word)?.[1])].map((letter) => word.charAt(0) + letter);
