/**
 * The way to the daemon of another machine over one connection of ssh, which all processes of this user share: the first that needs it opens
 * it, and it stays open in the background. A socket here leads to the daemon's socket there, so a client of it is one as any other.
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { LecternClient } from "../client/client.ts";
import { unixTransport } from "../client/unix-transport.ts";
import { LecternError } from "../core/errors.ts";
import { waits, unitMs } from "../core/waits.ts";
import { checkSocketDirectory, ensureSocketDirectory } from "../host/private-directory.ts";
import type { SshHost } from "./hosts-file.ts";
import {
  checkRemoteVersion,
  findDaemonCommand,
  readRemoteDaemon,
  readVersions,
  type RemoteDaemon,
} from "./remote-daemon.ts";
import { away, sshFailure } from "./ssh-failures.ts";
import { spawn } from "node:child_process";

const HASH_CHARS = 12;
/** Without anybody to ask: to connect, log in and start a daemon there. */
const CONNECT_MS_MAX = 20_000;

export interface ConnectOptions {
  /** A person at the terminal of this process can answer prompts of ssh, such as for a second factor. */
  readonly mayAsk?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** One host. Nothing happens before `connect`. */
export class SshLink {
  readonly host: SshHost;
  readonly #directory: string;
  readonly #isAdded: boolean;
  readonly #places: LinkPlaces;
  #connecting: Promise<Omit<RemoteDaemon, "socket">> | undefined;

  /** `directory` is for sockets; it is created with the first connection. `isAdded`: whether commands know the host by its name. */
  constructor(host: SshHost, directory: string, { isAdded = true }: { readonly isAdded?: boolean } = {}) {
    this.host = host;
    this.#isAdded = isAdded;
    this.#directory = directory;
    // A host that was changed has another connection.
    const { destination, program, sshOptions } = host;
    const identity = JSON.stringify([destination, sshOptions, program]);
    const key = createHash("sha256").update(identity).digest("hex").slice(0, HASH_CHARS);
    this.#places = { controlSocket: join(directory, `${key}.ctl`), socket: join(directory, `${key}.sock`) };
  }

  /** The socket here that leads to the daemon there, once connected. */
  get socket(): string {
    return this.#places.socket;
  }

  /**
   * Resolves when the daemon there answers and speaks our protocol. Opens the connection and starts the daemon there if necessary.
   * Rejects with `MACHINE_AWAY` and the reason, `VERSION_MISMATCH`, `NOT_AVAILABLE` without ssh, or `CANCELLED`.
   */
  connect(options: ConnectOptions = {}): Promise<Omit<RemoteDaemon, "socket">> {
    // With a signal of its own each caller can leave, and takes nobody along.
    if (options.signal !== undefined) return this.#connect(options);
    this.#connecting ??= this.#connect(options).finally(() => (this.#connecting = undefined));
    return this.#connecting;
  }

  /** What the daemon there says over a connection that is open already; undefined without one. */
  async peek(signal?: AbortSignal): Promise<Omit<RemoteDaemon, "socket"> | undefined> {
    const answer = await this.#ask(signal);
    return typeof answer === "string" ? undefined : answer;
  }

  /** Ends the connection for all processes. */
  async disconnect(): Promise<void> {
    await runSsh({ words: exitArguments(this.host, this.#places), limitMs: waits.answerMs });
  }

  async #connect({ mayAsk = false, signal }: ConnectOptions): Promise<Omit<RemoteDaemon, "socket">> {
    const open = await this.#ask(signal);
    if (open === "silent") {
      // ssh notices within 15 s if the other end is gone; until then, it may only be slow.
      throw away(this.host, `no answer within ${waits.arrivalMs / 1000} s over a connection that is open; try again`);
    }
    if (open !== "closed") return this.#checked(open);
    ensureSocketDirectory(this.#directory);
    const remote = await this.#start(mayAsk, signal);
    checkRemoteVersion(this.host.name, remote);
    return this.#checked(await this.#forward(remote, signal));
  }

  #checked<Remote extends Omit<RemoteDaemon, "socket">>(remote: Remote): Remote {
    checkRemoteVersion(this.host.name, remote);
    return remote;
  }

  /** Opens the connection, and starts the daemon there if none runs. */
  async #start(mayAsk: boolean, signal: AbortSignal | undefined): Promise<RemoteDaemon> {
    const command = findDaemonCommand(this.host.program);
    const words = runArguments(this.host, this.#places, { command, mayAsk });
    const result = await runSsh({ words, limitMs: mayAsk ? ASKING_MS_MAX : CONNECT_MS_MAX, signal });
    if (result.code !== 0) throw sshFailure(this.host, { ...result, mayAsk, isAdded: this.#isAdded });
    const remote = readRemoteDaemon(result.output);
    if (remote !== undefined) return remote;
    throw away(
      this.host,
      `"${this.host.program ?? "lectern"}" there did not say where its daemon listens; see "lectern info" there`,
    );
  }

  async #forward(remote: RemoteDaemon, signal: AbortSignal | undefined): Promise<Omit<RemoteDaemon, "socket">> {
    const change = async (action: "forward" | "cancel") => {
      const words = forwardArguments(this.host, this.#places, { action, remoteSocket: remote.socket });
      return runSsh({ words, limitMs: waits.arrivalMs, signal });
    };
    let errors = "";
    // ssh takes a way that it has already for made, also if its socket was removed: then it is made anew.
    for (const isSecond of [false, true]) {
      if (isSecond) await change("cancel");
      const made = await change("forward");
      errors = made.errors.trim();
      const answer = made.code === 0 ? await this.#ask(signal) : "closed";
      if (typeof answer !== "string") return answer;
    }
    const why = errors === "" ? "its SSH server may not forward sockets: AllowStreamLocalForwarding yes" : errors;
    throw away(this.host, `logged in, but its daemon cannot be reached at ${remote.socket}; ${why}`);
  }

  async #ask(signal: AbortSignal | undefined): Promise<Omit<RemoteDaemon, "socket"> | "silent" | "closed"> {
    // Below /tmp another user may have made it first, with a socket of his own in it.
    checkSocketDirectory(this.#directory);
    const late = AbortSignal.timeout(waits.arrivalMs);
    const client = new LecternClient(unixTransport(this.socket));
    try {
      const both = signal === undefined ? late : AbortSignal.any([late, signal]);
      const versions = readVersions(await client.call("daemon.info", {}, { signal: both }));
      if (versions === undefined) throw away(this.host, "what answers there is not a Lectern daemon");
      return versions;
    } catch (error) {
      if (!(error instanceof LecternError) || signal?.aborted === true) throw error;
      if (error.code === "CANCELLED") return "silent";
      if (error.code === "DAEMON_UNREACHABLE") return "closed";
      throw error.code === "MACHINE_AWAY" ? error : away(this.host, error.message, error);
    }
  }
}

/** Of output and errors each; what is beyond is not read. */
const TEXT_CHARS_MAX = 262_144;

interface SshRun {
  readonly words: readonly string[];
  /** Ends the command. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** How ssh ended. `limitMs` is set if it was ended for its time. */
interface SshResult {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
  readonly limitMs: number | undefined;
}

/** Long enough to find a telephone and type six digits. */
const ASKING_MS_MAX = 3 * unitMs.m;

/** Rejects with `NOT_AVAILABLE` if there is no ssh here, and with `CANCELLED`. Prompts go to the terminal of this process, not through it. */
function runSsh({ words, limitMs, signal }: SshRun): Promise<SshResult> {
  const { promise, resolve, reject } = Promise.withResolvers<SshResult>();
  // The connection stays in the background: it must not keep the current directory in use.
  const child = spawn("ssh", [...words], { stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
  let output = "";
  let errors = "";
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill();
  }, limitMs);
  const onAbort = (): void => void child.kill();
  signal?.addEventListener("abort", onAbort, { once: true });
  const finish = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output = (output + text).slice(0, TEXT_CHARS_MAX)));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors = (errors + text).slice(-TEXT_CHARS_MAX)));
  child.on("error", (cause) => {
    finish();
    const next = "install it, for example: apt install openssh-client";
    reject(new LecternError("NOT_AVAILABLE", `Cannot run ssh: ${cause.message}; ${next}`, { cause }));
  });
  let code: number | null = null;
  const end = (): void => {
    finish();
    child.stdout.destroy();
    child.stderr.destroy();
    if (signal?.aborted === true && !isLate) reject(new LecternError("CANCELLED", "Cancelled by the caller"));
    else resolve({ code, output, errors, limitMs: isLate ? limitMs : undefined });
  };
  child.on("exit", (exitCode) => {
    code = exitCode;
    clearTimeout(timer);
    // A connection that stays in the background has closed the pipes; where it has not, nobody waits for its end.
    setTimeout(end, waits.partMs).unref();
  });
  child.on("close", end);
  return promise;
}

// The command lines of ssh(1). One connection for each host carries everything: the first command opens it and leaves it open in the
// background (ControlMaster, ControlPersist), later ones use it. Configuration, keys, agent, jumps and prompts are the user's own.

/** Where the connection of a host is: two sockets. */
interface LinkPlaces {
  /** Of ssh, for commands about the connection. */
  readonly controlSocket: string;
  /** Leads to the socket of the daemon there. */
  readonly socket: string;
}

/** A connection that nobody uses is closed. */
const IDLE_SECONDS = 600;
/** A peer that answers none of three questions is gone: the connection ends after 15 s of silence at most. */
const ALIVE_SECONDS = 5;
const ALIVE_COUNT_MAX = 3;
/** To connect, and to each greeting. */
const CONNECT_SECONDS = 10;

/** A command there; connects if necessary. `mayAsk`: a person can answer prompts, such as a second factor. */
export function runArguments(
  host: SshHost,
  { controlSocket }: LinkPlaces,
  { command, mayAsk }: { readonly command: string; readonly mayAsk: boolean },
): string[] {
  const own = {
    ControlMaster: "auto",
    ControlPath: escapePercent(controlSocket),
    ControlPersist: String(IDLE_SECONDS),
    // The sockets of a connection that was killed are still there.
    StreamLocalBindUnlink: "yes",
    StreamLocalBindMask: "0177",
    ServerAliveInterval: String(ALIVE_SECONDS),
    ServerAliveCountMax: String(ALIVE_COUNT_MAX),
    ConnectTimeout: String(CONNECT_SECONDS),
    // What the user's configuration adds to every connection is not wanted on this one.
    ClearAllForwardings: "yes",
    ForwardAgent: "no",
    ForwardX11: "no",
    RequestTTY: "no",
    RemoteCommand: "none",
    PermitLocalCommand: "no",
    LogLevel: "ERROR",
    BatchMode: mayAsk ? "no" : "yes",
  };
  return [...optionArguments(own), ...hostArguments(host), "--", host.destination, command];
}

/** Adds or removes the way from the socket here to the one of the daemon there, on an open connection. */
export const forwardArguments = (
  host: SshHost,
  { controlSocket, socket }: LinkPlaces,
  { action, remoteSocket }: { readonly action: "forward" | "cancel"; readonly remoteSocket: string },
): string[] => [
  ...controlArguments(controlSocket, action),
  "-L",
  `${escapeForward(socket)}:${escapeForward(remoteSocket)}`,
  "--",
  host.destination,
];

/** Ends an open connection. */
export const exitArguments = (host: SshHost, { controlSocket }: LinkPlaces): string[] => [
  ...controlArguments(controlSocket, "exit"),
  "--",
  host.destination,
];

/** Without the user's configuration, whose forwardings would be asked for, too. */
const controlArguments = (controlSocket: string, command: string): string[] => [
  "-F",
  "none",
  ...optionArguments({ ControlPath: escapePercent(controlSocket), LogLevel: "ERROR" }),
  "-O",
  command,
];

/** The first value of an option holds in ssh, so ours stand before those of the user. */
const optionArguments = (options: Readonly<Record<string, string>>): string[] =>
  Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);

const hostArguments = ({ sshOptions }: SshHost): string[] => sshOptions.flatMap((option) => ["-o", option]);

/** In paths of sockets ssh expands `%h` and its like. */
const escapePercent = (path: string): string => path.replaceAll("%", "%%");

/** A colon would end the path. `${NAME}` cannot be escaped: `remote-daemon.ts` takes no such path, `paths.ts` makes none. */
const escapeForward = (path: string): string => escapePercent(path).replaceAll(/[\\:]/g, String.raw`\$&`);
