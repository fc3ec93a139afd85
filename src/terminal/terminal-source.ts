/** Where a `Terminal` gets its records from and where its input goes: a pty of this process, or a session of the daemon. */
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { RunResult } from "./run-command.ts";
import type { RunOptions } from "./terminal-options.ts";
import type { ExitStatus } from "../protocol/records.ts";

/**
 * - `output`: bytes, valid during the call
 * - `foreground`: what the program waits for has changed; probed after all input that was written
 * - `standing`: the same, as it was when the input was written
 * - `input`: somebody typed, this terminal or another; bytes are valid during the call, null where they are not known
 * - `replied`: the terminal has answered what its program asked
 * - `gap`: so many bytes of the journal are missing here
 * - `exit`: the last one
 */
export type SourceItem =
  | { readonly type: "output"; readonly bytes: Uint8Array }
  | { readonly type: "foreground"; readonly probe: ForegroundLook }
  | { readonly type: "standing"; readonly probe: ForegroundLook }
  | { readonly type: "input"; readonly bytes: Uint8Array | null }
  | { readonly type: "replied" }
  | { readonly type: "gap"; readonly bytes: number }
  | { readonly type: "exit"; readonly exit: ExitStatus };

export interface TerminalSource {
  /** Stands in the marks of the shell; null where the shell was not asked for marks. */
  readonly nonce: string | null;
  /** Where the shell or the REPL is handed commands; null where it is not. */
  readonly actDirectory: string | null;
  /** Of its own program; null where that is not known. */
  readonly leaderPid: number | null;
  /** Of its screen now. */
  readonly size: { readonly columns: number; readonly rows: number };
  /** How probe results come, see `ProbeSource`; null if there are none. */
  readonly foreground: "polled" | "reported" | null;
  /** Probes the foreground now, if `foreground` is `polled`. */
  probe?(): ForegroundLook;
  /** Resolves with the foreground as it is now, if `foreground` is `reported`; null where that is not known. */
  probed?(): Promise<ForegroundLook | null>;
  /**
   * Asks for a report of the foreground as it is now, also if it has not changed; if `foreground` is `reported`. False if none is to come.
   */
  ask?(): boolean;
  /** Runs a command, where somebody nearer to the program does that better. */
  run?(command: string, options: RunOptions): Promise<RunResult>;
  /** Types. Throws or rejects with `SESSION_ENDED` or `LIMIT_EXCEEDED`. */
  write(bytes: Uint8Array): void | Promise<void>;
  /** Stops and goes on reading: nothing is lost meanwhile. */
  pause(): void;
  resume(): void;
  /** Ends what this source started, and lets go of the rest. No item comes after it has resolved. */
  close(): Promise<void>;
}

/** Opens a source: at the first time, and again for `reset`. Items come only after the source was returned. */
export type OpenSource = (receive: (item: SourceItem) => void) => TerminalSource | Promise<TerminalSource>;

/** The foreground as it is now; null where that is not known. */
export const probedNow = async (source: Pick<TerminalSource, "probe" | "probed">): Promise<ForegroundLook | null> =>
  source.probe?.() ?? (await source.probed?.()) ?? null;
