/**
 * Stops a random process of the run for a second at random moments, as a busy machine does. Programs of a terminal are left alone: their stop is a
 * fact that a shell takes for Ctrl-Z, and that Lectern reports and acts on ("is stopped and does not read"), which has nothing to do with speed.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../simulation/random.ts";
import { markedProcesses, signal, type MarkedProcess } from "./marked-processes.ts";

const STALL_MS = 1000;
/** Between two stalls; on average half of it. */
const BETWEEN_MS_MAX = 1500;

export interface Stalls {
  /** Stalls until now, by the name of the program. */
  readonly counts: ReadonlyMap<string, number>;
  /** Resolves when each stopped process goes on. */
  end(): Promise<void>;
}

export function startStalls(run: string, random: Random): Stalls {
  const counts = new Map<string, number>();
  const end = new AbortController();
  const loop = async (): Promise<void> => {
    while (!end.signal.aborted) {
      await pause(random.next() * BETWEEN_MS_MAX, end.signal);
      const processes = markedProcesses(run).filter(mayStop);
      if (processes.length === 0) continue;
      const stalled = random.pick(processes);
      if (!signal(stalled.pid, "SIGSTOP")) continue;
      counts.set(kindOf(stalled), (counts.get(kindOf(stalled)) ?? 0) + 1);
      try {
        await pause(STALL_MS, end.signal);
      } finally {
        signal(stalled.pid, "SIGCONT");
      }
    }
  };
  const running = loop();
  return {
    counts,
    end: async () => {
      end.abort();
      await running;
    },
  };
}

const pause = (ms: number, until: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal: until }).catch(() => {});

const mayStop = ({ hasTerminal, state }: MarkedProcess): boolean => state !== "T" && !hasTerminal;

function kindOf({ command }: MarkedProcess): string {
  if (/\/src\/host\//.test(command)) return "host";
  if (/lectern\.mjs.* up\b/.test(command)) return "daemon";
  if (/lectern\.mjs/.test(command)) return "command";
  if (/\.test\.ts/.test(command)) return "test";
  return "program";
}
