/** Whether a line is like the prompt of a shell or a REPL, and not like that of a pager or what may be a question. */
import { looksLikePrompt } from "../agents/cursor-line.ts";
import { programName } from "../agents/command-line.ts";
import { mayAsk } from "./line-question.ts";

const pagers = new Set(["pager", "less", "more", "most", "lv", "pg", "man"]);
/** Ruby's line editor prints it to see how wide the terminal draws it. */
const WIDTH_PROBE = "▽";
/** Prompts that no menu has: those of IPython, Maxima, Sage, MIT Scheme and Erlang. */
const namedPrompt = /^(?:In \[\d+\]:|\(%i\d+\)|sage:|\d+(?: \]=)?>) ?$/;
const mereSign = /^[^\w\s:\u2500-\u257F]{1,2} ?$/;
const isUnusual = (line: string): boolean => namedPrompt.test(line) || mereSign.test(line);
/** A place in front of a sign that stands by its word: `MariaDB [(none)]> `. */
const placedPrompt = /[[(@/~:\\].*\S[$#>❯➜»λ]\s*$/u;
const asks = /[?:]\s*$/;

/** Prompts of shells for the rest of a command: `> ` of most, and those of zsh, with the words that are open (`for then> `, `dquote> `). */
export const isMorePrompt = (line: string): boolean => /^(?:[a-z]+ )*[a-z]*>\s*$/.test(line);

export const isPager = (program: string | null): boolean => pagers.has(programName(program ?? ""));

/** `isReplPrompt("gdb", "(gdb) "); // true` */
export const isReplPrompt = (program: string | null, line: string): boolean =>
  !isPager(program) && line !== WIDTH_PROBE && (isUnusual(line) || (looksLikePrompt(line) && !mayAsk(line)));

/** The program that reads. */
interface PromptReader {
  readonly program: string | null;
  /** Whether the kernel shows a line editor; missing if that is not known. */
  readonly editsLine?: boolean;
}

/**
 * Whether such a line is enough to type behind it, if the program asks for no pastes. A menu that takes keys writes `Choose > ` or a bare `> `, too: a
 * word or a sign counts where the kernel shows a line editor, or if the word is the program's name. `above` is the row before.
 */
export const isBarePrompt = ({ program, editsLine }: PromptReader, line: string, above: string): boolean =>
  isReplPrompt(program, line) &&
  (!/\S\s+\S/.test(line) || isUnusual(line)) &&
  (editsLine !== false || namedPrompt.test(line) || placedPrompt.test(line) || isNamedLike(program, line)) &&
  !asks.test(above);

/** The same for a command: its caller knows the program, and a prompt with a place in it is enough. */
export const isCommandPrompt = (reader: PromptReader, line: string, above: string): boolean =>
  isBarePrompt(reader, line, above) ||
  (isReplPrompt(reader.program, line) && placedPrompt.test(line) && !asks.test(above));

/** `ghci> ` of `ghc`, `sqlite> ` of `sqlite3`. */
function isNamedLike(program: string | null, line: string): boolean {
  const name = programName(program ?? "").toLowerCase();
  const [word = ""] = /^[a-z]{2,}/.exec(line.toLowerCase()) ?? [];
  return word !== "" && name !== "" && (word.startsWith(name) || name.startsWith(word));
}
