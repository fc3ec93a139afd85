/** The pty hosts: finds those that run, starts one when it is needed, and tells what they say of which session. */
import { randomBytes } from "node:crypto";
import { readdirSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { LecternError } from "../core/errors.ts";
import { eventSocketPath } from "../host/event-socket-path.ts";
import { HostClient } from "../host/host-client.ts";
import { launchHost } from "../host/launch.ts";
import type { HostedInfo, Notice } from "../host/messages.ts";

const SOCKET_PATTERN = /^host-[0-9a-f]+\.sock$/;

export interface HostPoolOptions {
  readonly runtimeDirectory: string;
  readonly logFile: string;
  readonly version: string;
}

/** What a host says about its sessions, by the handle that it gave them. */
export interface HostPoolListener {
  onTail(host: HostClient, handle: number, end: number): void;
  onNotice(host: HostClient, notice: Notice): void;
  /** The connection is gone. Without `again` the host has ended, and with it all that it ran. */
  onGone(
    host: HostClient,
    again: { readonly host: HostClient; readonly running: readonly HostedInfo[] } | undefined,
  ): void;
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
  #launching: Promise<HostClient> | undefined;
  #closed = false;

  constructor(options: HostPoolOptions, listener: HostPoolListener) {
    this.#options = options;
    this.#listener = listener;
  }

  static nameOf(host: HostClient): string {
    return basename(host.path);
  }

  /** Connects to every host that still runs and asks what it runs; sockets of hosts that ended are removed. */
  async connectAll(): Promise<ReadonlyMap<HostClient, readonly HostedInfo[]>> {
    const names = readdirSync(this.#options.runtimeDirectory).filter((name) => SOCKET_PATTERN.test(name));
    const found = new Map<HostClient, readonly HostedInfo[]>();
    await Promise.all(
      names.map(async (name) => {
        const host = await this.#connect(join(this.#options.runtimeDirectory, name)).catch(() => undefined);
        if (host === undefined) return;
        found.set(host, host.understood ? (await host.call("list", {})).sessions : []);
        if (host.hello.version !== this.#options.version) this.#drain(host);
      }),
    );
    return found;
  }

  /** The host for a new session; started where none takes any. */
  async acquire(): Promise<HostClient> {
    for (const host of this.#hosts) if (host.current && !this.#draining.has(host)) return host;
    this.#launching ??= this.#launch().finally(() => (this.#launching = undefined));
    return this.#launching;
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

  /** Lets go of the hosts: they go on by themselves. */
  close(): void {
    this.#closed = true;
    for (const host of this.#hosts) host.close();
  }

  async #launch(): Promise<HostClient> {
    const socketPath = join(this.#options.runtimeDirectory, `host-${randomBytes(6).toString("hex")}.sock`);
    await launchHost({ socketPath, logFile: this.#options.logFile, version: this.#options.version });
    return this.#connect(socketPath);
  }

  async #connect(path: string): Promise<HostClient> {
    const host: HostClient = await HostClient.connect(path, {
      onTail: (handle, end) => this.#listener.onTail(host, handle, end),
      onNotice: (notice) => this.#listener.onNotice(host, notice),
      onClose: () => void this.#closedBy(host),
    }).catch((error: unknown) => {
      if (error instanceof LecternError && isRefused(error)) removeSocket(path);
      throw error;
    });
    if (this.#closed) host.close();
    this.#hosts.add(host);
    if (host.hello.draining) this.#draining.add(host);
    return host;
  }

  /** A host never hangs up on a daemon while it lives, but a broken connection is not yet a dead host: ask again. */
  async #closedBy(host: HostClient): Promise<void> {
    this.#hosts.delete(host);
    this.#draining.delete(host);
    if (this.#closed) return;
    const again = await this.#connect(host.path).catch(() => undefined);
    // One that ends while it is asked has ended.
    const list = await again?.call("list", {}).catch(() => undefined);
    if (!this.#closed) this.#listener.onGone(host, again && list ? { host: again, running: list.sessions } : undefined);
  }

  #drain(host: HostClient): void {
    this.#draining.add(host);
    host.drain();
  }
}

/** Nothing listens there: the process is gone. */
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

/** 0 for a host that is just ending, and for one that speaks another protocol. */
async function sessionCount(host: HostClient): Promise<number> {
  if (!host.understood) return 0;
  const { sessions } = await host.call("list", {}).catch(() => ({ sessions: [] }));
  return sessions.length;
}
