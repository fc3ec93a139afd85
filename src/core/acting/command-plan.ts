/**
 * How a command is typed: what is executed is the command, byte for byte, or nothing is typed.
 *
 * Between the keys and the program stand a line editor (a tab completes, `!` and `^` name former commands, controls are keys) and the
 * kernel (signals, erased characters, a longest line). bash, zsh and fish take a paste, and text with such characters as one quoted word
 * for `eval`, REPLs a file; what no other program is known to take unchanged is refused.
 */
import { isShellProgram } from "../agents/command-line.ts";
import { LINE_BYTES_MAX } from "../input/kernel-line.ts";
import { encodePaste } from "../input/paste.ts";
import type { ActPlan } from "./plan.ts";
import { loaderOf, type LoadingReader } from "./repl-loader.ts";

export interface KeyReader {
  /** The program in front; null where it is not known. */
  readonly program: string | null;
  /** The kernel edits its lines (ICANON); null where it is not known. */
  readonly canonical: boolean | null;
  /** It hands keys on to a program that cannot be seen, such as `ssh`. */
  readonly isRelay: boolean;
  readonly takesPaste: boolean;
  /** A shell that has told by a mark that it reads a command: what it draws is not taken for output. */
  readonly hasMarks: boolean;
  /** What is known of a REPL besides its name; null where it cannot be handed a file. */
  readonly loading: Omit<LoadingReader, "program"> | null;
}

export interface LinePlan extends ActPlan {
  /** As it is shown before Enter. */
  readonly line: string;
  readonly enter: string;
  /** Its line editor inserts it as it is. */
  readonly isPasted: boolean;
}

/**
 * - `file`: what the program is to read from a file, and the line that makes it do so
 * - `refusal`: what of the command would be changed, and by whom; nothing may be typed
 */
type CommandPlan =
  | LinePlan
  | { readonly file: { readonly text: string; readonly line: (path: string) => string } }
  | { readonly refusal: string };

/** C0 but tab and line feed, DEL, and C1. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
/** zsh has a locale of its own for what is between `$'` and `'`. */
const SPECIALS = /[^ -~]/gu;
/** For fish: outside of ASCII it takes nothing. */
const URL_SPECIALS = /[%'\\]|[^ -~]/gu;
/** A former command, in bash and zsh by their defaults: in front of these characters, and at the end, `!` is only itself. */
const FORMER = /![^ \t\n=]|^\^/m;

/** Shells with a history by `!`, whose quotes are not known here. */
const HISTORICAL = /^t?csh$/;
const FROM_FILE = "write it to a file and run that";

const encoder = new TextEncoder();

/**
 * The bytes that run `command`, or why there are none.
 *
 * @example
 * ```ts
 * const shell = { program: "bash", canonical: false, isRelay: false, takesPaste: false, hasMarks: true, loading: null };
 * planCommand('echo "again!!"', shell); // the line: \builtin eval $'echo "again\x21\x21"'
 * ```
 */
export function planCommand(command: string, reader: KeyReader): CommandPlan {
  if (command.includes("\0")) return { refusal: "it contains a NUL, which no program takes from a terminal" };
  const quoting = quotings.get(reader.program ?? "");
  return quoting === undefined ? plainKeys(command, reader) : editedKeys(command, quoting, reader);
}

interface Quoting {
  /** What its line editor would change, in a paste. */
  readonly changes: RegExp;
  readonly quoted: (text: string) => string;
}

const hexOf = (character: string): readonly string[] =>
  Array.from(encoder.encode(character), (byte) => byte.toString(16).padStart(2, "0"));

const named: Readonly<Record<string, string>> = { "\n": String.raw`\n`, "\t": String.raw`\t` };

const ansiEscaped = (character: string): string => named[character] ?? `\\x${hexOf(character).join(String.raw`\x`)}`;

/** Without any `!`, and in one line. A function or an alias of the user may have the name `eval`. */
const ansiCommand = (text: string): string =>
  `\\builtin eval $'${text
    .replaceAll(/[\\']/g, String.raw`\$&`)
    .replaceAll("!", String.raw`\x21`)
    .replaceAll(SPECIALS, ansiEscaped)}'`;

/** fish takes seconds to read a long text of several words or lines. */
const fishCommand = (text: string): string =>
  `builtin eval (builtin string unescape --style=url '${text.replaceAll(URL_SPECIALS, percent)}' | builtin string collect -N)`;

const percent = (character: string): string => `%${hexOf(character).join("%")}`;

const octal = (character: string): string =>
  hexOf(character)
    .map((hex) => `\\${Number.parseInt(hex, 16).toString(8).padStart(3, "0")}`)
    .join("");

/** It leaves the text `$?`. No function takes the place of `eval` there, and `command` ignores one that is named `printf`. */
const posixCommand = (text: string): string =>
  `\\eval "$(set -- $?;\\command printf '${text.replaceAll(/[%'\\]|[^ -~]/gu, octal)}';exit $1)"`;

const changesOf = (...parts: readonly RegExp[]): RegExp => new RegExp(parts.map(({ source }) => source).join("|"), "m");

const historical: Quoting = { changes: changesOf(CONTROL, /\t/, FORMER), quoted: ansiCommand };

const posix: Quoting = { changes: changesOf(CONTROL, /\t/), quoted: posixCommand };

const quotings: ReadonlyMap<string, Quoting> = new Map(
  Object.entries({
    ...Object.fromEntries(["sh", "dash", "ash", "ksh", "mksh", "yash"].map((shell) => [shell, posix])),
    bash: historical,
    // Without a locale it takes the bytes of other characters for "?", which is a pattern.
    zsh: { ...historical, changes: changesOf(historical.changes, /[^\0-\x7f]/) },
    // It drops the tabs of a paste.
    fish: { changes: changesOf(CONTROL, /\t/), quoted: fishCommand },
  }),
);

function editedKeys(command: string, { changes, quoted }: Quoting, reader: KeyReader): CommandPlan {
  const { program, canonical, takesPaste, hasMarks } = reader;
  // Line by line a shell would run the first ones before it has read the last.
  const isQuoted = changes.test(command) || (!takesPaste && command.includes("\n"));
  const line = isQuoted ? quoted(command) : command;
  if (!takesPaste || (!hasMarks && !line.includes("\n"))) {
    const problem = canonical === true ? tooLong(line, program) : undefined;
    return problem === undefined ? typed(line, hasMarks ? "\r" : "\n") : { refusal: problem };
  }
  // Behind a blank fish takes the last word for no abbreviation.
  const isExpanded = program === "fish" && !line.endsWith("\\");
  return pasted(isExpanded ? `${line} ` : line);
}

function plainKeys(command: string, reader: KeyReader): CommandPlan {
  const { program, loading } = reader;
  const loader = program === null || loading === null ? undefined : loaderOf({ program, ...loading });
  if (loader !== undefined && !loader.types.test(command))
    return { file: { text: loader.text(command), line: loader.line } };
  const problem = problemOf(command, reader);
  if (problem !== undefined) return { refusal: problem };
  return planLine(command, reader);
}

/** The keys of a line for a program that is no shell: a line editor inserts a paste as it is, whatever macros it has for keys. */
export const planLine = (
  line: string,
  { takesPaste, canonical }: Pick<KeyReader, "takesPaste" | "canonical">,
): LinePlan => (takesPaste && canonical !== true && line !== "" ? pasted(line) : typed(line, "\n"));

const typed = (line: string, enter: string): LinePlan => linePlan(line, { enter, isPasted: false });
const pasted = (line: string): LinePlan => linePlan(line, { enter: "\r", isPasted: true });

/** `keys`: what inserts the line, if it is not the line. */
export function linePlan(
  line: string,
  { enter, isPasted, keys = line }: Pick<LinePlan, "enter" | "isPasted"> & { readonly keys?: string },
): LinePlan {
  const bytes = isPasted ? encodePaste(encoder.encode(keys)) : encoder.encode(keys);
  const steps = [
    { bytes, proof: "planned" },
    { bytes: encoder.encode(enter), proof: "shown" },
  ] as const;
  return { target: null, steps, line, enter, isPasted };
}

function problemOf(command: string, { program, canonical, isRelay, takesPaste }: KeyReader): string | undefined {
  const who = program ?? "the program";
  if (command.includes("\n") && !((isRelay || isShellProgram(who)) && takesPaste))
    return `it has several lines, which ${who} would read one by one; ${FROM_FILE}`;
  if (CONTROL.test(command)) return `it contains a control character, which ${who} would take for a key; ${FROM_FILE}`;
  if ((isRelay || HISTORICAL.test(who)) && FORMER.test(command))
    return `the shell that reads it may take "!" or a leading "^" for a former command; ${FROM_FILE}`;
  if (canonical === true) return tooLong(command, program);
  return command.includes("\t") ? `it contains a tab, which ${who} may take for a key; ${FROM_FILE}` : undefined;
}

function tooLong(text: string, program: string | null): string | undefined {
  const bytes = Math.max(...text.split("\n").map((line) => encoder.encode(line).length + 1));
  if (bytes <= LINE_BYTES_MAX) return undefined;
  return `it has a line of ${bytes} bytes, and ${program ?? "the program"} gets at most ${LINE_BYTES_MAX} of a line; ${FROM_FILE}`;
}
