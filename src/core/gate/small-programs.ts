/**
 * Programs for Node and Python that are short enough to be read whole: they print a version or parts of a JSON file, as agents do with
 * `node -p "require('./package.json').version"`. Anything else in the words or the input of an interpreter is code.
 */
import type { ShellWord } from "./shell-words.ts";

export type SmallLanguage = "node" | "python";

/** The program in the words of an interpreter. `text` is undefined if it is the interpreter's input. */
export interface WordProgram {
  readonly language: SmallLanguage;
  readonly text: string | undefined;
}

/** Undefined if the words have anything beside the program. */
export function wordProgram(words: readonly ShellWord[]): WordProgram | undefined {
  const [name, first, second] = words.map(({ value }) => value);
  const language = name === "node" ? "node" : /^python3?$/.test(name ?? "") ? "python" : undefined;
  if (language === undefined || words.length > 3) return undefined;
  if (words.length === 1 || (words.length === 2 && first === "-")) return { language, text: undefined };
  const isGiven = language === "node" ? /^(?:-e|-p|-pe|--eval|--print)$/.test(first ?? "") : first === "-c";
  return isGiven && second !== undefined ? { language, text: second } : undefined;
}

/** Longer programs are not read. */
const programCharsMax = 500;

/** The files that the program reads, as it names them; undefined if it may do more than read them and print. */
export function filesReadBy(language: SmallLanguage, text: string): readonly string[] | undefined {
  if (text.length > programCharsMax || /[^\n\x20-\x7e]/.test(text)) return undefined;
  const reader = new SmallReader(text);
  const isRead = language === "node" ? reader.readNode() : reader.readPython();
  return isRead ? reader.files : undefined;
}

/** Properties of `process` that say what it is. */
const facts = /process\.(?:versions?|platform|arch|execPath|release)\b/y;

class SmallReader {
  readonly files: string[] = [];
  readonly #text: string;
  #at = 0;
  #modules = new Set<string>();

  constructor(text: string) {
    this.#text = text;
  }

  /** `console.log(...)` or a value, several with `;`. */
  readNode(): boolean {
    do {
      if (this.#take(/\s*$/y) !== undefined) return true;
      const isRead =
        this.#take(/\s*console\.log\(/y) === undefined ? this.#nodeValue() : this.#values(() => this.#nodeValue());
      if (!isRead) return false;
    } while (this.#take(/\s*(?:;|\n)/y) !== undefined);
    return this.#isOver();
  }

  /** Lines that import modules or print a value. A module is a file of the project or of Python, as one that `python3 x.py` imports. */
  readPython(): boolean {
    do {
      if (this.#take(/\s*$/y) !== undefined) return true;
      const module = this.#take(/\n*import (?!antigravity\b|this\b)([A-Za-z]\w*)/y)?.[1];
      if (module !== undefined) this.#modules.add(module);
      else if (this.#take(/\n*print\(/y) === undefined || !this.#values(() => this.#pythonValue())) return false;
    } while (this.#take(/ *(?:; *|\n)/y) !== undefined);
    return this.#isOver();
  }

  #nodeValue(): boolean {
    if (this.#take(/\s*(?:Object\.(?:keys|values|entries)|JSON\.stringify)\(/y) !== undefined)
      return this.#values(() => this.#nodeValue()) && this.#members();
    if (this.#take(/\s*(?:null|\d+)\b/y) !== undefined) return true;
    this.#take(/\s*/y);
    if (this.#take(facts) !== undefined) return this.#members();
    // Node takes only JSON from a file of this name; without a dot or a slash it would search folders of modules.
    const file = this.#take(/require\((["'])(\.{0,2}\/[\w./@-]*\.json)\1\)/y)?.[2];
    if (file === undefined) return false;
    this.files.push(file);
    return this.#members();
  }

  #pythonValue(): boolean {
    if (this.#take(/ *(?:len|sorted|list)\(/y) !== undefined)
      return this.#values(() => this.#pythonValue()) && this.#members();
    const module = this.#take(/ *([A-Za-z]\w*)\.(?:__version__|version)/y)?.[1];
    if (module !== undefined) return this.#modules.has(module);
    const file = this.#take(/ *json\.load\(open\((["'])([\w./@-]+)\1\)\)/y)?.[2];
    if (file === undefined || !this.#modules.has("json")) return false;
    this.files.push(file);
    return this.#members();
  }

  /** Values up to the closing bracket. */
  #values(value: () => boolean): boolean {
    do {
      if (!value()) return false;
    } while (this.#take(/\s*,/y) !== undefined);
    return this.#take(/\s*\)/y) !== undefined;
  }

  /** `.name`, `['name']` and `[1]`, which call nothing. */
  #members(): boolean {
    while (this.#take(/\.[A-Za-z]\w*(?!\w*\s*\()|\[(?:\d+|"[\w@/. -]*"|'[\w@/. -]*')\]/y) !== undefined);
    return true;
  }

  #isOver(): boolean {
    return this.#take(/\s*$/y) !== undefined;
  }

  #take(wanted: RegExp): RegExpExecArray | undefined {
    wanted.lastIndex = this.#at;
    const found = wanted.exec(this.#text);
    if (found === null) return undefined;
    this.#at = wanted.lastIndex;
    return found;
  }
}
