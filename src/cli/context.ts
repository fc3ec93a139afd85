/** The environment of a command. Only this floor reads environment variables and the terminal. */
import type { LecternClient } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { LecternError } from "../core/errors.ts";
import type { ViewerFilter } from "../core/text/viewer-filter.ts";
import { lecternPaths, type LecternPaths } from "../daemon/paths.ts";
import { joinAddress } from "../protocol/session-address.ts";
import { standardStreams } from "./end-process.ts";
import { currentDirectory } from "./current-directory.ts";
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
  readonly errorStyle: Style;
  /** Aborted by Ctrl-C, SIGTERM, SIGHUP and SIGQUIT, and after `endWithReader` when the reader of standard output has ended. */
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
  transport(): Promise<Transport>;
  /** The host that the command works on; undefined for this machine. */
  readonly host: string | undefined;
  /**
   * The same command on a host: its clients are those of the daemon there. Nothing connects before the first use. `mayAsk`: ssh may ask for a
   * second factor on this terminal, which is for one host only; default true.
   */
  onHost(name: string, options?: { readonly mayAsk?: boolean }): CliContext;
  /** The reference of a session for the next command line of the user: `work`, or `box/work` on a host. */
  addressOf(session: string): string;
  /** Writes to standard output; waits for a slow reader. Throws `StdoutClosed` if the reader has ended, `INVALID_INPUT` if the write fails. */
  write(data: string | Uint8Array): Promise<void>;
  /** Like `write`, for what a program printed: a terminal gets of it only what draws (`ViewerFilter`), anything else all of it. */
  writeOutput(data: string | Uint8Array): Promise<void>;
  /** Waits until all output has been accepted. Throws as `write` does. */
  flush(): Promise<void>;
  /** Like `write`, with a line feed. */
  print(line: string): Promise<void>;
  /** Writes a line to standard error. */
  note(line: string): void;
}

/** What a command has from its process; a program that runs a command inside itself gives its own. */
export interface Surroundings extends Pick<CliContext, "stdin" | "stdout" | "stderr" | "workingDirectory"> {
  /** Ends the command as Ctrl-C does. */
  readonly signal?: AbortSignal;
}

/** The reader of standard output has ended (`lectern ls | head -1`), which is a normal end. */
export class StdoutClosed extends Error {
  override readonly name = "StdoutClosed";
}

/** Without `given`, the command has the process to itself. */
export function makeContext(
  environment: Readonly<Record<string, string | undefined>>,
  abort: AbortController,
  given?: Surroundings,
): CliContext {
  const surroundings = given ?? ownSurroundings(environment);
  const { stdout, workingDirectory } = surroundings;
  const paths = lecternPaths(environment);
  const { signal } = abort;
  const endWithReader = (): void => abort.abort(new StdoutClosed());
  const output = makeWriter(stdout, signal);
  const contextOn = (host: string | undefined, reach: Reach): CliContext => {
    let ownClient: Promise<LecternClient> | undefined;
    return {
      ...reach,
      ...output,
      environment,
      workingDirectory,
      paths,
      get stdin() {
        return surroundings.stdin;
      },
      stdout,
      get stderr() {
        return surroundings.stderr;
      },
      style: makeStyle(stdout.isTTY, environment),
      get errorStyle() {
        return makeStyle(surroundings.stderr.isTTY, environment);
      },
      signal,
      endWithReader: () => {
        if (given !== undefined) stdout.once("close", endWithReader);
        else void import("./reader-watch.ts").then(({ watchReader }) => watchReader(endWithReader));
      },
      call: async (name, input) => (await (ownClient ??= reach.client())).call(name, input, { signal }),
      host,
      onHost: (name, { mayAsk = true } = {}) =>
        contextOn(name, reachHost(name, { environment, paths, signal }, mayAsk)),
      addressOf: (session) => joinAddress({ machine: host, session }),
      print: (line) => output.write(`${line}\n`),
      note: (line) => void surroundings.stderr.write(`${line}\n`),
    };
  };
  return contextOn(undefined, reachHere({ environment, paths, signal }));
}

const ownSurroundings = (environment: CliContext["environment"]): Surroundings => ({
  get stdin() {
    return standardStreams.stdin;
  },
  get stdout() {
    return standardStreams.stdout;
  },
  get stderr() {
    return standardStreams.stderr;
  },
  workingDirectory: currentDirectory(environment),
});

type Reach = Pick<CliContext, "client" | "runningClient" | "transport">;
type From = Pick<CliContext, "environment" | "paths" | "signal">;

function reachHere({ environment, paths, signal }: From): Reach {
  let isReturning = false;
  return {
    client: async () => {
      const { ensureDaemon } = await import("../daemon/daemon-process.ts");
      const found = await ensureDaemon({ paths, environment, signal, isReturning });
      isReturning = true;
      return found;
    },
    runningClient: async () => {
      const { findRunningDaemon, refuseInside } = await import("../daemon/daemon-process.ts");
      refuseInside(environment);
      return (await findRunningDaemon(paths, signal))?.client;
    },
    transport: async () => (await import("../client/unix-transport.ts")).unixTransport(paths.daemonSocket),
  };
}

/** The host is looked up when it is used, so that the help needs none. */
function reachHost(name: string, { environment, paths, signal }: From, mayAskFirst: boolean): Reach {
  let mayAsk = mayAskFirst;
  const here = reachHere({ environment, paths, signal });
  const daemon = async (): Promise<Transport> => {
    await here.client();
    return here.transport();
  };
  const transport = async (): Promise<Transport> => {
    const { refuseInside } = await import("../daemon/daemon-process.ts");
    refuseInside(environment);
    const { reachNamed } = await import("./host-link.ts");
    const reached = await reachNamed(name, { daemon, mayAsk, paths, signal });
    // When it returns because the connection broke, its terminal may show a session.
    mayAsk = false;
    return reached;
  };
  const client = async (): Promise<LecternClient> => {
    const [reached, { LecternClient: Client }] = await Promise.all([transport(), import("../client/client.ts")]);
    return new Client(reached);
  };
  return { client, runningClient: client, transport };
}

/** The environment without undefined values. */
const definedVariables = ({ environment }: Pick<CliContext, "environment">): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** Where programs start: as from this shell, or on a host as from a login there, for which nothing of this machine is right. */
export const startPlaceOf = (
  context: CliContext,
): { readonly workingDirectory: string; readonly environment?: Record<string, string> } =>
  context.host === undefined
    ? { workingDirectory: context.workingDirectory, environment: definedVariables(context) }
    : { workingDirectory: "~" };

/** Error codes of writes without a reader: a closed pipe or terminal. */
const GONE_CODES = new Set(["EPIPE", "EIO", "ECONNRESET"]);

function makeWriter(
  stdout: NodeJS.WriteStream,
  signal: AbortSignal,
): Pick<CliContext, "write" | "writeOutput" | "flush"> {
  let filter: ViewerFilter | undefined;
  let end: Error | undefined;
  let wake: (() => void) | undefined;
  const finish = (cause?: NodeJS.ErrnoException): void => {
    end ??= cause === undefined || GONE_CODES.has(cause.code ?? "") ? new StdoutClosed() : cannotWrite(cause);
    wake?.();
  };
  stdout.on("error", finish);
  stdout.on("close", () => finish());
  stdout.on("drain", () => wake?.());
  // Who ends a command does not wait for a reader that may never read.
  signal.addEventListener("abort", () => wake?.(), { once: true });
  const accepted = async (wait: (resolve: () => void) => void): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    if (signal.aborted) resolve();
    else wait(resolve);
    await promise;
    wake = undefined;
    if (end !== undefined) throw end;
    if (stdout.writableLength > 0) signal.throwIfAborted();
  };
  const write = async (data: string | Uint8Array): Promise<void> => {
    if (end !== undefined) throw end;
    if (data.length === 0 || stdout.write(data)) return;
    await accepted(() => undefined);
  };
  const writeOutput = async (data: string | Uint8Array): Promise<void> => {
    if (!stdout.isTTY) return await write(data);
    filter ??= new (await import("../core/text/viewer-filter.ts")).ViewerFilter({ mode: "replay" });
    await write(filter.feed(typeof data === "string" ? Buffer.from(data) : data));
  };
  const flush = async (): Promise<void> => {
    if (end !== undefined) throw end;
    // The callback of an empty write comes after all earlier writes, and after the error of a failed one.
    await accepted((resolve) => stdout.write("", () => resolve()));
  };
  return { write, writeOutput, flush };
}

const cannotWrite = (cause: Error): LecternError =>
  new LecternError("INVALID_INPUT", `Cannot write to standard output: ${cause.message}`, { cause });
