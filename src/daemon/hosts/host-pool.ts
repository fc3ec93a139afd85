/** The pty hosts: finds those that run, starts one when it is needed, and tells what they say of which session. */
import { waits } from "../../core/waits.ts";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import { eventSocketPath } from "../../host/socket-path.ts";
import { HostClient, type HostTimes } from "../../host/host-client.ts";
import { launchHost } from "../../host/launch.ts";
import { readHostRecord } from "../../host/host-record.ts";
import type { DaemonRestart } from "../../host/daemon-keeper.ts";
import type { HostTotals } from "../../host/host-counters.ts";
import type { HostedInfo, Notice } from "../../host/messages.ts";
import { isWriterLocked } from "../../journal/writer-lock.ts";
import { within } from "../../timers/within.ts";

const SOCKET_PATTERN = /^host-[0-9a-f]+\.sock$/;

export interface HostPoolOptions {
  readonly runtimeDirectory: string;
  readonly logFile: string;
  readonly version: string;
  readonly times: HostTimes;
  /** How the hosts start a daemon again if this one is killed; without it they do not. */
  readonly restart?: DaemonRestart | undefined;
  /** Directories of the sessions that this host runs, as far as is known. */
  readonly sessionsOf: (name: string) => readonly string[];
}

/** What a host says about its sessions, by the handle that it gave them. */
export interface HostPoolListener {
  onTail(host: HostClient, handle: number, end: number): void;
  onNotice(host: HostClient, notice: Notice): void;
  /** The connection is gone. Without `again` the host has ended, and with it all that it ran. */
  onGone(host: HostClient, again: FoundHost | undefined): void;
  /** A host does not answer now, and has not ended; it is asked until one of the two comes. */
  onUnreachable(name: string, reason: string): void;
  /** A host that did not answer at the start has, or it has ended. */
  onSought(name: string, found: FoundHost | undefined): void;
}

export interface FoundHost {
  readonly host: HostClient;
  readonly running: readonly HostedInfo[];
}

export interface HostView {
  readonly name: string;
  readonly pid: number;
  readonly version: string;
  readonly backend: string;
  readonly sessions: number;
  readonly draining: boolean;
}

export class HostPool {
  readonly #options: HostPoolOptions;
  readonly #listener: HostPoolListener;
  readonly #hosts = new Set<HostClient>();
  readonly #draining = new Set<HostClient>();
  /** Names of hosts that live and do not answer: busy, stopped, or without a socket, with programs that go on. */
  readonly #sought = new Set<string>();
  readonly #stop = new AbortController();
  #launching: Promise<HostClient> | undefined;
  #isReleased = false;

  constructor(options: HostPoolOptions, listener: HostPoolListener) {
    this.#options = options;
    this.#listener = listener;
  }

  static nameOf(host: HostClient): string {
    return basename(host.path);
  }

  /**
   * Connects to every host that still runs and asks what it runs; sockets of hosts that ended are removed. One that does not answer is
   * asked again and again behind this, see `isSought`. `wanted`: names of hosts that should run, with or without a socket.
   */
  async connectAll(wanted: ReadonlySet<string>): Promise<ReadonlyMap<HostClient, readonly HostedInfo[]>> {
    const present = readdirSync(this.#options.runtimeDirectory).filter((name) => SOCKET_PATTERN.test(name));
    const names = [...new Set([...present, ...wanted])];
    const found = new Map<HostClient, readonly HostedInfo[]>();
    await Promise.all(
      names.map(async (name) => {
        const answer = await this.#ask(name);
        if (answer === "ended") return;
        if (answer === "silent") void this.#seekAtLeisure(name);
        else found.set(answer.host, answer.running);
      }),
    );
    return found;
  }

  /** True for a host of which nobody knows yet whether it lives: what it ran may go on. */
  isSought(name: string | null): boolean {
    return name !== null && this.#sought.has(name);
  }

  /** The host for a new session; started where none takes any. */
  async acquire(): Promise<HostClient> {
    for (const host of this.#hosts) if (host.current && !this.#draining.has(host)) return host;
    this.#launching ??= this.#launch().finally(() => (this.#launching = undefined));
    return this.#launching;
  }

  /** Process ids of the hosts that are connected. */
  get pids(): readonly number[] {
    return [...this.#hosts].map(({ hello }) => hello.pid);
  }

  /** To be called when the daemon begins to end: no host starts it again. */
  release(): void {
    this.#isReleased = true;
    for (const host of this.#hosts) supervise(host, null);
  }

  drainAll(): void {
    for (const host of this.#hosts) this.#drain(host);
  }

  async views(): Promise<HostView[]> {
    return Promise.all(
      [...this.#hosts].map(async (host) => ({
        name: HostPool.nameOf(host),
        pid: host.hello.pid,
        version: host.hello.version,
        backend: host.hello.backend,
        sessions: await sessionCount(host),
        draining: this.#draining.has(host),
      })),
    );
  }

  /** What each connected host has counted since its start, by its name; without those that are older or do not answer in time. */
  async totals(msMax: number): Promise<ReadonlyMap<string, HostTotals>> {
    const totals = await Promise.all(
      [...this.#hosts].map(async (host) => {
        const answer = host.understood ? host.call("totals", {}).catch(() => undefined) : Promise.resolve(undefined);
        return [HostPool.nameOf(host), await within(msMax, answer)] as const;
      }),
    );
    return new Map(totals.flatMap(([name, counted]) => (counted === undefined ? [] : [[name, counted] as const])));
  }

  /** Lets go of the hosts: they go on by themselves. */
  close(): void {
    this.#stop.abort();
    for (const host of this.#hosts) host.close();
  }

  async #launch(): Promise<HostClient> {
    const socketPath = join(this.#options.runtimeDirectory, `host-${randomBytes(6).toString("hex")}.sock`);
    await launchHost({ socketPath, logFile: this.#options.logFile, version: this.#options.version });
    return this.#add(await this.#connect(socketPath));
  }

  #add(host: HostClient): HostClient {
    this.#hosts.add(host);
    const { restart } = this.#options;
    if (restart !== undefined && !this.#isReleased) supervise(host, restart);
    if (host.hello.draining) this.#draining.add(host);
    return host;
  }

  async #connect(path: string): Promise<HostClient> {
    const host: HostClient = await HostClient.connect(path, this.#options.times, {
      onTail: (handle, end) => this.#listener.onTail(host, handle, end),
      onNotice: (notice) => this.#listener.onNotice(host, notice),
      onClose: () => void this.#closedBy(host),
    });
    if (this.#stop.signal.aborted) host.close();
    return host;
  }

  /** A host never hangs up on a daemon while it lives, but a broken connection is not yet a dead host: ask again. */
  async #closedBy(host: HostClient): Promise<void> {
    // One that was never added is asked again by whoever asked it.
    if (!this.#hosts.delete(host)) return;
    this.#draining.delete(host);
    if (this.#stop.signal.aborted) return;
    const again = await this.#seek(HostPool.nameOf(host));
    if (!this.#stop.signal.aborted) this.#listener.onGone(host, again);
  }

  async #seekAtLeisure(name: string): Promise<void> {
    this.#sought.add(name);
    this.#listener.onUnreachable(name, this.#reasonFor(name));
    const found = await this.#seek(name, { isReported: true });
    this.#sought.delete(name);
    if (!this.#stop.signal.aborted) this.#listener.onSought(name, found);
  }

  /** Asks until there is an answer; undefined where the host has ended, or the pool is closed. */
  async #seek(name: string, { isReported } = { isReported: false }): Promise<FoundHost | undefined> {
    for (let reported = isReported; !this.#stop.signal.aborted; reported = true) {
      const answer = await this.#ask(name);
      if (answer === "ended") return undefined;
      if (answer !== "silent") return answer;
      if (!reported && !this.#stop.signal.aborted) this.#listener.onUnreachable(name, this.#reasonFor(name));
      await sleep(waits.checkMs, undefined, { ref: false, signal: this.#stop.signal }).catch(() => undefined);
    }
    return undefined;
  }

  /**
   * A host has ended when nobody listens at its socket and no process holds its journals: a busy machine may keep it from its answer, and
   * its socket may have been removed.
   */
  async #ask(name: string): Promise<FoundHost | "silent" | "ended"> {
    let isSilent = false;
    const paths = this.#pathsOf(name);
    for (const path of paths) {
      const answer = await this.#askAt(path);
      if (typeof answer === "object") return answer;
      isSilent ||= answer === "silent";
    }
    if (isSilent || findHostProcess(this.#options.sessionsOf(name)) !== undefined) return "silent";
    for (const path of paths) removeSocket(path);
    return "ended";
  }

  async #askAt(path: string): Promise<FoundHost | "silent" | "refused"> {
    try {
      const host = await this.#connect(path);
      const list = host.understood
        ? await within(this.#options.times.hostHelloMs, host.call("list", {}))
        : { sessions: [] };
      if (list === undefined) {
        host.close();
        return "silent";
      }
      this.#add(host);
      if (host.hello.version !== this.#options.version) this.#drain(host);
      return { host, running: list.sessions };
    } catch (error) {
      return error instanceof LecternError && isRefused(error) ? "refused" : "silent";
    }
  }

  /** Where a host with this name may listen: here, or where its journals say. */
  #pathsOf(name: string): string[] {
    const { runtimeDirectory, sessionsOf } = this.#options;
    // In a copy of a data directory, the records are of hosts that write the original.
    const written = sessionsOf(name).filter((directory) => isWriterLocked(directory));
    const recorded = written.map((directory) => readHostRecord(directory)?.socket);
    const others = recorded.flatMap((path) => (path !== undefined && existsSync(path) ? path : []));
    return [...new Set([join(runtimeDirectory, name), ...others])];
  }

  #reasonFor(name: string): string {
    const pid = findHostProcess(this.#options.sessionsOf(name))?.pid;
    const host = pid === undefined ? "its pty host" : `its pty host (process ${pid})`;
    const [path = ""] = this.#pathsOf(name);
    const why = existsSync(path) ? `does not answer at "${path}"` : `has no socket at "${path}"`;
    return `${host} is alive but ${why}`;
  }

  #drain(host: HostClient): void {
    this.#draining.add(host);
    host.drain();
  }
}

/** An older host has no such method, and starts no daemon. */
function supervise(host: HostClient, restart: DaemonRestart | null): void {
  if (host.understood) host.call("supervise", { restart }).catch(() => undefined);
}

/** Nothing listens there. */
function isRefused(error: LecternError): boolean {
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code;
  return code === "ECONNREFUSED" || code === "ENOENT";
}

function removeSocket(path: string): void {
  for (const socket of [path, eventSocketPath(path)]) {
    try {
      unlinkSync(socket);
    } catch {
      // Somebody was faster.
    }
  }
}

/** 0 for a host that is just ending or is stuck, and for one that speaks another protocol. */
async function sessionCount(host: HostClient): Promise<number> {
  if (!host.understood) return 0;
  const list = host.call("list", {}).catch(() => undefined);
  return (await within(waits.partMs, list))?.sessions.length ?? 0;
}

interface HostProcess {
  /** Undefined where it cannot be found out. */
  readonly pid: number | undefined;
}

/** The host that runs the sessions in these directories. Undefined if it has ended. */
function findHostProcess(directories: readonly string[]): HostProcess | undefined {
  const locked = directories.find((directory) => isWriterLocked(directory));
  return locked === undefined ? undefined : { pid: readHostRecord(locked)?.pid };
}
