import { checkOptions } from "../core/option-names.ts";
import { ForegroundProbe } from "../pty/foreground-probe.ts";
import type { Pty, PtyBackend } from "../pty/pty.ts";
import { spawnPty } from "../pty/spawn.ts";
import { programNames, programStart, type ProgramOptions } from "./program-start.ts";
import { memoryDirectory, TemporaryDirectory } from "./temporary-directory.ts";
import type { SourceItem, TerminalSource } from "./terminal-source.ts";
import { Terminal } from "./terminal.ts";
import { settingsNames, type TerminalSettings } from "./terminal-link.ts";
import { ByteRing } from "../core/bytes/byte-ring.ts";
import { Screen } from "../core/screen/screen.ts";
import { Tokenizer, finalsBut } from "../core/vt/tokenizer.ts";

/** More than any screen of text; a cursor position from less may be wrong by some rows. */
const LOOK_BACK_BYTES = 16 * 1024;
/** Of control sequences that may be questions; the rules of `Screen` decide. */
const FINALS = "cnp";
const NOTHING = new Uint8Array(0);

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

/**
 * Answers what a program asks its terminal, such as where the cursor is: irb and others wait for it before they draw a prompt. There is no
 * screen until something is asked; then one is made of the last output.
 */
export class TerminalAnswers {
  readonly #size: { readonly columns: number; readonly rows: number };
  readonly #tokens = new Tokenizer({ plain: { finals: finalsBut(FINALS), parameters: "any" } });
  readonly #before = new ByteRing({ bytesMax: LOOK_BACK_BYTES });

  constructor(size: { readonly columns: number; readonly rows: number }) {
    this.#size = size;
  }

  /** Output of the program. Returns what is to be typed for the questions in it; empty without any. */
  feed(output: Uint8Array): Uint8Array {
    const replies = this.#asks(output) ? this.#repliesTo(output) : NOTHING;
    this.#before.append(output);
    return replies;
  }

  #asks(output: Uint8Array): boolean {
    this.#tokens.feed(output, 0);
    let isAsked = false;
    for (let type = this.#tokens.next(); type !== null; type = this.#tokens.next())
      isAsked ||= type === "csi" || type === "dcs" || (type === "osc" && this.#tokens.body.endsWith("?"));
    return isAsked;
  }

  #repliesTo(output: Uint8Array): Uint8Array {
    const screen = new Screen(this.#size);
    try {
      // What was asked before has its answer.
      screen.feed(this.#before.tail(LOOK_BACK_BYTES));
      return screen.feed(output);
    } finally {
      screen.dispose();
    }
  }
}
