/** The processes that lead this daemon's sessions, by which what runs below them is recognised. */
import { sep } from "node:path";
import { EVENT_SOCKET_VARIABLE } from "../../host/hosted-session.ts";
import { SESSION_VARIABLE } from "../../host/tagged-processes.ts";
import { readStat } from "../../pty/proc-files.ts";
import type { HostPool } from "../host-pool.ts";
import type { SessionEntry } from "../session-entry.ts";
import type { SessionRegistry } from "../session-registry.ts";
import type { SessionMarks } from "./process-place.ts";

/** Leaders of sessions that have ended: background jobs may go on in their kernel session. The oldest are forgotten. */
const ENDED_MAX = 10_000;

interface Leader {
  readonly pid: number;
  /** Undefined if it could not be read: then the pid alone counts. */
  readonly startTicks: number | undefined;
}

export class SessionProcesses implements SessionMarks, Disposable {
  readonly #registry: SessionRegistry;
  readonly #hosts: HostPool;
  readonly #runtimeDirectory: string;
  readonly #leaders = new Map<string, Leader>();
  /** By pid; the newest session wins. */
  readonly #live = new Map<number, string>();
  readonly #ended = new Map<number, string>();
  readonly #subscription: Disposable;

  constructor(registry: SessionRegistry, hosts: HostPool, runtimeDirectory: string) {
    this.#registry = registry;
    this.#hosts = hosts;
    this.#runtimeDirectory = runtimeDirectory;
    for (const entry of registry.all) this.#apply(entry.id, entry);
    this.#subscription = registry.subscribe((id, entry) => this.#apply(id, entry));
  }

  ledBy(pid: number, startTicks: number): string | undefined {
    const session = this.#live.get(pid);
    const known = session === undefined ? undefined : this.#leaders.get(session)?.startTicks;
    return known === undefined || known === startTicks ? session : undefined;
  }

  /** The kernel gives the number of a session to no other process while one is left in it. */
  ofKernelSession(leader: number): string | undefined {
    const stat = readStat(leader);
    if (stat !== undefined) return this.ledBy(leader, stat.startTicks);
    return this.#live.get(leader) ?? this.#ended.get(leader);
  }

  isHost(pid: number): boolean {
    return this.#hosts.pids.includes(pid);
  }

  namedIn(environment: readonly string[]): string | null | undefined {
    const sessions = valuesOf(environment, SESSION_VARIABLE);
    const known = sessions.find((id) => this.#registry.get(id) !== undefined);
    if (known !== undefined) return known;
    // A session that was removed; one of another data directory has its event socket elsewhere.
    const sockets = valuesOf(environment, EVENT_SOCKET_VARIABLE);
    const isOurs = sockets.some((path) => path.startsWith(`${this.#runtimeDirectory}${sep}`));
    return sessions.length > 0 && isOurs ? null : undefined;
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  #apply(id: string, entry: SessionEntry | undefined): void {
    const known = this.#leaders.get(id);
    const pid = entry?.live === true ? entry.stored.pid : null;
    if (known?.pid === pid) return;
    if (known !== undefined) this.#forget(id, known);
    if (pid === null || pid === undefined) return;
    this.#leaders.set(id, { pid, startTicks: readStat(pid)?.startTicks });
    this.#live.set(pid, id);
  }

  #forget(id: string, { pid }: Leader): void {
    this.#leaders.delete(id);
    if (this.#live.get(pid) === id) this.#live.delete(pid);
    this.#ended.delete(pid);
    this.#ended.set(pid, id);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > ENDED_MAX && oldest !== undefined) this.#ended.delete(oldest);
  }
}

const valuesOf = (environment: readonly string[], name: string): string[] =>
  environment.filter((entry) => entry.startsWith(`${name}=`)).map((entry) => entry.slice(name.length + 1));
