import type { ExitStatus } from "./records.ts";

/** POSIX numbers of the signals that end programs; the same on Linux and macOS. */
const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};

/** The exit code as a shell reports it: that of the program, 128 plus the number of a signal, 1 if the exit was not observed. */
export function exitCodeOf(exit: ExitStatus): number {
  switch (exit.reason) {
    case "exited":
      return exit.code;
    case "signaled":
      return 128 + (signalNumbers[exit.signal] ?? 0);
    case "lost":
      return 1;
  }
}

/** Whether a program ended by itself, with a code that is not 0 or by a signal. Not if somebody ended it, or if nobody saw its end. */
export const hasFailed = (exit: ExitStatus): boolean =>
  exit.reason !== "lost" && exit.endedBy === undefined && exitCodeOf(exit) !== 0;
