/** Terminals on a pty of this process. */
import { checkOptions } from "../core/option-names.ts";
import { ForegroundProbe } from "../pty/foreground-probe.ts";
import type { Pty, PtyBackend } from "../pty/pty.ts";
import { spawnPty } from "../pty/spawn.ts";
import { programNames, programStart, type ProgramOptions } from "./program-start.ts";
import { memoryDirectory, TemporaryDirectory } from "./temporary-directory.ts";
import { TerminalAnswers } from "./terminal-answers.ts";
import type { SourceItem, TerminalSource } from "./terminal-source.ts";
import { Terminal } from "./terminal.ts";
import { settingsNames, type TerminalSettings } from "./terminal-link.ts";

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
  checkOptions("openTerminal", options, { ...settingsNames, ...programNames, backend: true });
  const words = typeof command === "string" ? ([command] as const) : command;
  return Terminal.over((receive) => openPtySource(words, options, receive), words, options);
}

/** Starts the program. Throws what `spawnPty` throws. */
function openPtySource(
  command: readonly [string, ...string[]],
  { backend, ...options }: TerminalOptions,
  receive: (item: SourceItem) => void,
): TerminalSource {
  using opening = new DisposableStack();
  const makeActDirectory = (): string => opening.use(new TemporaryDirectory(memoryDirectory())).path;
  const { nonce, actDirectory, ...start } = programStart(command, options, { makeActDirectory });
  const size = { columns: start.columns, rows: start.rows };
  const answers = new TerminalAnswers(size);
  const pty: Pty = spawnPty({
    ...start,
    command,
    ...(backend && { backend }),
    onOutput: (bytes) => {
      const replies = answers.feed(bytes);
      receive({ type: "output", bytes });
      if (replies.length === 0) return;
      pty.write(replies);
      receive({ type: "replied" });
    },
    onExit: (exit) => receive({ type: "exit", exit }),
  });
  const probe = new ForegroundProbe(pty);
  const opened = opening.move();
  return {
    nonce,
    actDirectory,
    leaderPid: pty.pid,
    size,
    foreground: probe.unavailable === undefined ? "polled" : null,
    probe: () => probe.look(),
    write: (bytes) => pty.write(bytes),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    close: async () => {
      await pty.kill();
      opened.dispose();
    },
  };
}
