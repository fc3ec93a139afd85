/** Terminals on a pty of this process. */
import type { PtyBackend } from "../pty/pty.ts";
import { programStart, type ProgramOptions } from "./program-start.ts";
import { openPtySource, type PtySourceOptions } from "./pty-source.ts";
import { Terminal, type TerminalSettings } from "./terminal.ts";

/** The environment, the size and the shell integration of a terminal. */
export interface TerminalOptions extends TerminalSettings, ProgramOptions {
  readonly backend?: PtyBackend;
}

/**
 * Starts a program in a terminal. A string is the name of the program; with arguments it is a list. No shell reads it. Rejects with
 * `COMMAND_NOT_FOUND`, `COMMAND_NOT_EXECUTABLE`, `WORKING_DIRECTORY_NOT_FOUND` or `PTY_FAILED`.
 *
 * @example
 * ```ts
 * await using terminal = await openTerminal("bash");
 * const { output, exitCode } = await terminal.run("echo hello");
 * ```
 */
export async function openTerminal(
  command: string | readonly [string, ...string[]],
  options: TerminalOptions = {},
): Promise<Terminal> {
  const words = typeof command === "string" ? ([command] as const) : command;
  const { backend } = options;
  const open = (): PtySourceOptions => ({
    ...programStart(words, options),
    command: words,
    ...(backend && { backend }),
  });
  return Terminal.over((receive) => openPtySource(open(), receive), words.join(" "), options);
}
