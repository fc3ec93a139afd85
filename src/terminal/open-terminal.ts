/** Terminals on a pty of this process. */
import { cleanEnvironment } from "../pty/environment.ts";
import type { PtyBackend } from "../pty/pty.ts";
import { openPtySource } from "./pty-source.ts";
import { Terminal, type TerminalSettings } from "./terminal.ts";

/** The environment, the size and the shell integration of a terminal. */
export interface TerminalOptions extends TerminalSettings {
  /** Default: the directory of this process. */
  readonly workingDirectory?: string;
  /** What to start from, cleaned of what belongs to another terminal. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Default 80. */
  readonly columns?: number;
  /** Default 24. */
  readonly rows?: number;
  /** False: bash, zsh and fish are not asked for marks. Default true. */
  readonly shellIntegration?: boolean;
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
  const source = {
    command: words,
    workingDirectory: options.workingDirectory ?? process.cwd(),
    environment: cleanEnvironment(options.environment ?? process.env),
    columns: options.columns ?? 80,
    rows: options.rows ?? 24,
    shellIntegration: options.shellIntegration ?? true,
    ...(options.backend === undefined ? {} : { backend: options.backend }),
  };
  return Terminal.over((receive) => openPtySource(source, receive), words.join(" "), options);
}
