/** What a command has of the world. Only this floor reads the environment and the terminal. */
import { LecternClient } from "../client/client.ts";
import { unixTransport } from "../client/unix-transport.ts";
import { lecternPaths, type LecternPaths } from "../daemon/paths.ts";
import { makeStyle, type Style } from "./style.ts";

export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly paths: LecternPaths;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Of standard output. */
  readonly style: Style;
  /** Of standard error. */
  readonly errorStyle: Style;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** A client of the daemon, which is started where none runs. Throws `VERSION_MISMATCH`, `DAEMON_UNREACHABLE`. */
  client(): Promise<LecternClient>;
  /** A client of a daemon that runs, or undefined; of any version. */
  runningClient(): Promise<LecternClient | undefined>;
  /** To standard output; waits where the reader is slow. Throws `StdoutClosed` where it has gone. */
  write(data: string | Uint8Array): Promise<void>;
  /** Like `write`, with a line feed. */
  print(line: string): Promise<void>;
  /** To standard error, a line. */
  note(line: string): void;
}

/** The reader of standard output went away (`lectern ls | head -1`): a normal end. */
export class StdoutClosed extends Error {
  override readonly name = "StdoutClosed";
}

export function makeContext(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): CliContext {
  const { stdout } = process;
  const paths = lecternPaths(environment);
  const write = makeWriter(stdout);
  return {
    environment,
    workingDirectory: process.cwd(),
    paths,
    // Each of these is made when it is first used, and takes some milliseconds.
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
    client: async () => {
      const client = new LecternClient(unixTransport(paths.daemonSocket));
      const { ensureDaemon } = await import("./daemon-process.ts");
      await ensureDaemon({ client, paths, environment, signal });
      return client;
    },
    runningClient: async () => {
      const client = new LecternClient(unixTransport(paths.daemonSocket));
      const { daemonInfo } = await import("./daemon-process.ts");
      return (await daemonInfo(client)) === undefined ? undefined : client;
    },
    write,
    print: (line) => write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
  };
}

function makeWriter(stdout: NodeJS.WriteStream): CliContext["write"] {
  let closed = false;
  let wake: (() => void) | undefined;
  const gone = (): void => {
    closed = true;
    wake?.();
  };
  // EPIPE, and EIO where the terminal has gone: nobody reads any more.
  stdout.on("error", gone);
  stdout.on("close", gone);
  stdout.on("drain", () => wake?.());
  return async (data) => {
    if (closed) throw new StdoutClosed();
    if (data.length === 0 || stdout.write(data)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await promise;
    wake = undefined;
    if (stdout.errored !== null) throw new StdoutClosed();
  };
}
