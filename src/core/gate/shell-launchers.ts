/**
 * Programs and builtins that run another command: which of their words it is. What the table does not know for certain
 * (an unknown option, a word that the shell computes before the command) is `unreadable`, never a guess.
 */
import { interpretedCode } from "./shell-interpreters.ts";
import { namesInput } from "./shell-options.ts";
import type { VariableValue } from "./shell-variables.ts";
import { literalWord, unknownWord, type ShellWord } from "./shell-words.ts";

export type ShellLaunch =
  /** The words of another command. `assigned`: variables set for it. */
  | {
      readonly type: "command";
      readonly words: readonly ShellWord[];
      readonly assigned: readonly VariableValue[];
      /** An allow for the launcher is one for this command too. */
      readonly isCovered?: true;
    }
  /** Shell text. */
  | { readonly type: "script"; readonly text: string }
  /** A shell that runs what it reads from its input. */
  | { readonly type: "input" }
  | { readonly type: "unreadable"; readonly why: string };

export interface Launches {
  readonly launches: readonly ShellLaunch[];
  /** The command does nothing of its own: it needs no permission beside that of what it launches. */
  readonly transparent: boolean;
}

interface LauncherShape {
  /** One-letter options without and with a value. */
  readonly flags: string;
  readonly values: string;
  readonly longFlags?: readonly string[];
  /** A value only behind `=`, never in the next word. */
  readonly longOptional?: readonly string[];
  readonly longValues?: readonly string[];
  /** Words before the command, such as the duration of `timeout`. */
  readonly operands?: number;
  readonly assignments?: boolean;
  readonly transparent: boolean;
  /** Without a command it does something harmless (`env` prints), or starts a shell (`sudo -i`). */
  readonly alone?: "harmless" | "unreadable";
}

const shapes: ReadonlyMap<string, LauncherShape> = new Map<string, LauncherShape>([
  ["builtin", { flags: "", values: "", transparent: true }],
  ["busybox", { flags: "", values: "", transparent: true }],
  ["toybox", { flags: "", values: "", transparent: true }],
  ["command", { flags: "p", values: "", transparent: true }],
  ["doas", { flags: "nL", values: "uC", transparent: false, alone: "unreadable" }],
  [
    "env",
    {
      flags: "i0v",
      values: "u",
      longFlags: ["ignore-environment", "null", "debug"],
      longValues: ["unset"],
      assignments: true,
      transparent: true,
    },
  ],
  ["exec", { flags: "cl", values: "a", transparent: true }],
  ["ionice", { flags: "t", values: "cn", transparent: true, alone: "unreadable" }],
  ["nice", { flags: "", values: "n", longValues: ["adjustment"], transparent: true }],
  ["nohup", { flags: "", values: "", transparent: true }],
  ["setsid", { flags: "cfw", values: "", longFlags: ["ctty", "fork", "wait"], transparent: true }],
  ["stdbuf", { flags: "", values: "ioe", longValues: ["input", "output", "error"], transparent: true }],
  [
    "sudo",
    {
      flags: "AbEHknPSv",
      // Not -h: it asks for help, or names a host in the next word.
      values: "CgprRtTuU",
      longFlags: ["set-home", "non-interactive", "stdin", "background"],
      longOptional: ["preserve-env"],
      longValues: ["user", "group", "host", "prompt"],
      assignments: true,
      transparent: false,
      alone: "unreadable",
    },
  ],
  ["time", { flags: "apv", values: "", transparent: true }],
  [
    "timeout",
    {
      flags: "fpv",
      values: "ks",
      longFlags: ["foreground", "preserve-status", "verbose"],
      longValues: ["kill-after", "signal"],
      operands: 1,
      transparent: true,
    },
  ],
]);

/** They start programs by words, files or rules that are not read here. */
const unreadLaunchers: ReadonlySet<string> = new Set(
  (
    ". at batch bash_completion bind bwrap catchsegv chpst chroot chrt complete compgen cpulimit crontab csh eatmydata enable " +
    "expect faketime fakeroot fc firejail fish flock gdb ksh ltrace mksh numactl nsenter parallel perf pkexec powershell " +
    "prlimit proxychains proxychains4 pwsh rlwrap runcon runuser screen script setarch setpriv source ssh-agent start-stop-daemon " +
    "strace su systemd-run taskset tcsh tmux torsocks trace-cmd unbuffer unshare watch xvfb-run zsh"
  ).split(" "),
);

const shells: ReadonlySet<string> = new Set(["ash", "bash", "dash", "rbash", "sh"]);

/** They run a program of the project, and what they run needs no permission of its own; a rule that restricts it still matches. */
const runners: readonly RegExp[] = [
  /^(?:npx|bunx|uvx)(?: (?:-y|--yes|--no-install|--no))*(?: --)?$/,
  /^(?:uv|poetry|pipenv|rye|hatch|pipx|conda|mamba) run(?: --)?$/,
  /^(?:bundle|npm|pnpm|yarn|mise) exec(?: --)?$/,
  /^(?:pnpm|yarn) dlx$|^npm x(?: --)?$/,
];

const runnerNames: ReadonlySet<string> = new Set(
  "bundle bunx conda hatch mamba mise npm npx pipenv pipx pnpm poetry rye uv uvx yarn".split(" "),
);

function launchesOfRunner(words: readonly ShellWord[]): Launches {
  const name = words[0]?.value ?? "";
  if (!runnerNames.has(name)) return none;
  let before = name;
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value?.startsWith("-") !== true) {
      if (runners.some((runner) => runner.test(before)))
        return {
          launches: [{ type: "command", words: words.slice(at), assigned: [], isCovered: true }],
          transparent: false,
        };
      // Behind the second word a runner has only options.
      if (at > 1) return none;
    }
    before += ` ${value ?? "$"}`;
  }
  return none;
}

const none: Launches = { launches: [], transparent: false };

/** What a command launches. `words` begins with its name, without folders. */
export function launchesOf(words: readonly ShellWord[]): Launches {
  const name = words[0]?.value;
  if (name === undefined) return none;
  if (unreadLaunchers.has(name)) return unreadable(`"${name}" starts programs in ways that are not read`);
  if (shells.has(name)) return launchesOfShell(words);
  const code = interpretedCode(words);
  if (code !== undefined) return unreadable(code);
  const shape = shapes.get(name);
  if (shape !== undefined) return launchesOfShape(words, shape);
  const special = specials.get(name);
  return special === undefined ? launchesOfRunner(words) : special(words);
}

const specials: ReadonlyMap<string, (words: readonly ShellWord[]) => Launches> = new Map([
  ["alias", launchesOfAlias],
  ["eval", launchesOfEval],
  ["find", launchesOfFind],
  ["trap", launchesOfTrap],
  ["xargs", launchesOfXargs],
]);

const unreadable = (why: string): Launches => ({ launches: [{ type: "unreadable", why }], transparent: false });

function launchesOfShape(words: readonly ShellWord[], shape: LauncherShape): Launches {
  const name = words[0]?.value ?? "";
  const isQuery = name === "command" && /^-[vV]+$/.test(words[1]?.value ?? "");
  if (isQuery) return none;
  const start = skipOptions(words, shape);
  if (start === undefined) return unreadable(`An option of "${name}" is not known`);
  const assigned: VariableValue[] = [];
  let at = start;
  for (; shape.assignments === true; at += 1) {
    const word = words[at];
    const variable = /^([A-Za-z_]\w*)=/.exec(word?.value ?? word?.text ?? "")?.[1];
    if (variable === undefined) break;
    assigned.push({ name: variable, value: word?.value?.slice(variable.length + 1) });
  }
  at += shape.operands ?? 0;
  if (at < words.length) {
    return { launches: [{ type: "command", words: words.slice(at), assigned }], transparent: shape.transparent };
  }
  return shape.alone === "unreadable" ? unreadable(`"${name}" without a command`) : none;
}

/** The index of the first word that is no option; undefined where an option is unknown or computed. */
function skipOptions(words: readonly ShellWord[], shape: LauncherShape): number | undefined {
  let at = 1;
  while (at < words.length) {
    const option = words[at]?.value;
    if (option === undefined) return undefined;
    if (option === "--") return at + 1;
    if (!option.startsWith("-") || (option === "-" && !shape.flags.includes("i"))) return at;
    const length = option.startsWith("--")
      ? longOptionLength(option.slice(2), shape)
      : shortOptionLength(option.slice(1), shape);
    if (length === undefined) return undefined;
    at += length;
  }
  return at;
}

/** How many words the option takes. */
function longOptionLength(option: string, shape: LauncherShape): number | undefined {
  const [name = "", ...value] = option.split("=");
  if (shape.longValues?.includes(name) === true) return value.length > 0 ? 1 : 2;
  if (shape.longOptional?.includes(name) === true) return 1;
  return shape.longFlags?.includes(name) === true && value.length === 0 ? 1 : undefined;
}

function shortOptionLength(letters: string, shape: LauncherShape): number | undefined {
  if (shape.values.includes("n") && /^\d+$/.test(letters)) return 1;
  for (let at = 0; at < letters.length; at += 1) {
    const letter = letters.charAt(at);
    if (shape.values.includes(letter)) return at === letters.length - 1 ? 2 : 1;
    if (!shape.flags.includes(letter)) return undefined;
  }
  return 1;
}

/** Options that change neither what is run nor where it comes from. */
const quietShellOptions: ReadonlySet<string> = new Set(["--login", "--noprofile", "--norc", "--posix", "--restricted"]);
const quietSetOptions: ReadonlySet<string> = new Set(
  "errexit errtrace nounset noclobber noglob noexec pipefail posix verbose xtrace".split(" "),
);

function launchesOfShell(words: readonly ShellWord[]): Launches {
  let at = 1;
  let takesScript = false;
  for (; at < words.length; at += 1) {
    const option = words[at]?.value;
    if (option === undefined) return unreadable("An option of the shell is computed");
    if (quietShellOptions.has(option)) continue;
    if (option === "--" || option === "-") {
      at += 1;
      break;
    }
    const letters = /^[-+]([a-z]+)$/.exec(option)?.[1];
    if (letters === undefined) {
      if (/^[-+]/.test(option)) return unreadable(`The option "${option}" of the shell is not known`);
      break;
    }
    if (!/^[celnouvx]+$/.test(letters)) return unreadable(`The option "${option}" of the shell is not known`);
    takesScript ||= option.startsWith("-") && letters.includes("c");
    if (letters.includes("o")) {
      at += 1;
      if (!quietSetOptions.has(words[at]?.value ?? "")) return unreadable("A set option of the shell is not known");
    }
  }
  const operand = words[at];
  if (takesScript)
    return operand?.value === undefined ? unreadable("The shell text is computed") : script(operand.value);
  if (operand !== undefined && (operand.value === undefined || namesInput(operand.value)))
    return unreadable("The file that the shell runs is computed");
  return operand === undefined ? { launches: [{ type: "input" }], transparent: false } : none;
}

const script = (text: string): Launches => ({ launches: [{ type: "script", text }], transparent: true });

function launchesOfEval(words: readonly ShellWord[]): Launches {
  const values = words.slice(words[1]?.value === "--" ? 2 : 1).map((word) => word.value);
  return values.includes(undefined) ? unreadable("The text of eval is computed") : script(values.join(" "));
}

function launchesOfTrap(words: readonly ShellWord[]): Launches {
  const operands = words.slice(1).filter((word) => word.text !== "--");
  const [first] = operands;
  if (first === undefined || operands.length === 1 || /^-[lp]?$/.test(first.value ?? "x")) return none;
  return first.value === undefined ? unreadable("The text of trap is computed") : script(first.value);
}

/** An alias runs later, where the shell is interactive; what it stands for is judged now. */
function launchesOfAlias(words: readonly ShellWord[]): Launches {
  const launches = words.slice(1).map((word): ShellLaunch => {
    if (word.value === undefined) return { type: "unreadable", why: "The text of an alias is computed" };
    // It joins the text that follows the alias, so a command can be spread over both.
    if (word.value.endsWith("\\")) return { type: "unreadable", why: "An alias ends within a word" };
    const at = word.value.indexOf("=");
    return { type: "script", text: at < 0 ? "" : word.value.slice(at + 1) };
  });
  return { launches, transparent: false };
}

const xargsShape: LauncherShape = {
  flags: "0oprtx",
  values: "EILPansd",
  longFlags: ["null", "no-run-if-empty", "verbose", "interactive", "exit", "open-tty"],
  longOptional: ["eof", "max-lines", "replace"],
  longValues: ["arg-file", "delimiter", "max-args", "max-chars", "max-procs"],
  transparent: true,
};

function launchesOfXargs(words: readonly ShellWord[]): Launches {
  const start = skipOptions(words, xargsShape);
  if (start === undefined) return unreadable('An option of "xargs" is not known');
  const options = words.slice(1, start).map((word) => word.value ?? "");
  const command = words.slice(start);
  if (command.length === 0) return none;
  const given = xargsOptions(options);
  const marks = given.flatMap(({ name, value }) => (name === "I" || name === "replace" ? [value ?? "{}"] : []));
  // Of -I and a number of words or lines the last one counts.
  const appends = marks.length === 0 || given.some(({ name }) => /^(?:[nL]|max-(?:args|lines))$/.test(name));
  const filled = marks.length === 0 ? command : command.map((word) => fill(word, marks));
  const whole = appends ? [...filled, unknownWord("(input)")] : filled;
  return { launches: [{ type: "command", words: whole, assigned: [] }], transparent: true };
}

interface GivenOption {
  readonly name: string;
  readonly value: string | undefined;
}

/** Each option by its name, without dashes. */
function xargsOptions(options: readonly string[]): readonly GivenOption[] {
  const given: GivenOption[] = [];
  for (let at = 0; at < options.length; at += 1) {
    const option = options[at] ?? "";
    if (option.startsWith("--")) {
      const [name = "", ...value] = option.slice(2).split("=");
      const takesNext = value.length === 0 && xargsShape.longValues?.includes(name) === true;
      given.push({ name, value: takesNext ? options[(at += 1)] : value.length === 0 ? undefined : value.join("=") });
      continue;
    }
    const first = [...option].findIndex((letter) => xargsShape.values.includes(letter));
    if (first < 0) continue;
    const glued = option.slice(first + 1);
    given.push({ name: option.charAt(first), value: glued === "" ? options[(at += 1)] : glued });
  }
  return given;
}

const fill = (word: ShellWord, marks: readonly string[]): ShellWord =>
  marks.some((mark) => (word.value ?? word.text).includes(mark)) ? unknownWord(word.text) : word;

/** Commands of one find that are read. */
const findCommandsMax = 100;

/** A `+` ends the command only behind `{}`. */
const endsExec = (words: readonly ShellWord[], word: ShellWord, at: number): boolean =>
  word.value === ";" || (word.value === "+" && words[at - 1]?.value === "{}");

function launchesOfFind(words: readonly ShellWord[]): Launches {
  const launches: ShellLaunch[] = [];
  for (let at = 1; at < words.length; at += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at]?.value ?? "")) continue;
    if (launches.length >= findCommandsMax) {
      launches.push({ type: "unreadable", why: "find starts too many commands" });
      break;
    }
    const end = words.findIndex((word, index) => index > at && endsExec(words, word, index));
    const inner = words.slice(at + 1, end < 0 ? undefined : end).map((word) => fill(word, ["{}"]));
    launches.push({ type: "command", words: inner, assigned: [] });
  }
  // A computed word can become -exec.
  const computed = words.slice(1).some((word) => word.value === undefined && word.path === undefined);
  if (computed) launches.push({ type: "unreadable", why: "A word of find is computed" });
  return { launches, transparent: false };
}

/** The name as the tables know it: without its folder. */
export function withPlainName(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = words[0]?.value;
  if (name?.includes("/") !== true) return words;
  return [literalWord(name.slice(name.lastIndexOf("/") + 1)), ...words.slice(1)];
}
