/**
 * Effects of setting a variable: it can influence a program, name a command that a program runs, or be evaluated by bash
 * (bash manual 5, "Shell Variables", and 6.5, "Shell Arithmetic").
 */
import { environmentNames } from "./programs.ts";

const plainNumber = /^[-+]?(?:0[xX][\da-fA-F]+|\d+)?$/;

/** A number: bash arithmetic evaluates nothing else in it. */
export const isPlainNumber = (text: string): boolean => plainNumber.test(text.trim());

/** A variable that a shell text sets. `value`: null if there is none (`export A`), undefined if the shell computes it. */
export interface VariableValue {
  readonly name: string;
  readonly value: string | null | undefined;
}

/**
 * Variables that influence programs or the shell are upper case by convention (`PATH`, `LD_PRELOAD`, `BASH_ENV`);
 * these do not change what runs (`IFS` only splits words that are computed anyway).
 */
const harmlessCapitals = /^(?:LANG|LC_[A-Z]+|NO_COLOR|FORCE_COLOR|CI|TERM|COLUMNS|LINES|IFS)$/;
/** Lower-case variables that programs or zsh read. */
const steeringSmall = /_proxy$|^(?:path|fpath|cdpath|manpath|module_path|prompt)$|^npm_config_/;

/** Does setting this variable need a rule in the policy? */
export const isSteeringVariable = ({ name, value }: VariableValue): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name)
    ? steeringSmall.test(name)
    : !harmlessCapitals.test(name) && !isPlainSetting(name, value ?? "");

/** Folders of modules. One of the project is as any other file of it that a program runs. */
const moduleFolders = /^(?:PYTHONPATH|NODE_PATH|RUBYLIB|PERL5LIB|CLASSPATH)$/;
const projectFolder = /^(?:\.|(?:\.\/)?[\w-]+(?:\/[\w-]+)*\/?)$/;

/** Values with which a program does less, or takes more memory: they need no rule, though another value of the variable would. */
const plainSettings: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:(?:GIT_|GIT_SEQUENCE_)?EDITOR|VISUAL)$/, /^(?:true|:)$/],
  [/^(?:GIT_|MAN|GH_)?PAGER$/, /^cat$/],
  [/^PYTHONPATH$/, projectFolder],
  // `:/etc/passwd` is a file that each program opens.
  [/^TZ$/, /^[A-Z][\w+/-]*$/],
  [/^NODE_OPTIONS$/, /^(?:(?:--max-old-space-size=\d+|--no-warnings|--no-deprecation|--enable-source-maps) ?)+$/],
];
const isPlainSetting = (name: string, value: string): boolean =>
  plainSettings.some(([wanted, plain]) => wanted.test(name) && plain.test(value));

/** Bash evaluates values assigned to them as arithmetic: they have the integer attribute or a setter. */
const integers: ReadonlySet<string> = new Set(
  "BASHPID BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS HISTCMD LINENO OPTIND PPID RANDOM SECONDS SRANDOM".split(" "),
);

/** Bash runs their value or the file it names, or changes how it parses text and globs. */
const evaluated = /^(?:PROMPT_COMMAND|BASH_ENV|ENV|BASH_ALIASES|BASH_CMDS|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|GLOBIGNORE)$/;

/** Does bash evaluate the value as code? */
export function isEvaluated({ name, value }: VariableValue): boolean {
  if (value === null) return false;
  // Make expands the values of its environment.
  if (/\$[({]\s*(?:shell|eval|call|file|guile|load)\b/.test(value ?? "")) return true;
  if (integers.has(name)) return value === undefined || !isPlainNumber(value);
  if (/^PS[0-4]$/.test(name)) return value === undefined || /[$`\\!]/.test(value);
  return evaluated.test(name);
}

/** Programs run their value, load the file it names, or take options, settings or code from it: `env` of the records. */
const commandVariables = new RegExp(`^(?:${environmentNames().join("|")})$`);

/** Values that run nothing unexpected. */
const harmlessValue = new RegExp(
  "^(?:" +
    [
      "|0|1|:|no|never|echo|true|false|(?:/usr)?/bin/(?:true|false|cat|bash|sh)|bash|sh|cat|more|less(?: -[A-Za-z]+)?|vi|vim|nano",
      "(?:(?:--max-old-space-size=\\d+|--no-warnings|--no-deprecation|--enable-source-maps|--trace-[a-z-]+) ?)+",
      "-j ?\\d*|-[FRXSMi]+",
      "(?:gcc|g\\+\\+|clang|clang\\+\\+|cc|c\\+\\+)(?:-\\d+)?",
      "(?:-X(?:mx|ms|ss)\\d+[kmgKMG]? ?)+",
    ].join("|") +
    ")$",
);

/** Does a program run the value as a command, or load the code or the settings it names? */
export function namesCommand({ name, value }: VariableValue): boolean {
  if (value === null || !commandVariables.test(name)) return false;
  if (value === undefined) return true;
  // As an editor or a pager a shell runs the text that it gets.
  if (/(?:^|\/)(?:ba)?sh$/.test(value)) return !name.endsWith("SHELL");
  return !(harmlessValue.test(value) || (moduleFolders.test(name) && projectFolder.test(value)));
}
