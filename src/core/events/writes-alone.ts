/** Programs in whose terminal others write too: what a tag is worth there is not known from the text. */
import { agentOfArguments, isShellProgram } from "../agents/command-line.ts";

/** They show what others wrote: other machines, files, sessions. */
const windows = new Set("less more most cat tail watch tmux screen zellij script ssh mosh telnet docker".split(" "));

/**
 * True where all output is the program's own. A shell that runs a script or a `-c` text counts as that program; one at which
 * somebody types does not.
 *
 * @example
 * ```ts
 * writesAlone(["./build.sh"]); // true
 * writesAlone(["bash"]); // false: `cat` prints whatever a file holds
 * ```
 */
export function writesAlone(command: readonly string[]): boolean {
  const name = (command[0] ?? "").replace(/^.*\//, "").replace(/^-/, "");
  if (windows.has(name) || agentOfArguments(command) !== null) return false;
  if (!isShellProgram(command[0] ?? "")) return true;
  const words = command.slice(1);
  return words.some((word) => /^-[a-z]*c$/.test(word)) || words.some((word) => !word.startsWith("-"));
}
