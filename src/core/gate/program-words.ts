/**
 * Splits the words of a command into options with their values and operands, as the program does. What the record does not have is
 * `unknown`, with each option that it may be: an abbreviation (`--outp=x`), or a bundle with an unknown letter (`-zof`).
 */
import type { ProgramOption, Program } from "./program-entry.ts";
import { literalWord, mayBeOption, unknownWord, type ShellWord } from "./shell-words.ts";

export interface ReadOption {
  readonly spec: ProgramOption;
  /** As it was written: `-o`. */
  readonly name: string;
  readonly value: ShellWord | null;
  /** Index of its word. */
  readonly at: number;
  /** The words of the command that it takes (`find -exec`). */
  readonly command?: readonly ShellWord[];
}

export interface ReadOperand {
  readonly word: ShellWord;
  readonly at: number;
}

interface UnknownOption {
  readonly word: ShellWord;
  /** What it may be. */
  readonly candidates: readonly ReadOption[];
}

export interface ProgramWords {
  readonly options: readonly ReadOption[];
  readonly operands: readonly ReadOperand[];
  readonly unknown: readonly UnknownOption[];
}

/** `words` begins with the name of the program or of its subcommand. */
export function splitWords(words: readonly ShellWord[], { grammar, options }: Program): ProgramWords {
  const reader = new WordsReader(words, options);
  if (grammar === "words") reader.readOperands(1);
  else if (grammar === "dd") reader.readAssignments();
  else if (grammar === "find") reader.readFind();
  else reader.readOptions(grammar);
  return reader;
}

type OptionGrammar = Exclude<Program["grammar"], "words" | "dd" | "find">;

class WordsReader implements ProgramWords {
  readonly options: ReadOption[] = [];
  readonly operands: ReadOperand[] = [];
  readonly unknown: UnknownOption[] = [];
  readonly #words: readonly ShellWord[];
  readonly #specs: ReadonlyMap<string, ProgramOption>;

  constructor(words: readonly ShellWord[], specs: ReadonlyMap<string, ProgramOption>) {
    this.#words = words;
    this.#specs = specs;
  }

  readOperands(from: number): void {
    for (let at = from; at < this.#words.length; at += 1) this.#addOperand(at);
  }

  /** `if=x of=y` */
  readAssignments(): void {
    for (const [at, word] of this.#words.entries()) {
      if (at === 0) continue;
      const text = word.value ?? word.path ?? "";
      const end = text.indexOf("=");
      const spec = this.#specs.get(text.slice(0, Math.max(end, 0)));
      if (spec === undefined) this.unknown.push({ word, candidates: [] });
      else this.options.push({ spec, name: text.slice(0, end), value: rest(word, end + 1), at });
    }
  }

  readOptions(grammar: OptionGrammar): void {
    for (let at = 1; at < this.#words.length; at += 1) {
      const word = this.#words[at];
      if (word === undefined) return;
      // tar reads options also behind it.
      if ((word.value === "--" && grammar !== "tar") || (word.value === "-" && grammar === "shell"))
        return this.readOperands(at + 1);
      const text = word.value ?? word.path ?? literalStart(word);
      if (word.value === "--") continue;
      const isNegated = grammar === "shell" && text.startsWith("+");
      if (isOpen(word) ? mayBeOption(word) : mayBeOption(word) && !text.startsWith("-"))
        this.unknown.push({ word, candidates: [] });
      if (grammar === "tar" && at === 1 && /^[A-Za-z]/.test(text)) at = this.#readLetters(word, at);
      else if (isNegated) at = this.#readBundle(word, at);
      else if (text.startsWith("-") && (text !== "-" || this.#specs.has("-"))) at = this.#readOption(word, at, grammar);
      else if (grammar === "posix" || grammar === "shell") return this.readOperands(at);
      else this.#addOperand(at);
    }
  }

  /** Folders up to the first primary, then primaries with their values. */
  readFind(): void {
    let isOver = false;
    for (let at = 1; at < this.#words.length; at += 1) {
      const word = this.#words[at];
      if (word === undefined) return;
      const text = word.value ?? word.path ?? literalStart(word);
      isOver ||= /^-(?![HLP]$|O\d$|D$)|^[!(,]$/.test(text);
      const spec = word.value === undefined ? undefined : this.#specs.get(text);
      if (spec?.section === "exec") at = this.#readExec(spec, at);
      else if (spec !== undefined) at = this.#addOption(spec, text, at);
      else if (isOver || text.startsWith("-") || mayBeOption(word)) this.unknown.push({ word, candidates: [] });
      else this.#addOperand(at);
    }
  }

  /** A `+` ends the command only after `{}`. */
  #readExec(spec: ProgramOption, at: number): number {
    const isEnd = ({ value }: ShellWord, index: number): boolean =>
      index > at && (value === ";" || (value === "+" && this.#words[index - 1]?.value === "{}"));
    const found = this.#words.findIndex(isEnd);
    const end = found < 0 ? this.#words.length : found;
    this.options.push({
      spec,
      name: this.#words[at]?.value ?? "",
      value: null,
      at,
      command: this.#words.slice(at + 1, end),
    });
    return end;
  }

  /** Returns the index of its last word. */
  #readOption(word: ShellWord, at: number, grammar: OptionGrammar): number {
    const text = word.value ?? word.path ?? literalStart(word);
    const end = text.indexOf("=");
    const name = end < 0 ? text : text.slice(0, end);
    const spec = this.#specs.get(text) ?? this.#specs.get(grammar === "long" ? name.replace(/^--/, "-") : name);
    const isWhole = text.startsWith("--") || text === "-" || (grammar === "long" && spec !== undefined);
    if (!isWhole) return this.#readBundle(word, at);
    // git negates each of its options; one that selects a mode may then select another.
    const negated = spec === undefined && grammar === "git" ? this.#specs.get(name.replace(/^--no-/, "--")) : undefined;
    if (negated?.section === "selects") this.unknown.push({ word, candidates: [] });
    if (negated !== undefined) return at;
    if (spec === undefined) return this.#addAbbreviation(word, { name, end, at });
    if (end < 0 || this.#specs.has(text)) return this.#addOption(spec, text, at);
    if (spec.value === "none") this.unknown.push({ word, candidates: [{ spec, name, value: null, at }] });
    else this.#addWithValue({ spec, name, value: rest(word, end + 1), at });
    return at;
  }

  #addWithValue(option: ReadOption): void {
    this.options.push(option);
    const { at, spec, value } = option;
    if (spec.values?.includes(value?.value ?? "") === false)
      this.unknown.push({ word: this.#words[at] ?? unknownWord(option.name), candidates: [] });
  }

  /** An option whose value, if it needs one, is the next word. */
  #addOption(spec: ProgramOption, name: string, at: number): number {
    if (spec.value !== "needed") {
      this.options.push({ spec, name, value: null, at });
      return at;
    }
    const value = this.#words[at + 1];
    if (value === undefined) this.unknown.push({ word: this.#words[at] ?? unknownWord(name), candidates: [] });
    else this.#addWithValue({ spec, name, value, at });
    // A computed word can be several or none: the next word may then be the value.
    if (value !== undefined && isOpen(value)) this.unknown.push({ word: value, candidates: [] });
    return at + 1;
  }

  /** `-rf`, `-ofile`, `-5` */
  #readBundle(word: ShellWord, at: number): number {
    const text = word.value ?? word.path ?? literalStart(word);
    if (/^-\d+$/.test(text) && this.#specs.has("-#")) return at;
    for (let index = 1; index < text.length; index += 1) {
      const name = `${text.charAt(0)}${text.charAt(index)}`;
      const spec = this.#specs.get(name);
      if (spec === undefined) return this.#addBundle(word, index, at);
      const isLast = index === text.length - 1 && (word.value !== undefined || word.path !== undefined);
      if (spec.value === "none" || (isLast && spec.value === "glued")) {
        this.options.push({ spec, name, value: null, at });
        if (isLast && spec.value === "glued") return at;
      } else if (isLast) return this.#addOption(spec, name, at);
      else {
        this.#addWithValue({ spec, name, value: rest(word, index + 1), at });
        return at;
      }
    }
    // What the shell computes may add letters.
    if (word.value === undefined && word.path === undefined) this.unknown.push({ word, candidates: [] });
    return at;
  }

  /** `tar cf a b`: letters without a dash, whose values follow in their order. */
  #readLetters(word: ShellWord, at: number): number {
    let next = at;
    for (const letter of word.value ?? "?") {
      const name = `-${letter}`;
      const spec = this.#specs.get(name);
      if (spec === undefined) this.unknown.push({ word, candidates: [] });
      else if (spec.value !== "needed") this.options.push({ spec, name, value: null, at });
      else next = this.#addOption(spec, name, next);
    }
    return next;
  }

  /** A letter that the record does not have: each later one may be an option, and the rest its value. */
  #addBundle(word: ShellWord, from: number, at: number): number {
    const text = word.value ?? word.path ?? literalStart(word);
    const candidates = Array.from(text.slice(from)).flatMap((letter, index): readonly ReadOption[] => {
      const spec = this.#specs.get(`-${letter}`);
      const glued = from + index + 1;
      if (spec === undefined) return [];
      const value = glued < text.length ? rest(word, glued) : (this.#words[at + 1] ?? null);
      return [{ spec, name: `-${letter}`, value: spec.value === "none" ? null : value, at }];
    });
    this.unknown.push({ word, candidates });
    return at;
  }

  #addAbbreviation(word: ShellWord, { at, end, name }: { name: string; end: number; at: number }): number {
    const specs = new Set(
      this.#specs.entries().flatMap(([known, spec]) => (known.startsWith(name) && name.length > 2 ? [spec] : [])),
    );
    const candidates = [...specs].map((spec): ReadOption => {
      const value = end < 0 ? (this.#words[at + 1] ?? null) : rest(word, end + 1);
      return { spec, name, value: spec.value === "none" ? null : value, at };
    });
    this.unknown.push({ word, candidates });
    return at;
  }

  #addOperand(at: number): void {
    const word = this.#words[at];
    if (word !== undefined) this.operands.push({ word, at });
  }
}

/** Can the shell make any number of words of it? */
export const isOpen = ({ isOne, isStream, path, value }: ShellWord): boolean =>
  value === undefined && path === undefined && isOne !== true && isStream !== true;

/** The first characters of a computed word that are surely those that the program gets: `--output=` of `"--output=$X"`. */
const literalStart = ({ text }: ShellWord): string => /^"?(--?[\w-]*=?)/.exec(text)?.[1] ?? "";

/** The word from this character on, which is no start of a word: a tilde in it is part of a name. */
function rest(word: ShellWord, from: number): ShellWord {
  const { isOne, path, value } = word;
  if (value !== undefined)
    return { ...literalWord(value.slice(from), `=${value.slice(from)}`), text: value.slice(from) };
  const part = path?.slice(from);
  return { ...unknownWord(word.text), path: part, ...(isOne === true && { isOne }) };
}
