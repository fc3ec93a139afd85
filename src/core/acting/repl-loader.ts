/**
 * How a REPL is handed a text that its line editor would change: it reads the text from a file, by a short command that is typed. What a
 * command prints, and the names that it defines, are as if it had been typed.
 *
 * Law: only a program that is known to be such a REPL is typed into so. A prompt alone is not enough where other programs have the same.
 */
import { isPlainNode, programName } from "../agents/command-line.ts";

export interface LoadingReader {
  /** Its name as the kernel has it. */
  readonly program: string;
  /** The open line, at whose end its prompt stands. */
  readonly prompt: string;
  /** The words of the terminal's own program; null where another one may be in front of it. */
  readonly command: readonly string[] | null;
}

export interface ReplLoader {
  /** What its line editor takes as it is, and draws without more. */
  readonly types: RegExp;
  readonly text: (command: string) => string;
  /** The command that reads it. `path` needs no quotes. */
  readonly line: (path: string) => string;
}

interface Repl extends ReplLoader {
  readonly named: RegExp;
  /** Default: wherever it reads. */
  readonly isAt?: (reader: LoadingReader) => boolean;
}

/** What most line editors take as it is. */
const SIMPLE = /^[ -~]{0,400}$/;
/** Only the prompt of Node takes these; of others it draws the value below the line while they are typed. */
const NODE_ONLY = /^(?=\s*\.|.*\b(?:await|import)\b)[ -~]{0,400}$/;
/** It draws proposals around whatever is typed. */
const NOTHING = /^$/;
const withEnd = (command: string): string => `${command}\n`;

/** What Python's literals do not take as it is. */
const PYTHON_SPECIALS = /[^ -~]|['\\]/gu;
const pythonLiteral = (text: string): string =>
  `'${text.replaceAll(PYTHON_SPECIALS, (character) => `\\U${(character.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`)}'`;

/** Each statement by itself, as at the prompt: the value of an expression is printed. */
const pythonText = (command: string): string =>
  "[exec(compile(__import__('ast').Interactive([each]), '<lectern>', 'single'), globals()) " +
  `for each in __import__('ast').parse(${pythonLiteral(command)}, '<lectern>').body]\n`;

/** What Ruby's literals do not take as it is. */
const RUBY_SPECIALS = /[^ -~]|["\\#]/gu;
const rubyLiteral = (text: string): string =>
  `"${text.replaceAll(RUBY_SPECIALS, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`)}"`;

/** Node takes a text in braces for an object if it can be one. The names of a script are those of the prompt. */
const nodeText = (command: string): string => `(() => {
  const { Script, runInThisContext } = process.getBuiltinModule("node:vm");
  const text = ${JSON.stringify(command)};
  const object = "(" + text.trim() + "\\n)";
  const options = { filename: "lectern" };
  if (/^\\s*\\{/.test(text) && !/;\\s*$/.test(text)) {
    try {
      new Script(object, options);
    } catch {
      return runInThisContext(text, options);
    }
    return runInThisContext(object, options);
  }
  return runInThisContext(text, options);
})()`;

const repls: readonly Repl[] = [
  {
    named: /^python(?:\d[\d.]*)?$/,
    isAt: ({ prompt }) => prompt.endsWith(">>> "),
    types: SIMPLE,
    text: pythonText,
    line: (path) => `exec(open('${path}').read())`,
  },
  {
    named: /^node$/,
    isAt: ({ prompt, command }) => prompt === "> " && isPlainNode(command ?? []),
    types: NODE_ONLY,
    text: nodeText,
    line: (path) => `eval(fs.readFileSync('${path}')+'')`,
  },
  {
    named: /^irb[\d.]*$/,
    types: NOTHING,
    text: (command) => `eval(${rubyLiteral(command)}, irb_context.workspace.binding, "lectern")\n`,
    line: (path) => `eval(File.read('${path}'))`,
  },
  { named: /^sqlite3$/, types: SIMPLE, text: withEnd, line: (path) => `.read ${path}` },
  { named: /^psql$/, types: SIMPLE, text: withEnd, line: (path) => `\\i ${path}` },
  {
    named: /^gdb$/,
    types: SIMPLE,
    // What is sourced has its questions answered with yes.
    text: (command) => `gdb.execute(${pythonLiteral(command)}, True)\n`,
    line: (path) => `python exec(open('${path}').read())`,
  },
];

export const loaderOf = (reader: LoadingReader): ReplLoader | undefined =>
  repls.find(({ named, isAt }) => named.test(reader.program) && isAt?.(reader) !== false);

/** Whether a program that is started so may be handed files. */
export const mayLoad = (command: readonly string[]): boolean =>
  repls.some(({ named }) => named.test(programName(command[0] ?? "")));
