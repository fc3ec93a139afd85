/** A program on a pty of this process, as the source of a terminal. */
import { ForegroundProbe } from "../pty/foreground-probe.ts";
import { spawnPty, type SpawnPtyOptions } from "../pty/spawn.ts";
import type { ProgramStart } from "./program-start.ts";
import type { SourceItem, TerminalSource } from "./terminal-source.ts";

export type PtySourceOptions = Omit<SpawnPtyOptions, "onOutput" | "onExit"> & Pick<ProgramStart, "nonce">;

/** Starts the program. Throws what `spawnPty` throws. */
export function openPtySource(
  { nonce, ...options }: PtySourceOptions,
  receive: (item: SourceItem) => void,
): TerminalSource {
  const pty = spawnPty({
    ...options,
    onOutput: (bytes) => receive({ type: "output", bytes }),
    onExit: (exit) => receive({ type: "exit", exit }),
  });
  const probe = new ForegroundProbe(pty);
  return {
    nonce,
    foreground: probe.unavailable === undefined ? "polled" : null,
    probe: () => probe.look(),
    write: (bytes) => pty.write(bytes),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    close: async () => void (await pty.kill()),
  };
}
