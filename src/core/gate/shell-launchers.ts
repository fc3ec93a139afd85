/**
 * Finds the commands that programs and builtins such as `sudo`, `xargs` and `find` run. Whatever the tables do not cover
 * (an unknown option, a computed word in front of the command) is `opaque`, never guessed.
 */
import { launchesOfPackages, mayStartWords } from "./package-launchers.ts";
import { replCode } from "./shell-code-words.ts";
import { isKnownForCode, takesCode } from "./shell-interpreters.ts";
import { namesInput } from "./shell-options.ts";
import type { VariableValue } from "./shell-variables.ts";
import { literalWord, unknownWord, valueAt, type ShellWord } from "./shell-words.ts";
import { startsNoWord } from "./shell-wrappers.ts";
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

/** One-letter options without (`flags`) and with a value (`values`); long options, each list separated by spaces. */
interface OptionShape {
  readonly flags?: string;
  readonly values?: string;
  readonly longFlags?: string;
  /** The value stands only behind `=`, never in the next word. */
  readonly longOptional?: string;
  readonly longValues?: string;
}

interface LauncherShape extends OptionShape {
  /** Words before the command, such as the duration of `timeout`. */
  readonly operands?: number;
  /** `NAME=VALUE` words before the command are variables. */
  readonly assignments?: boolean;
  /** It changes who runs the command, so it needs a permission of its own. */
  readonly isOwnCommand?: boolean;
  /** Without a command it does not do something harmless, as `env` does, but starts a shell (`sudo -i`). */
  readonly needsCommand?: boolean;
}

const shapes: ReadonlyMap<string, LauncherShape> = new Map<string, LauncherShape>([
  ["builtin", {}],
  ["busybox", {}],
  ["toybox", {}],
  ["command", { flags: "p" }],
  ["doas", { flags: "nL", values: "uC", isOwnCommand: true, needsCommand: true }],
  [
    "env",
    { flags: "i0v", values: "u", longFlags: "ignore-environment null debug", longValues: "unset", assignments: true },
  ],
  ["exec", { flags: "cl", values: "a" }],
  ["ionice", { flags: "t", values: "cn", needsCommand: true }],
  ["nice", { values: "n", longValues: "adjustment" }],
  ["nohup", {}],
  ["setsid", { flags: "cfw", longFlags: "ctty fork wait" }],
  ["stdbuf", { values: "ioe", longValues: "input output error" }],
  [
    "sudo",
    {
      flags: "AbEHknPSv",
      // Without -h, which asks for help or names a host in the next word.
      values: "CgprRtTuU",
      longFlags: "set-home non-interactive stdin background",
      longOptional: "preserve-env",
      longValues: "user group host prompt",
      assignments: true,
      isOwnCommand: true,
      needsCommand: true,
    },
  ],
  ["time", { flags: "apv" }],
  [
    "timeout",
    {
      flags: "fpv",
      values: "ks",
      longFlags: "foreground preserve-status verbose",
      longValues: "kill-after signal",
      operands: 1,
    },
  ],
]);

/** They start programs by arguments, files or rules that are not analysed here. */
const opaqueLaunchers: ReadonlySet<string> = new Set(
  (
    ". abduco at bash_completion batch bind bwrap capsh catchsegv cgexec chpst chroot chrt cmd cmd.exe wsl compgen complete " +
    "cpulimit crontab cross-env cross-env-shell csh daemon daemonize dbus-launch dbus-run-session dtach dumb-init " +
    "eatmydata elvish enable env-cmd envdir envuidgid expect fakeroot faketime fc firejail fish flock gdb gosu gtime i386 " +
    "i486 i586 i686 ksh linux32 linux64 ltrace mksh newgrp nq nsenter nu numactl parallel perf pkexec powershell prlimit " +
    "proot proxychains proxychains4 pwsh rlwrap runcon runuser rush-x s6-envdir s6-setuidgid screen script sem setarch " +
    "setpriv setuidgid sg softlimit source ssh-agent start-stop-daemon strace su su-exec systemd-inhibit systemd-nspawn " +
    "systemd-run taskset tcsh tini tmux torsocks trace-cmd tsp uname26 unbuffer unshare valgrind watch watchexec " +
    "with-contenv wsrun x86_64 xdg-open xonsh xvfb-run zellij zsh"
  ).split(" "),
);

const shells: ReadonlySet<string> = new Set(["ash", "bash", "dash", "rbash", "sh"]);

const none: Launches = { launches: [], transparent: false };

/** True if no table says what the program does with its words. `name` is plain. */
export const isUnknownProgram = (name: string): boolean =>
  !(
    startsNoWord(name) ||
    shells.has(name) ||
    shapes.has(name) ||
    specials.has(name) ||
    opaqueLaunchers.has(name) ||
    (isKnownForCode(name) && !mayStartWords(name))
  );

/** What a command launches. `words` begins with its plain name (without a path). */
export function launchesOf(words: readonly ShellWord[]): Launches {
  const name = words[0]?.value;
  if (name === undefined) return none;
  if (shells.has(name)) return launchesOfShell(words);
  if (isActivation(words)) return { launches: [{ type: "sourced" }], transparent: false };
  const container = containers.has(name) ? launchesOfContainer(words) : undefined;
  if (container !== undefined) return container;
  if (opaqueLaunchers.has(name)) return opaqueLaunch;
  if (takesCode(words)) {
    const program = wordProgram(words);
    return program === undefined ? opaqueLaunch : { launches: [{ type: "program", ...program }], transparent: false };
  }
  const shape = shapes.get(name);
  if (shape !== undefined) return launchesOfShape(words, shape);
  const special = specials.get(name);
  return special === undefined ? (launchesOfPackages(words) ?? none) : special(words);
}

const specials: ReadonlyMap<string, (words: readonly ShellWord[]) => Launches> = new Map([
  ["alias", launchesOfAlias],
  ["duckdb", launchesOfDatabase],
  ["mariadb", launchesOfDatabase],
  ["mysql", launchesOfDatabase],
  ["psql", launchesOfDatabase],
  ["sqlite3", launchesOfDatabase],
  ["eval", launchesOfEval],
  ["find", launchesOfFind],
  ["trap", launchesOfTrap],
  ["xargs", launchesOfXargs],
]);

const opaqueLaunch: Launches = { launches: [{ type: "opaque", reason: "launcher" }], transparent: false };
const computedScript: Launches = { launches: [{ type: "opaque", reason: "computed-script" }], transparent: false };

function launchesOfShape(words: readonly ShellWord[], shape: LauncherShape): Launches {
  const isQuery = words[0]?.value === "command" && /^-[vV]+$/.test(valueAt(words, 1));
  if (isQuery) return none;
  const options = readOptions(words, shape);
  if (options === undefined) return opaqueLaunch;
  const assigned: VariableValue[] = [];
  let at = options.end;
  for (; shape.assignments === true; at += 1) {
    const word = words[at];
    const variable = /^([A-Za-z_]\w*)=/.exec(word?.value ?? word?.text ?? "")?.[1];
    if (variable === undefined) break;
    assigned.push({ name: variable, value: word?.value?.slice(variable.length + 1) });
  }
  at += shape.operands ?? 0;
  const transparent = shape.isOwnCommand !== true;
  if (at < words.length) return { launches: [{ type: "command", words: words.slice(at), assigned }], transparent };
  return shape.needsCommand === true ? opaqueLaunch : none;
}

interface ReadOptions {
  /** Options with a value, by their names without dashes. A value that the shell computes is undefined. */
  readonly given: readonly { readonly name: string; readonly value: string | undefined }[];
  /** Index of the first word behind the options. */
  readonly end: number;
}

/** Undefined if an option is unknown or computed. */
function readOptions(words: readonly ShellWord[], shape: OptionShape): ReadOptions | undefined {
  const given: { name: string; value: string | undefined }[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at]?.value;
    if (word === undefined) return undefined;
    if (word === "--") return { given, end: at + 1 };
    if (!word.startsWith("-") || (word === "-" && shape.flags?.includes("i") !== true)) return { given, end: at };
    const option = word.startsWith("--") ? longOption(word.slice(2), shape) : shortOption(word.slice(1), shape);
    if (option === undefined) return undefined;
    if (option.takesNext) at += 1;
    given.push({ name: option.name, value: option.takesNext ? words[at]?.value : option.value });
  }
  return { given, end: words.length };
}

interface Option {
  /** Empty for a flag. */
  readonly name: string;
  readonly value: string | undefined;
  readonly takesNext: boolean;
}

const flag: Option = { name: "", value: undefined, takesNext: false };

function longOption(option: string, shape: OptionShape): Option | undefined {
  const at = option.indexOf("=");
  const name = at < 0 ? option : option.slice(0, at);
  const value = at < 0 ? undefined : option.slice(at + 1);
  const isIn = (names = ""): boolean => names.split(" ").includes(name);
  if (isIn(shape.longValues)) return { name, value, takesNext: value === undefined };
  if (isIn(shape.longOptional)) return { name, value, takesNext: false };
  return isIn(shape.longFlags) && value === undefined ? flag : undefined;
}

function shortOption(letters: string, { flags = "", values = "" }: OptionShape): Option | undefined {
  if (values.includes("n") && /^\d+$/.test(letters)) return flag;
  for (const [at, letter] of [...letters].entries()) {
    const glued = letters.slice(at + 1);
    if (values.includes(letter)) return { name: letter, value: glued, takesNext: glued === "" };
    if (!flags.includes(letter)) return undefined;
  }
  return flag;
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

const containers: ReadonlySet<string> = new Set(["docker", "podman"]);
/** Options that give a container nothing of this machine: no folder, no device, no other network, no other program. */
const containerShapes: ReadonlyMap<string, OptionShape> = new Map(
  Object.entries<OptionShape>({
    exec: { flags: "it", values: "u", longFlags: "interactive tty", longValues: "user" },
    run: {
      flags: "itdP",
      values: "pu",
      longFlags: "rm interactive tty detach init read-only publish-all",
      longValues: "name publish platform user pull hostname",
    },
  }),
);

/** What it starts in a container is judged as if it were started here. Undefined if the options do not say what that is. */
function launchesOfContainer(words: readonly ShellWord[]): Launches | undefined {
  const shape = containerShapes.get(valueAt(words, 1));
  const inner = words.slice(1);
  const options = shape === undefined ? undefined : readOptions(inner, shape);
  if (options === undefined || options.given.some(({ name, value }) => name !== "" && value === undefined))
    return undefined;
  if (!/^\w[\w./:@-]*$/.test(valueAt(inner, options.end))) return undefined;
  const command = inner.slice(options.end + 1);
  return {
    launches: command.length === 0 ? [] : [{ type: "command", words: command, assigned: [] }],
    transparent: false,
  };
}

/** Without a statement in the words, a database's shell reads its input. */
function launchesOfDatabase(words: readonly ShellWord[]): Launches {
  const isFile = /^(?:sqlite3|duckdb)$/.test(valueAt(words, 0));
  const operands = words.slice(1).filter((word) => word.value?.startsWith("-") !== true);
  const given = words.some((word) =>
    /^-(?:[A-Za-z]*[cfeVlh]|-(?:command|file|execute|version|help|list)\b)/.test(word.value ?? ""),
  );
  if (isFile ? operands.length > 1 || words.some((word) => /^-?-version$/.test(word.value ?? "")) : given) return none;
  return { launches: [{ type: "statements", code: replCode }], transparent: false };
}

const xargsShape: OptionShape = {
  flags: "0oprtx",
  values: "EILPansd",
  longFlags: "null no-run-if-empty verbose interactive exit open-tty",
  longOptional: "eof max-lines replace",
  longValues: "arg-file delimiter max-args max-chars max-procs",
};

function launchesOfXargs(words: readonly ShellWord[]): Launches {
  const options = readOptions(words, xargsShape);
  if (options === undefined) return opaqueLaunch;
  const { end, given } = options;
  const command = words.slice(end);
  if (command.length === 0) return none;
  const marks = given.flatMap(({ name, value }) => (name === "I" || name === "replace" ? [value ?? "{}"] : []));
  // With -I and a number of words or lines the last one applies.
  const appends = marks.length === 0 || given.some(({ name }) => /^(?:[nL]|max-(?:args|lines))$/.test(name));
  const whole = [...command.map((word) => fill(word, marks)), ...(appends ? [unknownWord("(input)")] : [])];
  const transparent = given.every(({ name }) => name !== "a" && name !== "arg-file");
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

/** The words with the name as the tables have it: without its path. */
export function withPlainName(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = words[0]?.value;
  if (name?.includes("/") !== true) return words;
  return [literalWord(name.slice(name.lastIndexOf("/") + 1)), ...words.slice(1)];
}
