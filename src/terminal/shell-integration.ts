/**
 * Shell integration: makes bash, zsh and fish say where a prompt ends and where output begins and ends, without touching the user's files.
 *
 * Only the environment is changed, so that each shell starts as it always does and reads the start-up files that it always reads. The scripts
 * are files of the package, in `shell/`. Each mark carries a nonce, so that text which a program prints is never taken for a mark.
 * The marks are those of FinalTerm's semantic prompts, as terminals agree on them:
 * https://gitlab.freedesktop.org/Per_Bothner/specifications/blob/master/proposals/semantic-prompts.md
 */
import { randomBytes } from "node:crypto";
import { basename, join } from "node:path";
import { markParameter } from "../core/shell-marks/shell-mark.ts";
import { quoteShellWords } from "../core/text/command-line.ts";

type ShellName = "bash" | "zsh" | "fish";

export interface ShellIntegration {
  readonly shell: ShellName;
  /** Where it is handed commands. */
  readonly actDirectory: string;
  /** Stands in each mark of this session; never given to anybody but the readers of marks. */
  readonly nonce: string;
  /** The whole environment of the shell. */
  readonly environment: Readonly<Record<string, string>>;
}

const scripts = join(import.meta.dirname, "..", "..", "shell");
/** Nobody guesses 72 bits; each character more costs bash time at each prompt (shell/lectern.bash). */
const NONCE_BYTES = 9;
/** What fish takes where the variable is not set. */
const DATA_DIRECTORIES = "/usr/local/share:/usr/share";

/**
 * The environment with which a shell gives marks and takes commands from the directory that `makeActDirectory` makes; undefined where the
 * command is no interactive bash, zsh or fish that would read it.
 *
 * @example
 * ```ts
 * const integration = integrateShell(["bash"], { HOME: "/root", PATH: "/usr/bin" }, () => mkdtempSync("/tmp/lectern-"));
 * integration?.environment; // HOME, PATH, PS0, PROMPT_COMMAND, LECTERN_ACT, LECTERN_FREE, LECTERN_HOOK, LECTERN_MARK
 * ```
 */
export function integrateShell(
  command: readonly string[],
  environment: Readonly<Record<string, string>>,
  makeActDirectory: () => string,
): ShellIntegration | undefined {
  const shell = interactiveShell(command);
  if (shell === undefined) return undefined;
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  const actDirectory = makeActDirectory();
  const variables = { LECTERN_ACT: actDirectory, ...variablesOf[shell](markParameter(nonce), environment) };
  return { shell, nonce, actDirectory, environment: { ...environment, ...variables } };
}

type Variables = (mark: string, environment: Readonly<Record<string, string>>) => Record<string, string>;

const variablesOf: Readonly<Record<ShellName, Variables>> = {
  bash: (mark, environment) => {
    const word = quoteShellWords([join(scripts, "lectern.bash")]);
    // Until the script is read this reads it; then it is the script's own function. It leaves $? alone.
    const hook = 'builtin eval "${__lectern_run:-${LECTERN_HOOK-}}"';
    // Of an array without elements only the variable tells, which SHLVL (digits) keeps away from under `set -u`: it would be an error there.
    // The last expansion assigns where nothing is assigned; its text is one more parameter of the mark, which nobody reads.
    const begin =
      "${__lectern_told-}\\e]133;C;${__lectern_on-};${__lectern_none[__lectern_at=0]-}${PROMPT_COMMAND[99]:-" +
      "${LECTERN_FREE[${LECTERN_FREE/[${PROMPT_COMMAND[*]@a}${PS1[*]@a}${PS2[*]@a}${SHLVL[1-36#0${-//[^u]}/30]-${PROMPT_COMMAND@a}}.]/0}]-" +
      "${LECTERN_MARK-};${PROMPT_COMMAND[99]:=${__lectern_run:-${LECTERN_HOOK-}}}}}\\a";
    return {
      LECTERN_MARK: mark,
      // A restricted shell reads no file. The script puts PS0 back, which a start-up file may have replaced before it is read.
      LECTERN_HOOK: `if [[ $- == *r* ]]; then unset PS0 LECTERN_HOOK; elif [[ -r ${word} ]]; then . ${word} ${quoteShellWords([begin])}; fi`,
      PROMPT_COMMAND: [environment["PROMPT_COMMAND"] ?? "", hook].filter(Boolean).join("\n"),
      // 0 (the whole value) where one of these is readonly, else 27, which is not set. Bash crashes where an expansion assigns to what is readonly.
      LECTERN_FREE: "36#r",
      PS0: begin,
    };
  },
  zsh: (mark, environment) => ({
    LECTERN_MARK: mark,
    ZDOTDIR: join(scripts, "zsh"),
    ...(environment["ZDOTDIR"] === undefined ? {} : { LECTERN_ZDOTDIR: environment["ZDOTDIR"] }),
  }),
  fish: (mark, environment) => {
    const theirs = environment["XDG_DATA_DIRS"];
    return {
      LECTERN_MARK: mark,
      XDG_DATA_DIRS: `${scripts}:${theirs ?? DATA_DIRECTORIES}`,
      ...(theirs === undefined ? {} : { LECTERN_XDG_DATA_DIRS: theirs }),
    };
  },
};

/** Options that end a shell's being interactive, or its reading of what we give it. */
const refusals: Readonly<Record<ShellName, RegExp>> = {
  bash: /^(-[a-zA-Z]*c[a-zA-Z]*|--posix|--version|--help|--dump-strings|--dump-po-strings|-[a-zA-Z]*[nD][a-zA-Z]*)$/,
  zsh: /^(-[a-zA-Z]*[cf][a-zA-Z]*|--no-?rcs|--version|--help)$/,
  fish: /^(-[a-zA-Z]*c|--command(=.*)?|-N|--no-config|-v|--version|-h|--help|-n|--no-execute)$/,
};
/** Options whose value is the next word. */
const withValue: Readonly<Record<ShellName, RegExp>> = {
  bash: /^(--rcfile|--init-file|[-+][oO])$/,
  zsh: /^[-+]o$/,
  fish: /^(-C|--init-command|-d|--debug|-o|--debug-output|-f|--features|--profile|--profile-startup)$/,
};

/** The shell that a command starts for a person; undefined for anything else, such as a script. */
function interactiveShell([program = "", ...words]: readonly string[]): ShellName | undefined {
  const shell = basename(program).replace(/^-/, "");
  if (shell !== "bash" && shell !== "zsh" && shell !== "fish") return undefined;
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? "";
    if (refusals[shell].test(word)) return undefined;
    if (withValue[shell].test(word)) index++;
    // An operand is a script.
    else if (!/^[-+]./.test(word) || word === "--") return undefined;
  }
  return shell;
}
