/**
 * Effects of setting a variable: it can influence a program, name a command that a program runs, or be evaluated by bash
 * (bash manual 5, "Shell Variables", and 6.5, "Shell Arithmetic").
 */

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
const harmlessCapitals = /^(?:LANG|LC_[A-Z]+|TZ|NO_COLOR|FORCE_COLOR|CI|TERM|COLUMNS|LINES|IFS)$/;
/** Lower-case variables that programs or zsh read. */
const steeringSmall =
  /_proxy$|^(?:path|fpath|cdpath|manpath|module_path|prompt)$|^npm_config_(?:script_shell|shell|node_options|git|editor|viewer|browser)$/;

/** Does setting this variable need a rule in the policy? */
export const isSteeringVariable = (name: string): boolean =>
  /^[a-z_][a-z0-9_]*$/.test(name) ? steeringSmall.test(name) : !harmlessCapitals.test(name);

/** Bash evaluates values assigned to them as arithmetic: they have the integer attribute or a setter. */
const integers: ReadonlySet<string> = new Set(
  "BASHPID BASH_SUBSHELL EPOCHREALTIME EPOCHSECONDS HISTCMD LINENO OPTIND PPID RANDOM SECONDS SRANDOM".split(" "),
);

/** Bash runs their value or the file it names, or changes how it parses text and globs. */
const evaluated = /^(?:PROMPT_COMMAND|BASH_ENV|ENV|BASH_ALIASES|BASH_CMDS|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|GLOBIGNORE)$/;

/** Does bash evaluate the value as code? */
export function isEvaluated({ name, value }: VariableValue): boolean {
  if (value === null) return false;
  if (integers.has(name)) return value === undefined || !isPlainNumber(value);
  if (/^PS[0-4]$/.test(name)) return value === undefined || /[$`\\!]/.test(value);
  return evaluated.test(name);
}

/** Programs run their value, load the file it names, or take options from it. */
const commandVariables = new RegExp(
  "^(?:" +
    [
      "LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|GCONV_PATH",
      "GIT_(?!(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)$|TERMINAL_PROMPT$|OPTIONAL_LOCKS$|TRACE|REFLOG_ACTION$|LFS_SKIP_SMUDGE$).*",
      "\\w*PAGER|\\w*EDITOR|VISUAL|BROWSER|\\w*ASKPASS|\\w*SHELL|\\w*_WRAPPER|RSYNC_RSH|CVS_RSH|SVN_SSH",
      "NODE_OPTIONS|PYTHON(?:STARTUP|INSPECT|BREAKPOINT|HOME)|PERL5(?:OPT|DB)|RUBYOPT|LUA_INIT\\w*|R_PROFILE\\w*",
      "JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|DOTNET_STARTUP_HOOKS|CORECLR_PROFILER\\w*|PHPRC|PHP_INI_SCAN_DIR",
      "LESSOPEN|LESSCLOSE|MAKEFLAGS|GNUMAKEFLAGS|MAKEFILES|TAR_OPTIONS|FZF_\\w*COMMAND|TEXTDOMAIN(?:DIR)?",
      "npm_config_\\w+",
    ].join("|") +
    ")$",
);

/** Values that run nothing unexpected. */
const harmlessValue = new RegExp(
  "^(?:" +
    [
      "|0|1|:|no|never|echo|true|false|(?:/usr)?/bin/(?:true|false|cat|bash|sh)|bash|sh|cat|more|less(?: -[A-Za-z]+)?|vi|vim|nano",
      "(?:(?:--max-old-space-size=\\d+|--no-warnings|--no-deprecation|--enable-source-maps|--trace-[a-z-]+) ?)+",
      "-j ?\\d*",
      "(?:-X(?:mx|ms|ss)\\d+[kmgKMG]? ?)+",
    ].join("|") +
    ")$",
);

/** Does a program run the value as a command, or load the code it names? */
export const namesCommand = ({ name, value }: VariableValue): boolean =>
  value !== null && commandVariables.test(name) && (value === undefined || !harmlessValue.test(value));
