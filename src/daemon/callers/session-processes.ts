/**
 * The processes that lead this daemon's sessions, by which what runs below them is recognised.
 *
 * A leader is kept when its session has ended: background jobs may go on in its kernel session, and the kernel gives that number to no other
 * process while one of them is left. The store keeps it for the next daemon. It is dropped when its kernel session is empty.
 */
import { sep } from "node:path";
import { EVENT_SOCKET_VARIABLE } from "../../host/socket-path.ts";
import { SESSION_VARIABLE } from "../../host/tagged-processes.ts";
import { readStat, readProc } from "../../pty/proc-files.ts";
import { kernelSessions } from "../../pty/session-processes.ts";
import type { HostPool } from "../hosts/host-pool.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { StoredLeader } from "../store/schema.ts";
import type { Store } from "../store/store.ts";
import type { SessionMarks } from "./process-place.ts";
import { platform } from "../../pty/platform.ts";

/** Ended sessions that have left processes behind. The oldest are forgotten. */
const ENDED_LEADERS_MAX = 10_000;
/** So many more leaders, and all of `/proc` is read to find those whose kernel session is empty. */
const NEW_LEADERS_MAX = 128;

type Leader = Pick<StoredLeader, "session" | "pid" | "startTicks">;

export interface SessionProcessesOptions {
  readonly registry: SessionRegistry;
  readonly hosts: Pick<HostPool, "pids">;
  readonly runtimeDirectory: string;
  readonly store: Pick<Store, "putLeader" | "removeLeaders">;
  /** What earlier daemons have stored. */
  readonly leaders: readonly StoredLeader[];
  readonly onError: (error: unknown) => void;
}

export class SessionProcesses implements SessionMarks, Disposable {
  readonly #options: SessionProcessesOptions;
  readonly #system = systemId();
  /** By pid; the newest session wins. */
  readonly #leaders = new Map<number, Leader>();
  /** Those whose leader was noted: later its pid may belong to another process. */
  readonly #noted = new WeakSet<SessionEntry>();
  #checkAt = 0;
  readonly #subscription: Disposable;

  constructor(options: SessionProcessesOptions) {
    this.#options = options;
    const { leaders, registry } = options;
    for (const { pid, session, startTicks, system } of leaders) {
      if (system === this.#system) this.#keep({ pid, session, startTicks });
    }
    this.#remove(leaders.filter(({ pid, session }) => this.#leaders.get(pid)?.session !== session));
    this.#dropEmpty();
    this.#subscription = registry.subscribe((_, entry) => {
      if (entry !== undefined) this.#note(entry);
    });
  }

  ledBy(pid: number, startTicks: number): string | undefined {
    const leader = this.#leaders.get(pid);
    if (leader === undefined) return undefined;
    const isSame = leader.startTicks === null ? this.#isLive(leader) : leader.startTicks === startTicks;
    return isSame ? leader.session : undefined;
  }

  ofKernelSession(leader: number): string | undefined {
    const stat = readStat(leader);
    return stat === undefined ? this.#leaders.get(leader)?.session : this.ledBy(leader, stat.startTicks);
  }

  isHost(pid: number): boolean {
    return this.#options.hosts.pids.includes(pid);
  }

  namedIn(environment: readonly string[]): string | null | undefined {
    const { registry, runtimeDirectory } = this.#options;
    const sessions = valuesOf(environment, SESSION_VARIABLE);
    const known = sessions.find((id) => registry.get(id) !== undefined);
    if (known !== undefined) return known;
    // A session that was removed; one of another data directory has its event socket elsewhere.
    const sockets = valuesOf(environment, EVENT_SOCKET_VARIABLE);
    const isOurs = sockets.some((path) => path.startsWith(`${runtimeDirectory}${sep}`));
    return sessions.length > 0 && isOurs ? null : undefined;
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]();
  }

  #note(entry: SessionEntry): void {
    const { id: session, leaderPid: pid } = entry;
    if (this.#system === undefined || pid === null || this.#noted.has(entry)) return;
    this.#noted.add(entry);
    if (this.#leaders.get(pid)?.session === session) return;
    const leader = { session, pid, startTicks: readStat(pid)?.startTicks ?? null };
    this.#keep(leader);
    const { onError, store } = this.#options;
    store.putLeader({ ...leader, system: this.#system }).catch(onError);
    if (this.#leaders.size >= this.#checkAt) this.#dropEmpty();
  }

  /** The map is in the order of the starts. */
  #keep(leader: Leader): void {
    this.#leaders.delete(leader.pid);
    this.#leaders.set(leader.pid, leader);
  }

  #dropEmpty(): void {
    const ended = [...this.#leaders.values()].filter((leader) => !this.#isLive(leader));
    const occupied = ended.length === 0 ? new Set<number>() : kernelSessions();
    const isLeft = ({ pid, startTicks }: Leader): boolean => {
      // Another process has the number by now, so there was a time when the kernel session was empty.
      const isReused = startTicks !== null && (readStat(pid)?.startTicks ?? startTicks) !== startTicks;
      return occupied.has(pid) && !isReused;
    };
    const left = new Set(ended.filter(isLeft).slice(-ENDED_LEADERS_MAX));
    const dropped = ended.filter((leader) => !left.has(leader));
    for (const { pid } of dropped) this.#leaders.delete(pid);
    this.#remove(dropped);
    this.#checkAt = this.#leaders.size + NEW_LEADERS_MAX;
  }

  #remove(leaders: readonly Leader[]): void {
    if (leaders.length === 0) return;
    const { onError, store } = this.#options;
    store.removeLeaders(leaders.map(({ session }) => session)).catch(onError);
  }

  #isLive({ session }: Leader): boolean {
    return this.#options.registry.get(session)?.live === true;
  }
}

const valuesOf = (environment: readonly string[], name: string): string[] =>
  environment.filter((entry) => entry.startsWith(`${name}=`)).map((entry) => entry.slice(name.length + 1));

/**
 * The boot id of the kernel and the start time of process 1, because a restarted container has the same kernel and counts its processes
 * from 1 again. Undefined on a system without `/proc`.
 */
export function systemId(): string | undefined {
  if (!platform.hasProc) return undefined;
  const boot = readProc("sys/kernel/random/boot_id").text?.trim();
  return `${boot ?? "unknown"} ${readStat(1)?.startTicks ?? "unknown"}`;
}
