/**
 * Starts the daemon again after it was killed, for sessions whose agents reach their model only through it. The pty host does that,
 * because it outlives the daemon and notices its end at once: the kernel closes their connection.
 *
 * Law: a daemon that ends as it should says so first (`supervise` with null), and is not started again. Nor is one after `lectern down`,
 * or for a data directory that was removed. If another daemon runs, its lock ends the one that is started here.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { waits } from "../core/waits.ts";
import { readDaemonEnd } from "./ended-file.ts";
import { launchDaemon, type DaemonStart } from "./launch-daemon.ts";
import { readJsonFile, replaceFile } from "./json-file.ts";

/** How a daemon is started again. Given by the daemon itself, so that the host starts the version that ran. */
export interface DaemonRestart extends DaemonStart {
  /** See `ended-file.ts`. */
  readonly endedFile: string;
  /** Where failures are reported for `lectern doctor`; a daemon that starts removes it. */
  readonly reportFile: string;
}

/** Why no daemon runs, in `reportFile`. */
export interface RestartReport {
  /** Daemons that were started since one last ran for a minute. */
  readonly starts: number;
  readonly reason: string;
  readonly timeMs: number;
  /** False: the host has given up, and the next command starts a daemon. */
  readonly triesAgain: boolean;
}

/** The wait before each start since a daemon last ran for `STEADY_MS`. Then the host gives up. */
const RESTART_DELAYS_MS = [0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000] as const;
const STEADY_MS = 60_000;

interface KeeperOptions {
  /** Whether a session runs that needs a daemon. */
  readonly isNeeded: () => boolean;
  /** A host that drains lets the newer one go first. */
  readonly isDraining: () => boolean;
  readonly log: (line: string) => void;
  /** Injected by tests. Default: starts the process. */
  readonly start?: (start: DaemonStart) => Promise<unknown>;
  readonly delaysMs?: readonly number[];
}

/** `Connection` identifies the connection of one daemon. */
export class DaemonKeeper<Connection> {
  readonly #options: Required<KeeperOptions>;
  /** The daemons that are connected, with the time of their connection. */
  readonly #daemons = new Map<Connection, { readonly restart: DaemonRestart; readonly sinceMs: number }>();
  #starts = 0;
  #isStarting = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: KeeperOptions) {
    this.#options = { start: launchDaemon, delaysMs: RESTART_DELAYS_MS, ...options };
  }

  /** A daemon has said how it is started again; null: it is ending as it should. */
  supervise(connection: Connection, restart: DaemonRestart | null): void {
    clearTimeout(this.#timer);
    if (restart === null) {
      this.#daemons.delete(connection);
      return;
    }
    // Somebody else has started this one, so the starts of this host are over.
    if (!this.#isStarting) this.#starts = 0;
    this.#daemons.set(connection, { restart, sinceMs: performance.now() });
  }

  disconnected(connection: Connection): void {
    const daemon = this.#daemons.get(connection);
    if (daemon === undefined) return;
    this.#daemons.delete(connection);
    if (this.#daemons.size > 0) return;
    if (performance.now() - daemon.sinceMs >= STEADY_MS) this.#starts = 0;
    this.#plan(daemon.restart, "the daemon was killed");
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#daemons.clear();
  }

  #plan(restart: DaemonRestart, reason: string): void {
    if (!this.#options.isNeeded()) return;
    const delayMs = this.#options.delaysMs[this.#starts];
    // The first starts follow a kill and are no news.
    if (delayMs !== 0) this.#report(restart, reason, delayMs !== undefined);
    if (delayMs === undefined) return;
    this.#starts++;
    this.#later(restart, delayMs + (this.#options.isDraining() ? waits.retryMs : 0));
  }

  #later(restart: DaemonRestart, delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#start(restart), delayMs);
  }

  async #start(restart: DaemonRestart): Promise<void> {
    if (this.#daemons.size > 0 || !this.#options.isNeeded()) return;
    if (!existsSync(dirname(restart.logFile))) return;
    // The one before was killed as soon as it was ready.
    if (this.#isStarting) return this.#later(restart, waits.pollMs);
    const end = readDaemonEnd(restart.endedFile);
    if (end === "down") return;
    if (end === "replaced") return this.#later(restart, waits.retryMs);
    this.#isStarting = true;
    let reason: string | undefined;
    try {
      await this.#options.start(restart);
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    this.#isStarting = false;
    if (reason !== undefined && this.#daemons.size === 0) this.#plan(restart, reason);
  }

  #report({ reportFile }: DaemonRestart, reason: string, triesAgain: boolean): void {
    const report: RestartReport = { starts: this.#starts, reason, timeMs: Date.now(), triesAgain };
    const next = triesAgain ? "it is started again" : "it is not started again";
    this.#options.log(`No daemon after ${this.#starts} starts: ${reason}; ${next}`);
    try {
      replaceFile(reportFile, JSON.stringify(report));
    } catch {
      // The log has it; a full disk must not end the programs.
    }
  }
}

/** Undefined if a daemon runs, or none was killed. */
export function readRestartReport(path: string): RestartReport | undefined {
  const { reason, starts, timeMs, triesAgain } = (readJsonFile(path) ?? {}) as Partial<RestartReport>;
  if (typeof reason !== "string" || typeof starts !== "number" || typeof timeMs !== "number") return undefined;
  return { reason, starts, timeMs, triesAgain: triesAgain === true };
}
