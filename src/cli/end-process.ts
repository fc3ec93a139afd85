/** The end of the process of a command, and the standard streams that have to be put back for it. */
import { accessSync, constants } from "node:fs";
import { flushCompileCache } from "node:module";

const SHELL = "/bin/sh";

type StandardStream = NodeJS.ReadStream | NodeJS.WriteStream;

const used = new Set<StandardStream>();

const use = <Stream extends StandardStream>(stream: Stream): Stream => {
  used.add(stream);
  return stream;
};

/** Node creates these streams on first use, which takes a few milliseconds. */
export const standardStreams = {
  get stdin() {
    return use(process.stdin);
  },
  get stdout() {
    return use(process.stdout);
  },
  get stderr() {
    return use(process.stderr);
  },
};

/**
 * Ends the process, whatever its threads do. `process.exit` waits for each of them: one that compiles may itself wait for the main thread, and
 * one that opens a pipe returns when somebody writes to it. The kernel ends all threads of a process that becomes another program, so it becomes
 * one that only has the exit code.
 */
export function endProcess(exitCode: number): never {
  // The last listener: what others do at the exit is done.
  process.once("exit", becomeExitCode);
  process.exit(exitCode);
}

/** Returns if this process cannot become another program; then Node ends it. */
function becomeExitCode(exitCode: number): void {
  try {
    accessSync(SHELL, constants.X_OK);
    flushCompileCache();
    for (const stream of used) putBack(stream);
    process.execve?.(SHELL, ["sh", "-c", `exit ${exitCode}`], {});
  } catch {
    // Without a shell, or when Node may not start one.
  }
}

/** As Node does at its end: a terminal has its modes again, and a pipe that other programs have too blocks again. */
function putBack(stream: StandardStream): void {
  if ("isRaw" in stream && stream.isRaw) stream.setRawMode(false);
  const { _handle: handle } = stream as { readonly _handle?: { readonly setBlocking?: (on: boolean) => void } | null };
  handle?.setBlocking?.(true);
}
