/**
 * Finds the commands that programs and builtins such as `sudo`, `xargs` and `find` run, by the roles of their operands. Whatever the
 * records do not cover (an unknown option, a computed word in front of the command) is `opaque`, never guessed.
 */
import { launchesOfCmake, launchesOfPackages, programsFrom } from "./package-launchers.ts";
import type { Program } from "./program-entry.ts";
import type { ProgramWords } from "./program-words.ts";
import { recordPattern, takesCode } from "./shell-interpreters.ts";
import { namesInput } from "./shell-options.ts";
import type { VariableValue } from "./shell-variables.ts";
import { literalWord, unknownWord, valueAt, type ShellWord } from "./shell-words.ts";
import { wordProgram, type SmallLanguage } from "./small-programs.ts";

export type ShellLaunch =
  | {
      readonly type: "command";
      readonly words: readonly ShellWord[];
      /** Variables that are set for it. */
      readonly assigned: readonly VariableValue[];
      /** A rule that allows the launcher also allows this command. */
      readonly isCovered?: true;
    }
  | { readonly type: "script"; readonly text: string }
  /** A shell that runs its input. */
  | { readonly type: "input" }
  /** A short program of an interpreter; without `text` it is the input. */
  | { readonly type: "program"; readonly language: SmallLanguage; readonly text: string | undefined }
  /** A file of the project that changes the shell which reads it. */
  | { readonly type: "sourced" }
  /** A database's own shell that runs its input: commands that match start programs or touch files. */
  | { readonly type: "statements"; readonly code: RegExp }
  | { readonly type: "opaque"; readonly reason: "launcher" | "computed-script" };

export interface Launches {
  readonly launches: readonly ShellLaunch[];
  /** The command has no effect besides what it launches, so it needs no permission of its own. */
  readonly transparent: boolean;
}

/** A command, or the part of it that begins with a subcommand. */
export interface SplitCommand {
  /** They begin with a plain name (without a path). */
  readonly words: readonly ShellWord[];
  /** By the options of the command. */
  readonly program: Program;
  readonly split: ProgramWords;
}

const launching = (...launches: readonly ShellLaunch[]): Launches => ({ launches, transparent: false });
export const noLaunches: Launches = launching();
export const opaqueLaunches: Launches = launching({ type: "opaque", reason: "launcher" });
const computedScript: Launches = launching({ type: "opaque", reason: "computed-script" });

/** What a command launches by other means than the roles of its operands; undefined if it launches nothing by them. */
export function launchesOf({ program, split, words }: SplitCommand): Launches | undefined {
  const { launch } = program.entry;
  if (launch === "source") return isActivation(words) ? launching({ type: "sourced" }) : opaqueLaunches;
  if (launch === "opaque") return opaqueLaunches;
  if (!hasCommandInSub(program, words) && takesCode({ program, split, words })) {
    const code = wordProgram(words, program.entry.code);
    return code === undefined ? opaqueLaunches : launching({ type: "program", ...code });
  }
  const module = moduleIn(program, words);
  if (module !== undefined) return launching({ type: "command", words: module, assigned: [], isCovered: true });
  if (program.entry.code?.statement !== undefined) return launchesOfDatabase(program, words);
  if (launch === "cmake") return launching(...launchesOfCmake(words, program));
  if (launch === "packages") return launching(...launchesOfPackages(words, program));
  return launch === "program" ? launching(...programsFrom(words, 1)) : undefined;
}

/** `python -m pytest -v` runs `pytest -v`. */
function moduleIn({ entry }: Program, words: readonly ShellWord[]): readonly ShellWord[] | undefined {
  if (entry.code?.module === undefined) return undefined;
  const option = recordPattern(entry.code.module);
  const at = words.findIndex(({ value }, index) => index > 0 && option.test(value ?? ""));
  const glued = option.exec(words[at]?.value ?? "")?.[1];
  const rest = words.slice(at + 1);
  if (glued === undefined || (glued === "" && rest[0]?.value?.startsWith("-") !== false)) return undefined;
  return glued === "" ? rest : [literalWord(glued), ...rest];
}

/** `docker exec db ls`, without an option before the subcommand. */
const hasCommandInSub = ({ sub }: Program, words: readonly ShellWord[]): boolean =>
  sub?.get(valueAt(words, 1))?.roles.at(-1)?.name === "command";

/** What the operands and the options with a command (`find -exec`) launch. */
export function launchesOfRoles({ program, split, words }: SplitCommand): Launches {
  const { entry, roles, sections } = program;
  if (split.options.some(({ spec }) => spec.section === "ends")) return noLaunches;
  if (sections.has("exec")) return launchesOfOptions({ program, split, words });
  const last = roles.at(-1)?.name;
  const text = roles.findIndex(({ name }) => name === "text" || name === "aliases");
  if (last !== "command" && text < 0 && entry.bare === undefined) return noLaunches;
  if (split.unknown.length > 0 || split.options.some(({ value }) => maySpread(value))) {
    const isComputed = split.unknown.every(({ word }) => word.value === undefined);
    return last !== "command" && isComputed ? computedScript : opaqueLaunches;
  }
  const operands = split.operands.map(({ word }) => word);
  if (text >= 0) return launchesOfTexts(program, operands);
  return last === "command" ? launchesOfCommand({ program, split }, operands) : launchesOfFile(operands);
}

/** Can a pattern in front of the command become several words? */
const maySpread = (word: ShellWord | null | undefined): boolean =>
  word != null && word.value === undefined && word.isOne !== true;

function launchesOfTexts({ roles }: Program, operands: readonly ShellWord[]): Launches {
  if (roles[0]?.name === "aliases") return launching(...operands.map(aliasOf));
  // `trap EXIT` has no text.
  if (operands.length < roles.length && roles.length > 1) return noLaunches;
  const values = roles[0]?.isMany === true ? operands.map(({ value }) => value) : [operands[0]?.value];
  if (values.includes(undefined)) return computedScript;
  return { launches: [{ type: "script", text: values.join(" ") }], transparent: true };
}

/** An alias runs later, if the shell is interactive; its text is judged now. */
function aliasOf({ value }: ShellWord): ShellLaunch {
  if (value === undefined) return { type: "opaque", reason: "computed-script" };
  // It joins the text behind the alias, so a command can be spread over both.
  if (value.endsWith("\\")) return { type: "opaque", reason: "launcher" };
  const at = value.indexOf("=");
  return { type: "script", text: at < 0 ? "" : value.slice(at + 1) };
}

/** A shell runs a file, or its input. */
function launchesOfFile([file]: readonly ShellWord[]): Launches {
  if (file === undefined) return launching({ type: "input" });
  return file.value === undefined || namesInput(file.value) ? computedScript : noLaunches;
}

/** The command begins behind the options and operands of the program. */
function launchesOfCommand({ program, split }: Omit<SplitCommand, "words">, operands: readonly ShellWord[]): Launches {
  const { entry, roles } = program;
  const assigned = roles[0]?.name === "assignments" ? assignmentsIn(operands) : [];
  const data = operands.slice(assigned.length).slice(0, roles.filter(({ name }) => name === "data").length);
  if (data.some(maySpread)) return opaqueLaunches;
  const command = operands.slice(assigned.length + data.length);
  if (command.length === 0) return entry.bare === "code" ? opaqueLaunches : noLaunches;
  const words = entry.input === "words" ? withInput(command, split) : command;
  const isListed = split.options.some(({ spec }) => spec.section === "names");
  return {
    launches: [{ type: "command", words, assigned }],
    transparent: entry.transparent === true && !isListed,
  };
}

/** `NAME=VALUE` words before the command. */
function assignmentsIn(words: readonly ShellWord[]): readonly VariableValue[] {
  const assigned: VariableValue[] = [];
  for (const { text, value } of words) {
    const name = /^([A-Za-z_]\w*)=/.exec(value ?? text)?.[1];
    if (name === undefined) break;
    assigned.push({ name, value: value?.slice(name.length + 1) });
  }
  return assigned;
}

/** Its input has further words, at the end or in the place of a mark. */
function withInput(command: readonly ShellWord[], { options }: ProgramWords): readonly ShellWord[] {
  const marks = options.flatMap(({ spec, value }) => (spec.section === "mark" ? [value?.value ?? "{}"] : []));
  const appends = marks.length === 0 || options.some(({ spec }) => spec.section === "append");
  const filled = command.map((word) => fill(word, marks));
  return appends ? [...filled, unknownWord("(input)")] : filled;
}

const fill = (word: ShellWord, marks: readonly string[]): ShellWord =>
  marks.some((mark) => (word.value ?? word.text).includes(mark)) ? unknownWord(word.text) : word;

/** Commands of one `find` that are analysed; more are opaque. */
const OPTION_COMMANDS_MAX = 100;

function launchesOfOptions({ split, words }: SplitCommand): Launches {
  const commands = split.options.flatMap(({ command }) => (command === undefined ? [] : [command]));
  const launches = commands.slice(0, OPTION_COMMANDS_MAX).map((command): ShellLaunch => ({
    type: "command",
    words: command.map((word) => fill(word, ["{}"])),
    assigned: [],
  }));
  if (commands.length > OPTION_COMMANDS_MAX) launches.push({ type: "opaque", reason: "launcher" });
  // A computed word can become -exec.
  const isComputed = words.slice(1).some(({ path, value }) => value === undefined && (path?.startsWith("*") ?? true));
  return isComputed ? launching(...launches, { type: "opaque", reason: "computed-script" }) : launching(...launches);
}

/** `. .venv/bin/activate` */
const isActivation = (words: readonly ShellWord[]): boolean =>
  words.length === 2 && /^(?:\.\/)?\.?v?env\/bin\/activate$/.test(valueAt(words, 1));

/** Without a statement in the words, a database's shell reads its input. */
function launchesOfDatabase({ entry }: Program, words: readonly ShellWord[]): Launches {
  const { databases = Infinity, mode, statement = "(?!)", words: code = "" } = entry.code ?? {};
  const given = new RegExp(statement);
  const isGiven = words.some(({ value }) => given.test(value ?? ""));
  const operands = words.slice(1).filter(({ value }) => value?.startsWith("-") !== true);
  return isGiven || operands.length > databases
    ? noLaunches
    : launching({ type: "statements", code: new RegExp(code, mode) });
}
