/**
 * Finds the commands that programs and builtins such as `sudo`, `xargs` and `find` run. Whatever the records do not cover
 * (an unknown option, a computed word in front of the command) is `opaque`, never guessed.
 */
import { launchesOfCmake, launchesOfPackages, launchesOfRunner } from "./package-launchers.ts";
import type { Program } from "./program-entry.ts";
import { splitWords } from "./program-words.ts";
import { programNamed } from "./programs.ts";
import { takesCode } from "./shell-interpreters.ts";
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
  /** Shell text. */
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

const none: Launches = { launches: [], transparent: false };

/** True if no record says what the program does with its words. `name` is plain. */
export function isUnknownProgram(name: string): boolean {
  const program = programNamed(name);
  return program === undefined || program.entry.starts === "words";
}

/** What a command launches. `words` begins with its plain name (without a path). */
export function launchesOf(words: readonly ShellWord[]): Launches {
  const name = words[0]?.value;
  if (name === undefined) return none;
  if (isActivation(words)) return { launches: [{ type: "sourced" }], transparent: false };
  const program = programNamed(name);
  const launch = program?.entry.launch;
  if (program !== undefined && launch === "container") {
    const container = launchesOfContainer(words, program);
    if (container !== undefined) return container;
  }
  if (launch === "opaque") return opaqueLaunch;
  if (takesCode(words)) {
    const code = wordProgram(words);
    return code === undefined ? opaqueLaunch : { launches: [{ type: "program", ...code }], transparent: false };
  }
  if (program === undefined) return none;
  const reader = readers.get(launch ?? "");
  if (reader !== undefined) return reader(words, program);
  return program.roles.at(-1)?.name === "command" ? launchesOfCommand(words, program) : none;
}

/** By the `launch` of a record. */
const readers: ReadonlyMap<string, (words: readonly ShellWord[], program: Program) => Launches> = new Map([
  ["alias", launchesOfAlias],
  ["cmake", launchesOfCmake],
  ["database", launchesOfDatabase],
  ["eval", launchesOfEval],
  ["find", launchesOfFind],
  ["packages", launchesOfPackages],
  ["program", launchesOfRunner],
  ["shell", launchesOfShell],
  ["trap", launchesOfTrap],
  ["xargs", launchesOfXargs],
]);

const opaqueLaunch: Launches = { launches: [{ type: "opaque", reason: "launcher" }], transparent: false };
const computedScript: Launches = { launches: [{ type: "opaque", reason: "computed-script" }], transparent: false };

/** The command begins behind the options and operands of the program. */
function launchesOfCommand(words: readonly ShellWord[], program: Program): Launches {
  const { entry, roles } = program;
  const split = splitWords(words, program);
  if (split.options.some(({ spec }) => spec.section === "ends")) return none;
  if (split.unknown.length > 0) return opaqueLaunch;
  const operands = split.operands.map(({ word }) => word);
  const assigned = roles[0]?.name === "assignments" ? assignmentsIn(operands) : [];
  const command = operands.slice(assigned.length + roles.filter(({ name }) => name === "data").length);
  const transparent = entry.transparent === true;
  if (command.length > 0) return { launches: [{ type: "command", words: command, assigned }], transparent };
  return entry.bare === "code" ? opaqueLaunch : none;
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

/** Options that change neither what is run nor where it comes from. */
const harmlessShellOptions: ReadonlySet<string> = new Set("--login --noprofile --norc --posix --restricted".split(" "));
const harmlessSetOptions: ReadonlySet<string> = new Set(
  "errexit errtrace nounset noclobber noglob noexec pipefail posix verbose xtrace".split(" "),
);

function launchesOfShell(words: readonly ShellWord[]): Launches {
  let at = 1;
  let takesScript = false;
  for (; at < words.length; at += 1) {
    const option = words[at]?.value;
    if (option === undefined) return computedScript;
    if (harmlessShellOptions.has(option)) continue;
    if (option === "--" || option === "-") {
      at += 1;
      break;
    }
    const letters = /^[-+]([a-z]+)$/.exec(option)?.[1];
    if (letters === undefined && !/^[-+]/.test(option)) break;
    if (letters === undefined || !/^[celnouvx]+$/.test(letters)) return opaqueLaunch;
    takesScript ||= option.startsWith("-") && letters.includes("c");
    if (letters.includes("o")) {
      at += 1;
      if (!harmlessSetOptions.has(valueAt(words, at))) return opaqueLaunch;
    }
  }
  const operand = words[at];
  if (takesScript) return operand?.value === undefined ? computedScript : script(operand.value);
  if (operand === undefined) return { launches: [{ type: "input" }], transparent: false };
  return operand.value === undefined || namesInput(operand.value) ? computedScript : none;
}

const script = (text: string): Launches => ({ launches: [{ type: "script", text }], transparent: true });

function launchesOfEval(words: readonly ShellWord[]): Launches {
  const values = words.slice(words[1]?.value === "--" ? 2 : 1).map((word) => word.value);
  return values.includes(undefined) ? computedScript : script(values.join(" "));
}

function launchesOfTrap(words: readonly ShellWord[]): Launches {
  const operands = words.slice(1).filter((word) => word.text !== "--");
  const [first] = operands;
  if (first === undefined || operands.length === 1 || /^-[lp]?$/.test(first.value ?? "x")) return none;
  return first.value === undefined ? computedScript : script(first.value);
}

/** An alias runs later, if the shell is interactive; its text is judged now. */
function launchesOfAlias(words: readonly ShellWord[]): Launches {
  const launches = words.slice(1).map((word): ShellLaunch => {
    if (word.value === undefined) return { type: "opaque", reason: "computed-script" };
    // It joins the text behind the alias, so a command can be spread over both.
    if (word.value.endsWith("\\")) return { type: "opaque", reason: "launcher" };
    const at = word.value.indexOf("=");
    return { type: "script", text: at < 0 ? "" : word.value.slice(at + 1) };
  });
  return { launches, transparent: false };
}

/** `. .venv/bin/activate` */
const isActivation = (words: readonly ShellWord[]): boolean =>
  words.length === 2 &&
  /^(?:source|\.)$/.test(valueAt(words, 0)) &&
  /^(?:\.\/)?\.?v?env\/bin\/activate$/.test(valueAt(words, 1));

/**
 * What it starts in a container is judged as if it were started here. Undefined if the options do not say what that is: those of the
 * record give a container nothing of this machine, no folder, no device, no other network, no other program.
 */
function launchesOfContainer(words: readonly ShellWord[], { sub }: Program): Launches | undefined {
  const program = sub?.get(valueAt(words, 1));
  if (program === undefined) return undefined;
  const { operands, options, unknown } = splitWords(words.slice(1), program);
  if (unknown.length > 0 || options.some(({ value }) => value !== null && value.value === undefined)) return undefined;
  const [image, ...command] = operands.map(({ word }) => word);
  if (!/^\w[\w./:@-]*$/.test(image?.value ?? "")) return undefined;
  const launches: readonly ShellLaunch[] =
    command.length === 0 ? [] : [{ type: "command", words: command, assigned: [] }];
  return { launches, transparent: false };
}

/** Without a statement in the words, a database's shell reads its input. */
function launchesOfDatabase(words: readonly ShellWord[], { entry }: Program): Launches {
  const isFile = /^(?:sqlite3|duckdb)$/.test(valueAt(words, 0));
  const operands = words.slice(1).filter((word) => word.value?.startsWith("-") !== true);
  const given = words.some((word) =>
    /^-(?:[A-Za-z]*[cfeVlh]|-(?:command|file|execute|version|help|list)\b)/.test(word.value ?? ""),
  );
  if (isFile ? operands.length > 1 || words.some((word) => /^-?-version$/.test(word.value ?? "")) : given) return none;
  const code = new RegExp(entry.code?.words ?? "", entry.code?.mode);
  return { launches: [{ type: "statements", code }], transparent: false };
}

function launchesOfXargs(words: readonly ShellWord[], program: Program): Launches {
  const { operands, options, unknown } = splitWords(words, program);
  if (unknown.length > 0) return opaqueLaunch;
  const command = operands.map(({ word }) => word);
  if (command.length === 0) return none;
  const marks = options.flatMap(({ spec, value }) =>
    spec.names.some((name) => /^(?:-I|--replace)$/.test(name)) ? [value?.value ?? "{}"] : [],
  );
  // With -I and a number of words or lines the last one applies.
  const appends = marks.length === 0 || options.some(({ name }) => /^(?:-[nL]|--max-(?:args|lines))$/.test(name));
  const filled = marks.length === 0 ? command : command.map((word) => fill(word, marks));
  const whole = appends ? [...filled, unknownWord("(input)")] : filled;
  const transparent = options.every(({ spec }) => spec.section !== "names");
  return { launches: [{ type: "command", words: whole, assigned: [] }], transparent };
}

const fill = (word: ShellWord, marks: readonly string[]): ShellWord =>
  marks.some((mark) => (word.value ?? word.text).includes(mark)) ? unknownWord(word.text) : word;

/** Commands of one `find` that are analysed; more are opaque. */
const findCommandsMax = 100;

/** A `+` ends the command only after `{}`. */
const endsExec = (words: readonly ShellWord[], word: ShellWord, at: number): boolean =>
  word.value === ";" || (word.value === "+" && words[at - 1]?.value === "{}");

function launchesOfFind(words: readonly ShellWord[]): Launches {
  const launches: ShellLaunch[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(valueAt(words, at))) continue;
    if (launches.length >= findCommandsMax) {
      launches.push({ type: "opaque", reason: "launcher" });
      break;
    }
    const end = words.findIndex((word, index) => index > at && endsExec(words, word, index));
    const inner = words.slice(at + 1, end < 0 ? undefined : end).map((word) => fill(word, ["{}"]));
    launches.push({ type: "command", words: inner, assigned: [] });
  }
  // A computed word can become -exec.
  const computed = words.slice(1).some((word) => word.value === undefined && (word.path?.startsWith("*") ?? true));
  if (computed) launches.push({ type: "opaque", reason: "computed-script" });
  return { launches, transparent: false };
}

/** The words with the name as the records have it: without its path. */
export function withPlainName(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = words[0]?.value;
  if (name?.includes("/") !== true) return words;
  return [literalWord(name.slice(name.lastIndexOf("/") + 1)), ...words.slice(1)];
}
