/** A program on a pty of this process, as the source of a terminal. */
import { ForegroundProbe } from "../pty/foreground-probe.ts";
import { spawnPty, type SpawnPtyOptions } from "../pty/spawn.ts";
import { integrateShell } from "./shell-integration.ts";
import type { SourceItem, TerminalSource } from "./terminal-source.ts";

export interface PtySourceOptions extends Omit<SpawnPtyOptions, "onOutput" | "onExit"> {
  /** Asks bash, zsh and fish for marks. */
  readonly shellIntegration: boolean;
}

/** Starts the program. Throws what `spawnPty` throws. */
export function openPtySource(options: PtySourceOptions, receive: (item: SourceItem) => void): TerminalSource {
  const integration = options.shellIntegration ? integrateShell(options.command, options.environment) : undefined;
  const pty = spawnPty({
    ...options,
    environment: integration?.environment ?? options.environment,
    onOutput: (bytes) => receive({ type: "output", bytes }),
    onExit: (exit) => receive({ type: "exit", exit }),
  });
  const probe = new ForegroundProbe(pty);
  return {
    nonce: integration?.nonce ?? null,
    foreground: probe.unavailable === undefined ? "polled" : null,
    probe: () => probe.look(),
    write: (bytes) => pty.write(bytes),
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    close: async () => void (await pty.kill()),
  };
}
