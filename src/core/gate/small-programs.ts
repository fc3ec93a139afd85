/**
 * Programs for Node and Python that are short enough to be read whole: they print a version or parts of a JSON file, as agents do with
 * `node -p "require('./package.json').version"`. Anything else in the words or the input of an interpreter is code.
 */
import type { CodeForm } from "./program-entry.ts";
import type { ShellWord } from "./shell-words.ts";

/** The program in the words of an interpreter. `text` is undefined if it is the interpreter's input. */
export interface WordProgram {
  readonly language: SmallLanguage;
  readonly text: string | undefined;
}

/** Undefined if the words have anything beside the program. */
export function wordProgram(words: readonly ShellWord[], { given, small }: CodeForm = {}): WordProgram | undefined {
  const [, first, second] = words.map(({ value }) => value);
  if (!isSmallLanguage(small) || words.length > 3) return undefined;
  if (words.length === 1 || (words.length === 2 && first === "-")) return { language: small, text: undefined };
  const isGiven = new RegExp(given ?? "(?!)").test(first ?? "");
  return isGiven && second !== undefined ? { language: small, text: second } : undefined;
}

/** `.name`, `['name']` and `[1]`, which call nothing. */
const members = String.raw`(?:\.[A-Za-z]\w*(?!\w*\s*\()|\[(?:\d+|"[\w@/. -]*"|'[\w@/. -]*')\])*`;

/** A value that has been read; no program has this character. */
const value = "\0";
const values = String.raw`\(\s*${value}(?:\s*,\s*${value})*\s*\)`;

/** `values`: what stands for itself; a group is the file that it reads. `calls`: functions of values, which only read or print. */
interface SmallGrammar {
  readonly values: RegExp;
  readonly calls: RegExp;
  readonly statement: RegExp;
}

const grammars = {
  node: {
    // Node takes only JSON from a file of this name; without a dot or a slash it would search folders of modules.
    values: new RegExp(
      String.raw`require\((?:"(\.{0,2}\/[\w./@-]*\.json)"|'(\.{0,2}\/[\w./@-]*\.json)')\)${members}|` +
        String.raw`process\.(?:versions?|platform|arch|execPath|release)\b${members}|\b(?:null|\d+)\b`,
      "g",
    ),
    calls: new RegExp(
      String.raw`(?:Object\.(?:keys|values|entries)|JSON\.stringify|console\.log)${values}${members}`,
      "g",
    ),
    statement: new RegExp(String.raw`^\s*${value}?\s*$`),
  },
  // A module is a file of the project or of Python, as one that `python3 x.py` imports.
  python: {
    values: new RegExp(
      String.raw`json\.load\(open\((?:"([\w./@-]+)"|'([\w./@-]+)')\)\)${members}|` +
        String.raw`\b[A-Za-z]\w*\.(?:__version__|version)\b`,
      "g",
    ),
    calls: new RegExp(String.raw`(?:len|sorted|list|print)${values}${members}`, "g"),
    statement: new RegExp(String.raw`^\s*(?:${value}|import (?!antigravity\b|this\b)[A-Za-z]\w*)?\s*$`),
  },
} satisfies Record<string, SmallGrammar>;

export type SmallLanguage = keyof typeof grammars;

const isSmallLanguage = (name = ""): name is SmallLanguage => Object.hasOwn(grammars, name);

/** Longer programs are not read. */
const programCharsMax = 500;

/** The files that the program reads, as it names them; undefined if it may do more than read them and print. */
export function filesReadBy(language: SmallLanguage, text: string): readonly string[] | undefined {
  if (text.length > programCharsMax || /[^\n\x20-\x7e]/.test(text)) return undefined;
  const { calls, statement, values: plain } = grammars[language];
  const files = [...text.matchAll(plain)].flatMap(([, double, single]) => double ?? single ?? []);
  let rest = text.replaceAll(plain, value);
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replaceAll(calls, value);
  }
  return rest.split(/[;\n]/).every((each) => statement.test(each)) ? files : undefined;
}
