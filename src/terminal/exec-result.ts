/** `sessions.exec` as `run`: its input, and what it returns as the result of a command. */
import type { ForegroundLook } from "../core/events/foreground.ts";
import type { InputOf, OutputOf } from "../protocol/operations.ts";
import { readDefaults } from "./read-defaults.ts";
import type { RunResult } from "./run-command.ts";
import type { RunOptions } from "./terminal-options.ts";

export const execInput = (session: string, command: string, options: RunOptions): InputOf<"sessions.exec"> => ({
  session,
  command,
  timeoutMs: options.timeoutMs ?? readDefaults.timeoutMs,
  outputBytesMax: options.maxOutputBytes ?? readDefaults.maxOutputBytes,
  inside: options.inside ?? false,
  raw: true,
});

/** `foreground`: the last look, for a command after which a program is in front of the shell. */
export function toRunResult(ran: OutputOf<"sessions.exec">, foreground: ForegroundLook | null): RunResult {
  const { output, omitted, session, program, offset: _offset, next: _next, tags: _tags, ...result } = ran;
  return {
    ...result,
    output,
    bytes: Buffer.from(output),
    omitted: omitted === null ? null : { ...omitted, path: null },
    foreground: program === null ? null : foreground,
    exit: session.exit,
  };
}
