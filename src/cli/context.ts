/** The environment of a command. Only this floor reads environment variables and the terminal. */
import type { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { SANDBOX_VARIABLE } from "../core/sandbox/plan.ts";
import { lecternPaths, type LecternPaths } from "../daemon/paths.ts";
import { makeStyle, type Style } from "./style.ts";

export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly paths: LecternPaths;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** For standard output. */
  readonly style: Style;
  /** For standard error. */
  readonly errorStyle: Style;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP, and after `endWithReader` when the reader of standard output has ended. */
  readonly signal: AbortSignal;
  /** For commands that follow: ends the command normally when the reader of standard output ends, even while nothing is written. */
  endWithReader(): void;
  /**
   * A client of the daemon, which is started if necessary. A command that calls this again after it lost its daemon does not start one after
   * `lectern down`. Throws `VERSION_MISMATCH`, `DAEMON_UNREACHABLE`, `NOT_AVAILABLE`.
   */
  client(): Promise<LecternClient>;
  /** Calls an operation through one client for the whole command. Aborted by `signal`. Throws as `client` does, and what the daemon throws. */
  readonly call: LecternClient["call"];
  /** A client of the running daemon, of any version; undefined if none is running. Throws `DAEMON_UNREACHABLE` for one that has lost its socket. */
  runningClient(): Promise<LecternClient | undefined>;
  /** Writes to standard output; waits for a slow reader. Throws `StdoutClosed` if the reader has ended, `INVALID_INPUT` if the write fails. */
  write(data: string | Uint8Array): Promise<void>;
  /** Waits until all output has been accepted. Throws as `write` does. */
  flush(): Promise<void>;
  /** Like `write`, with a line feed. */
  print(line: string): Promise<void>;
  /** Writes a line to standard error. */
  note(line: string): void;
}

/** The reader of standard output has ended (`lectern ls | head -1`), which is a normal end. */
export class StdoutClosed extends Error {
  override readonly name = "StdoutClosed";
}

export function makeContext(
  environment: Readonly<Record<string, string | undefined>>,
  abort: AbortController,
): CliContext {
  const { stdout } = process;
  const paths = lecternPaths(environment);
  const { signal } = abort;
  const { write, flush } = makeWriter(stdout);
  let isReturning = false;
  const client = async (): Promise<LecternClient> => {
    refuseInside(environment);
    const { ensureDaemon } = await import("./daemon-process.ts");
    const found = await ensureDaemon({ paths, environment, signal, isReturning });
    isReturning = true;
    return found;
  };
  let ownClient: Promise<LecternClient> | undefined;
  return {
    environment,
    workingDirectory: process.cwd(),
    paths,
    // Node creates these streams on first use, which takes a few milliseconds.
    get stdin() {
      return process.stdin;
    },
    stdout,
    get stderr() {
      return process.stderr;
    },
    style: makeStyle(stdout.isTTY, environment),
    get errorStyle() {
      return makeStyle(process.stderr.isTTY, environment);
    },
    signal,
    endWithReader: () => {
      void import("./reader-watch.ts").then(({ watchReader }) => watchReader(() => abort.abort(new StdoutClosed())));
    },
    client,
    call: async (name, input) => (await (ownClient ??= client())).call(name, input, { signal }),
    runningClient: async () => {
      refuseInside(environment);
      const { findRunningDaemon } = await import("./daemon-process.ts");
      return (await findRunningDaemon(paths, signal))?.client;
    },
    write,
    flush,
    print: (line) => write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
  };
}

/** A daemon that was started inside would be another one, without any sessions. */
function refuseInside(environment: CliContext["environment"]): void {
  const profile = environment[SANDBOX_VARIABLE];
  if (profile === undefined) return;
  throw new LecternError(
    "FORBIDDEN",
    `Cannot reach the daemon from inside the sandbox "${profile}" of a session: "lectern emit" reports events; anything else in a terminal outside`,
  );
}

/** The environment without undefined values. */
export const definedVariables = ({ environment }: Pick<CliContext, "environment">): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Error codes of writes without a reader: a closed pipe or terminal. */
const GONE_CODES = new Set(["EPIPE", "EIO", "ECONNRESET"]);

function makeWriter(stdout: NodeJS.WriteStream): Pick<CliContext, "write" | "flush"> {
  let end: Error | undefined;
  let wake: (() => void) | undefined;
  const finish = (cause?: NodeJS.ErrnoException): void => {
    end ??= cause === undefined || GONE_CODES.has(cause.code ?? "") ? new StdoutClosed() : cannotWrite(cause);
    wake?.();
  };
  stdout.on("error", finish);
  stdout.on("close", () => finish());
  stdout.on("drain", () => wake?.());
  const write = async (data: string | Uint8Array): Promise<void> => {
    if (end !== undefined) throw end;
    if (data.length === 0 || stdout.write(data)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await promise;
    wake = undefined;
    if (end !== undefined) throw end;
  };
  const flush = async (): Promise<void> => {
    // The callback of an empty write comes after all earlier writes, and after the error of a failed one.
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    if (end === undefined) stdout.write("", () => resolve());
    else resolve();
    await promise;
    if (end !== undefined) throw end;
  };
  return { write, flush };
}

const cannotWrite = (cause: Error): LecternError =>
  new LecternError("INVALID_INPUT", `Cannot write to standard output: ${cause.message}`, { cause });
