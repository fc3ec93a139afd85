import type { OptionNames } from "../core/option-names.ts";
import type { ReadyStrategy } from "../core/readiness/ready-wait.ts";

/** How a read waits. Times in milliseconds. */
export interface ReadOptions {
  /** Default 20,000. */
  readonly timeoutMs?: number;
  /** A read ends with `limit` at this many bytes; what is beyond stays for the next one. Default 2 MiB. */
  readonly maxOutputBytes?: number;
  /** After a ready marker: how long nothing more must come. Default 200. */
  readonly settleMs?: number;
  /** Where a read waits for quiet: how long nothing must come. Default 80. */
  readonly quietMs?: number;
  /** Default `auto`, and `quiet` for a terminal that is not interactive. */
  readonly strategy?: ReadyStrategy;
  readonly signal?: AbortSignal | undefined;
}

export const readNames: OptionNames<ReadOptions> = {
  timeoutMs: true,
  maxOutputBytes: true,
  settleMs: true,
  quietMs: true,
  strategy: true,
  signal: true,
};

/** How `run` waits and what it types into. Times in milliseconds. */
export interface RunOptions extends Omit<ReadOptions, "strategy"> {
  /** Type the command also where a program that is no shell is in front of the shell, such as `ssh` or a REPL that was started in it. */
  readonly inside?: boolean;
  /**
   * Called right before the command is typed, which waits for it: where it throws, nothing is typed. From then on an abort leaves the command
   * running. `handOver` is the id of a command that a shell takes from a file: then only a key is typed. Not where the daemon types, for a terminal that is attached.
   */
  readonly onTyping?: (handOver: string | null) => void | Promise<void>;
  readonly onTyped?: () => void;
  /** Called when the shell reports that the command runs; right after `onTyped` where no shell reports that. */
  readonly onStarted?: () => void;
}

const { strategy: _, ...waitNames } = readNames;
export const runNames: OptionNames<RunOptions> = {
  ...waitNames,
  inside: true,
  onTyping: true,
  onTyped: true,
  onStarted: true,
};
