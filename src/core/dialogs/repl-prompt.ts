/** Whether a line is like the prompt of a shell or a REPL, and not like that of a pager or what may be a question. */
import { looksLikePrompt } from "../agents/cursor-line.ts";
import { programName } from "../agents/command-line.ts";
import { mayAsk } from "./line-question.ts";

const pagers = new Set(["pager", "less", "more", "most", "lv", "pg", "man"]);
/** Ruby's line editor prints it to see how wide the terminal draws it. */
const WIDTH_PROBE = "▽";
/** Prompts that do not end as most do: those of IPython, Maxima, Sage and MIT Scheme, and one or two signs without a word. */
const unusualPrompt = /^(?:In \[\d+\]:|\(%i\d+\)|sage:|\d+ \]=>|[^\w\s:\u2500-\u257F]{1,2}) ?$/;
/** A place in front of a sign that stands by its word: `MariaDB [(none)]> `. */
const placedPrompt = /[[(@/~:\\].*\S[$#>❯➜»λ]\s*$/u;
const asks = /[?:]\s*$/;

/** Prompts of shells for the rest of a command: `> ` of most, and those of zsh, with the words that are open (`for then> `, `dquote> `). */
export const isMorePrompt = (line: string): boolean => /^(?:[a-z]+ )*[a-z]*>\s*$/.test(line);

export const isPager = (program: string | null): boolean => pagers.has(programName(program ?? ""));

/** `isReplPrompt("gdb", "(gdb) "); // true` */
export const isReplPrompt = (program: string | null, line: string): boolean =>
  !isPager(program) && line !== WIDTH_PROBE && (unusualPrompt.test(line) || (looksLikePrompt(line) && !mayAsk(line)));

/**
 * Whether such a line is enough to type behind it, if nothing else shows a line editor: a menu that takes keys writes `Choose > ` or a bare `> `
 * below its question. `above` is the row before.
 */
export const isBarePrompt = (program: string | null, line: string, above: string): boolean =>
  isReplPrompt(program, line) && (!/\S\s+\S/.test(line) || unusualPrompt.test(line)) && !asks.test(above);

/** The same for a command: its caller knows the program, and a prompt with a place in it is enough. */
export const isCommandPrompt = (program: string | null, line: string, above: string): boolean =>
  isBarePrompt(program, line, above) || (isReplPrompt(program, line) && placedPrompt.test(line) && !asks.test(above));
