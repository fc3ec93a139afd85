/** How `codex` is started on a server of its own, which a second client can read: as a script of POSIX `sh` that becomes Codex. */
import { quoteShellWords } from "../../../core/text/command-line.ts";

export interface ServerFiles {
  readonly socket: string;
  /** Written with the reason if Codex runs without the server. */
  readonly plain: string;
}

/** Settings, which the server takes too. */
const SERVER_OPTIONS = new Set(["-c", "--config", "--enable", "--disable"]);
const SERVER_SWITCHES = new Set(["--strict-config"]);
/** What the terminal passes on to the server, or needs alone. */
const TERMINAL_OPTIONS = new Set(
  "-m --model -s --sandbox -a --ask-for-approval -C --cd --add-dir -i --image".split(" "),
);
const TERMINAL_SWITCHES = new Set(["--no-alt-screen", "--search", "--last", "--all"]);
/** Subcommands that open a conversation in the terminal. */
const TERMINAL_COMMANDS = new Set(["resume", "fork"]);

/** A server that is not there after this time is not waited for: Codex starts without it. */
const POLLS_MAX = 200;
const POLL_SECONDS = 0.05;

const isCodex = (program: string): boolean => /(?:^|\/)codex$/.test(program);

/**
 * The words before `command`; none for a command that is not known to work with a server, such as one with `--no-daemon`, `--profile` or a
 * subcommand.
 */
export function serverLauncher(command: readonly string[], files: ServerFiles): readonly string[] {
  const [program = "", ...words] = command;
  const shared = isCodex(program) ? settingsIn(words) : null;
  if (shared === null) return [];
  const address = `unix://${files.socket}`;
  const [server, socket, plain, remote] = [
    quoteShellWords([program, "app-server", "--listen", address, ...shared]),
    quoteShellWords([files.socket]),
    quoteShellWords([files.plain]),
    quoteShellWords(["--remote", address]),
  ];
  const script = [
    `${server} </dev/null >/dev/null 2>&1 &`,
    // Asked while the server starts. A version that has one may not have a terminal for it.
    `if ! ${quoteShellWords([program])} --help 2>/dev/null </dev/null | grep -q -e --remote; then`,
    `  echo "its terminal has no --remote" >${plain}; kill -9 $! 2>/dev/null; exec "$@"`,
    "fi",
    "polls=0",
    `while [ ! -S ${socket} ]; do`,
    `  if ! kill -0 $! 2>/dev/null; then echo "it ended at its start" >${plain}; exec "$@"; fi`,
    `  if [ $polls -ge ${POLLS_MAX} ]; then`,
    `    echo "it was not there after ${POLLS_MAX * POLL_SECONDS} s" >${plain}; kill -9 $! 2>/dev/null; exec "$@"`,
    "  fi",
    `  polls=$((polls + 1)); sleep ${POLL_SECONDS}`,
    "done",
    "program=$1; shift",
    `exec "$program" ${remote} "$@"`,
  ];
  return ["/bin/sh", "-c", script.join("\n"), "codex"];
}

/** Null if a word is not known. A first word that is no option is a prompt, except for the name of a subcommand. */
function settingsIn(words: readonly string[]): readonly string[] | null {
  const settings: string[] = [];
  let operands = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const value = words[at + 1];
    if (word === "--") break;
    if (!word.startsWith("-")) {
      if (operands === 0 && /^[a-z][a-z-]*$/.test(word) && !TERMINAL_COMMANDS.has(word)) return null;
      operands += 1;
    } else if (SERVER_OPTIONS.has(word) || TERMINAL_OPTIONS.has(word)) {
      if (value === undefined) return null;
      if (SERVER_OPTIONS.has(word)) settings.push(word, value);
      at += 1;
    } else if (/^--(?:config|enable|disable)=/.test(word) || SERVER_SWITCHES.has(word)) settings.push(word);
    else if (!TERMINAL_SWITCHES.has(word) && !TERMINAL_OPTIONS.has(word.replace(/=.*$/s, ""))) return null;
  }
  return settings;
}
