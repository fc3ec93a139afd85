/**
 * Recognises programs that take code or a command in their arguments: `python3 -c`, `awk`, `ssh`, `tar --to-command`. That code is not
 * analysed, so the command is opaque. Which words they are is in the records. For `sed`, `awk` and substitutions of Perl see `shell-editors.ts`.
 */
import { readGlobals, setsProgram } from "./git-words.ts";
import type { SplitCommand } from "./launches.ts";
import type { CodeForm, ProgramOption } from "./program-entry.ts";
import { onlyEdits } from "./shell-editors.ts";
import { namesInput } from "./shell-options.ts";
import { mayBeOption, valueAt, type ShellWord } from "./shell-words.ts";

/** Each pattern of a record is compiled once. */
const compiled = new Map<string, RegExp>();

export function recordPattern(source = "(?!)", mode = ""): RegExp {
  const key = `${mode}/${source}`;
  const pattern = compiled.get(key) ?? new RegExp(source, mode);
  compiled.set(key, pattern);
  return pattern;
}

/** True if the arguments may contain code that is not analysed. */
export function takesCode(command: SplitCommand): boolean {
  const { program, words } = command;
  const { code, script } = program.entry;
  if (script !== undefined && onlyEdits(command)) return false;
  if (script !== undefined && code === undefined) return true;
  return (code !== undefined && takesCodeWords(words, code)) || startsByOption(command);
}

function takesCodeWords(words: readonly ShellWord[], code: CodeForm): boolean {
  if (code.always === true) return !isQuestion(words);
  return code.flags === undefined ? hasCodeWord(words, code) : interpretsCode(words, code);
}

/** Does an option start a program, or may a word be such an option? */
export function startsByOption({ program, split }: SplitCommand): boolean {
  const starts = ({ section }: Pick<ProgramOption, "section">): boolean => /^(?:run|code)/.test(section);
  if (!program.sections.values().some((section) => starts({ section }))) return false;
  if (split.options.some(({ spec }) => starts(spec))) return true;
  return split.unknown.some(
    ({ candidates, word }) => word.value === undefined || candidates.some(({ spec }) => starts(spec)),
  );
}

/**
 * True if a git command may run programs that the gate does not see: by a global option, an alias, a setting, or an address that names a
 * program. What its subcommand runs is not included.
 */
export function gitTakesCode({ program, words }: SplitCommand): boolean {
  const { at, isCode } = readGlobals(words);
  if (isCode || at === undefined) return isCode;
  const name = valueAt(words, at);
  if (name === "config") return setsProgram(words.slice(at + 1));
  return program.sub?.has(name) !== true || words.some(({ value }) => value?.startsWith("ext::") === true);
}

function hasCodeWord(words: readonly ShellWord[], form: CodeForm): boolean {
  const { runs } = form;
  const long = form.long?.split(" ") ?? [];
  const pattern = recordPattern(form.words, form.mode);
  let hasFile = runs === undefined || runs === "files";
  let isOver = false;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word?.value;
    isOver ||= value === "--";
    if (word === undefined || value === undefined) {
      if (!hasFile || (runs !== undefined && word?.isStream === true)) return true;
      if (word !== undefined && !isOver && mayBeOption(word)) return true;
      continue;
    }
    if (pattern.test(value) || isLongOption(value, long)) return true;
    if (runs !== undefined && namesInput(value)) return true;
    const isValue = runs === "program" && words[at - 1]?.value?.startsWith("-") === true && !/\.\w+$/.test(value);
    hasFile ||= !value.startsWith("-") && !isValue;
  }
  return !hasFile && !isQuestion(words);
}

/** By any prefix of its name, as getopt_long(3) reads it. */
const isLongOption = (word: string, names: readonly string[]): boolean =>
  /^--./.test(word) && names.some((name) => `--${name}`.startsWith(word.split("=", 1)[0] ?? ""));

/** `ssh -V` */
const isQuestion = (words: readonly ShellWord[]): boolean =>
  words.length === 2 && /^(?:-[vVh]|-?-version|-?-help)$/.test(valueAt(words, 1));
const plainQuestion = /^(?:-[hvVim]|--(?:version|help|ini))$/;

function interpretsCode(words: readonly ShellWord[], form: CodeForm): boolean {
  const consoles = recordPattern(form.consoles);
  let needsFile = true;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at];
    const value = word?.value;
    if (value === undefined) return true;
    if (value === "--") return isUnreadFile(words[at + 1]);
    if (!value.startsWith("-") || value === "-")
      return (
        isUnreadFile(word) ||
        recordPattern(form.command).test(value) ||
        (consoles.test(value) && consoleWord.test(words[at + 1]?.value ?? "shell"))
      );
    const name = recordPattern(form.module).exec(value)?.[1];
    if (name !== undefined) {
      const from = name === "" ? at + 1 : at;
      return runsModule(name === "" ? words[from]?.value : name, words.slice(from + 1), form);
    }
    if (recordPattern(form.complete).test(value)) needsFile = false;
    if (recordPattern(form.values).test(value)) {
      at += 1;
      if (isUnreadValue(words[at])) return true;
    } else if (!recordPattern(form.flags).test(value) || namesInput(value)) return true;
  }
  // Without a file it runs its input, except that options such as `--version` only print something.
  if (form.complete !== undefined) return needsFile;
  return words.length === 1 || !words.slice(1).every((word) => plainQuestion.test(word.value ?? ""));
}

/** `manage.py shell` and `artisan tinker` run code of their words or of the input. */
const consoleWord = /^(?:shell\w*|tinker|console|runner|dbshell|dbconsole)$/;

/** No file, a computed one, or the input. */
const isUnreadFile = (word: ShellWord | undefined): boolean => word?.value === undefined || namesInput(word.value);

/** An option's value can be a file or a URL of code; a computed one can become several words. */
const isUnreadValue = (word: ShellWord | undefined): boolean =>
  word?.value === undefined ? word?.isOne !== true : word.value.includes("data:") || namesInput(word.value);

/** Does a module run code from its arguments, from the input, or from another such module? */
function runsModule(name: string | undefined, rest: readonly ShellWord[], form: CodeForm): boolean {
  const codeModules = recordPattern(form["code-modules"]);
  if (name === undefined || codeModules.test(name)) return true;
  if (!recordPattern(form["running-modules"]).test(name)) return false;
  return rest.some(({ value }) => {
    if (value === undefined || namesInput(value) || (value.startsWith("-c") && name !== "trace")) return true;
    return codeModules.test(value.replace(/^-[A-Za-z]*?m(?=.)/, ""));
  });
}
