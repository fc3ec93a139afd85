/** Starts the daemon as a separate process, which outlives its starter: the CLI, or a pty host whose daemon was killed. */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { fromProblem } from "../protocol/errors.ts";
import { openLogDescriptor } from "./log-descriptor.ts";

export interface DaemonStart {
  /** The program and its arguments; it reports on `READY_DESCRIPTOR`. */
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** In the data directory. */
  readonly logFile: string;
}

/** What a daemon reports to the process that started it, as one line of JSON. */
export interface DaemonReady {
  readonly pid: number;
  readonly listen: readonly string[];
  readonly resumed: number;
  /** SHA-256 of its certificate; undefined without TLS. */
  readonly fingerprint?: string | undefined;
}

const READY_CHARS_MAX = 65_536;
/** The descriptor on which the daemon reports that it is ready or why it failed. */
export const READY_DESCRIPTOR = 3;

/** Rejects with the error of the daemon, or with `DAEMON_UNREACHABLE` if it reported nothing. */
export async function launchDaemon({ command, environment, logFile }: DaemonStart): Promise<DaemonReady> {
  const [program, ...words] = command;
  const log = openLogOf(logFile);
  const child = spawn(program, words, {
    // In its own session, out of reach of hang-up and Ctrl-C of this terminal.
    detached: true,
    stdio: ["ignore", log, log, "pipe"],
    // It must not keep the current directory in use.
    cwd: "/",
    env: environment,
  });
  closeSync(log);
  const pipe = child.stdio[READY_DESCRIPTOR] as Readable;
  try {
    return await readiness(child, pipe, logFile);
  } finally {
    child.removeAllListeners();
    pipe.destroy();
    child.unref();
  }
}

function openLogOf(logFile: string): number {
  try {
    return openLogDescriptor(logFile);
  } catch (cause) {
    const why = `Cannot start the daemon: its directory cannot be written: ${(cause as Error).message}`;
    throw new LecternError(
      "DAEMON_UNREACHABLE",
      `${why}; change the owner of "${dirname(logFile)}", or set LECTERN_HOME to another directory`,
      { cause },
    );
  }
}

async function readiness(child: ChildProcess, pipe: Readable, logFile: string): Promise<DaemonReady> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const fail = (why: string): void =>
    reject(new LecternError("DAEMON_UNREACHABLE", `Cannot start the daemon: ${why}; see "${logFile}"`));
  const timer = setTimeout(() => fail(`it did not answer within ${waits.startMs} ms`), waits.startMs);
  let text = "";
  pipe.setEncoding("utf8");
  pipe.on("data", (chunk: string) => {
    text += chunk;
    if (text.includes("\n") || text.length > READY_CHARS_MAX) resolve(text);
  });
  pipe.on("end", () => fail("it ended"));
  child.on("error", (error) => fail(error.message));
  try {
    return parseReadiness(await promise);
  } finally {
    clearTimeout(timer);
  }
}

function parseReadiness(text: string): DaemonReady {
  const report = JSON.parse(text) as { readonly ready?: DaemonReady; readonly problem?: unknown };
  if (report.ready === undefined) throw fromProblem(report.problem, 500);
  return report.ready;
}
