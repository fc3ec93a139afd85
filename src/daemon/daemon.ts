/**
 * The daemon: finds the sessions that go on, offers the operations. It may be killed at any time: the programs and their
 * journals are in the pty host, and the next daemon takes up each session at its offset.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { LecternError } from "../core/errors.ts";
import type { HostClient } from "../host/host-client.ts";
import type { HostedInfo, Notice } from "../host/messages.ts";
import { AuditStore } from "./audit/audit-store.ts";
import { ApprovalBook } from "./approvals.ts";
import { Callers } from "./callers/callers.ts";
import { SessionProcesses } from "./callers/session-processes.ts";
import { BlobStore } from "./blobs.ts";
import { WireSessions } from "./gateway/wire-sessions.ts";
import { removeDaemonFile, writeDaemonFile, type DaemonFile } from "./daemon-file.ts";
import { HostPool, type FoundHost, type HostPoolListener } from "./host-pool.ts";
import { Maintenance } from "./maintenance.ts";
import type { Daemon } from "./operations/context.ts";
import { daemonService } from "./operations/service.ts";
import type { LecternPaths } from "./paths.ts";
import { Prompts } from "./prompts.ts";
import { DaemonProblems } from "./problems.ts";
import { closeUnseen } from "./recovery.ts";
import { Screens } from "./screens.ts";
import { ensurePrivateDirectory, ensureSocketDirectory } from "./secure-directory.ts";
import type { DaemonService } from "./service.ts";
import { SessionEntry } from "./session-entry.ts";
import { SessionRegistry } from "./session-registry.ts";
import type { StoreContents } from "./store/schema.ts";
import { Store } from "./store/store.ts";
import { Tokens } from "./tokens.ts";
import { findUnregistered } from "./unregistered.ts";
import { ViewStore } from "./store/view-store.ts";
import { watchScreens } from "./views/screen-approvals.ts";
import { SessionViews } from "./views/session-views.ts";

export interface DaemonOptions {
  readonly version: string;
  /** Who wanted it, for `daemon.json`. Default "user". */
  readonly startedBy?: string;
  /** Called when a client asked the daemon to end. */
  readonly onStop: () => void;
  /** Something went wrong that no caller waits for. */
  readonly onError: (error: unknown) => void;
  /** A line for the log: what was damaged and is mended, or what the daemon has to do without. */
  readonly onProblem?: (line: string) => void;
  /** The view of a session that is quiet for so long is put away until it is wanted. Default 60,000. */
  readonly idleViewMs?: number;
}

export interface RunningDaemon extends AsyncDisposable {
  readonly service: DaemonService;
  /** Sessions that were found again, still running. */
  readonly resumed: number;
  /** Sessions that ended while nobody looked. */
  readonly lost: number;
  /** Tells the daemon where its servers listen, for `daemon.info`. */
  listensOn(urls: readonly string[]): void;
  /** Its servers are closing: clients wait for the next daemon. */
  ends(): void;
  /** Lets go of everything; the programs go on. */
  close(): Promise<void>;
}

/** A journal that somebody still writes is tried again so much later. */
const HELD_RETRY_MS = 1000;

/** Throws `ALREADY_RUNNING`, `UNSAFE_PERMISSIONS`. */
export async function startDaemon(paths: LecternPaths, options: DaemonOptions): Promise<RunningDaemon> {
  const parts = new AsyncDisposableStack();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= parts.disposeAsync());
  try {
    return { ...(await runDaemon(paths, options, parts)), close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close().catch(options.onError);
    throw error;
  }
}

type Started = Omit<RunningDaemon, "close" | typeof Symbol.asyncDispose>;

/** Whatever it starts is in `parts`, which end in the opposite order. */
async function runDaemon(paths: LecternPaths, options: DaemonOptions, parts: AsyncDisposableStack): Promise<Started> {
  const { onError } = options;
  const { daemon, sync } = await openDaemon(paths, options, parts);
  const { registry, hosts, prompts, views } = daemon;
  const wanted = new Set([...registry.all].flatMap(({ live, stored: { host } }) => (live ? (host ?? []) : [])));
  for (const [host, running] of await hosts.connectAll(wanted)) await sync.found(host, running);
  const lost = await sync.closeOrphans([...registry.all].filter(({ stored }) => !hosts.isSought(stored.host)));
  const live = [...registry.all].filter((entry) => entry.live);
  parts.use(watchScreens(views, daemon.approvals));
  for (const entry of live) views.follow(entry, { isNew: false });
  for (const entry of live) await resumeWire(daemon, entry).catch(onError);
  prompts.resume();
  views
    .recall((id) => registry.get(id))
    .then(() => views.catchUp([...registry.all]))
    .catch((error: unknown) => {
      if (!views.isClosed) onError(error);
    });
  return {
    service: daemonService(daemon),
    resumed: live.length,
    lost,
    listensOn: (urls) => {
      daemon.listen = urls;
      announce(paths, "running", options);
    },
    ends: () => announce(paths, "ending", options),
  };
}

/**
 * Everything that a daemon has, with the sessions that it knows; nothing runs yet.
 *
 * Law of the end: who may still ask ends before who answers. The hosts are let go of early, so that nobody waits for one that is stuck.
 */
async function openDaemon(
  paths: LecternPaths,
  { onError, onProblem = () => {}, onStop, version, startedBy, ...limits }: DaemonOptions,
  parts: AsyncDisposableStack,
): Promise<{ readonly daemon: Daemon; readonly sync: HostSync }> {
  ensurePrivateDirectory(paths.dataDirectory);
  ensureSocketDirectory(paths.runtimeDirectory);
  mkdirSync(paths.sessionsDirectory, { recursive: true, mode: 0o700 });
  const store = parts.adopt(
    await Store.open(paths.databaseFile, paths.lockFile),
    async (opened) => await opened.close(),
  );
  announce(paths, "starting", { onError, startedBy });
  parts.defer(() => removeDaemonFile(paths));
  const problems = new DaemonProblems(onProblem);
  reportStore(store, paths.databaseFile, problems);
  const contents = await store.load();
  const { audit, problem: auditProblem } = await AuditStore.openOrRefuse(paths.auditDirectory);
  parts.use(audit);
  if (auditProblem !== null) problems.set("audit log", `${auditProblem}; tool calls that need it are refused`);
  const viewStore = parts.adopt(
    await ViewStore.open(paths.viewsFile, { onError, problems }),
    async (opened) => await opened.close(),
  );
  const registry = new SessionRegistry(store);
  parts.defer(async () => {
    for (const entry of registry.all) await entry.close();
  });
  const found = await register(registry, contents, paths.sessionsDirectory);
  if (found > 0)
    problems.note(`${found} sessions were not in the registry: they are listed again, from their directories`);
  const screens = parts.use(new Screens());
  const views = parts.use(new SessionViews(viewStore, { onError, ...limits }));
  viewStore.onRemade = () => void views.readAgain([...registry.all]).catch(onError);
  parts.adopt(new Maintenance(registry, onError), async (running) => await running.close());
  const sync = parts.use(new HostSync(registry, onError));
  const { runtimeDirectory, formerRuntimeDirectories } = paths;
  const logFile = join(paths.dataDirectory, "host.log");
  const sessionsOf = (name: string): string[] => sync.awaiting(name).map(({ directory }) => directory);
  const hosts = parts.adopt(
    new HostPool({ runtimeDirectory, formerRuntimeDirectories, logFile, version, sessionsOf }, sync),
    (pool) => pool.close(),
  );
  const rowsBefore = await rowsOf(audit);
  const approvals = new ApprovalBook(() => store.nextQuestion(rowsBefore));
  const wire = parts.use(
    new WireSessions({
      stateFile: paths.gatewayFile,
      audit,
      approvals,
      blobs: new BlobStore(paths.blobsDirectory),
      onError,
    }),
  );
  const processes = parts.use(new SessionProcesses(registry, hosts, runtimeDirectory));
  const callers = new Callers({ audit, onError, processes, registry, wire });
  const prompts = parts.adopt(new Prompts({ store, views, registry, onError }, contents.receipts), (queue) =>
    queue.close(),
  );
  const daemon: Daemon = {
    paths,
    version,
    startedAt: new Date(),
    registry,
    hosts,
    callers,
    store,
    audit,
    approvals,
    wire,
    screens,
    views,
    prompts,
    problems,
    tokens: new Tokens(store, { tokenFile: paths.tokenFile, stored: contents.tokens, problems }),
    listen: [],
    onStop,
  };
  return { daemon, sync };
}

/** Clients need it only where they find no socket: a disk that is full is no reason to end. */
function announce(
  paths: LecternPaths,
  state: DaemonFile["state"],
  { startedBy = "user", onError }: { readonly startedBy?: string | undefined } & Pick<DaemonOptions, "onError">,
): void {
  try {
    writeDaemonFile(paths, { startedBy, state });
  } catch (error) {
    onError(error);
  }
}

/** Each question has a row, so a registry that was made anew counts on from here, and no id comes again. */
const rowsOf = async (audit: AuditStore): Promise<number> => {
  try {
    return (await audit.list({ session: undefined, from: undefined, limit: 1 })).end;
  } catch {
    // Its calls are refused, and nobody is asked.
    return 0;
  }
};

/** The sessions that the store knows, and those whose directories it does not know: returns how many these are. */
async function register(
  registry: SessionRegistry,
  { sessions }: StoreContents,
  sessionsDirectory: string,
): Promise<number> {
  const known = new Set(sessions.map(({ id }) => id));
  for (const stored of sessions) {
    const entry = new SessionEntry(stored, sessionsDirectory);
    if (!existsSync(entry.directory)) {
      entry.damage = `its directory is missing, so nothing of it can be read: "lectern rm ${stored.id}" removes it`;
    }
    registry.restore(entry);
  }
  const found = await findUnregistered(sessionsDirectory, known);
  for (const entry of found) await registry.add(entry);
  return found.length;
}

/** What became of a registry that could not be opened as it was. */
function reportStore(store: Store, databaseFile: string, problems: DaemonProblems): void {
  const { damage, restriction } = store.opening;
  if (damage !== null) {
    const lost =
      'sessions are found again in their directories, access tokens must be made again with "lectern token create"';
    problems.note(
      `The registry "${databaseFile}" was damaged (${damage}) and is kept as "${databaseFile}.damaged": ${lost}`,
    );
  }
  if (restriction !== null) {
    const next = 'make room, then run "lectern down && lectern up": the sessions go on';
    problems.set(
      "registry",
      `Cannot write "${databaseFile}": ${restriction}; names and labels are in memory only; ${next}`,
    );
  }
  store.onRefused = (reason) => {
    const next = "names and labels are in memory until there is space";
    problems.set("registry", reason === null ? null : `Cannot write "${databaseFile}": ${reason}; ${next}`);
  };
}

async function resumeWire({ wire }: Daemon, entry: SessionEntry): Promise<void> {
  try {
    await wire.resume(entry);
  } catch (error) {
    entry.damage ??= (error as Error).message;
    throw error;
  }
}

/** Keeps the registry in step with what the hosts say. */
class HostSync implements HostPoolListener, Disposable {
  readonly #registry: SessionRegistry;
  readonly #onError: (error: unknown) => void;
  /** Who sits where, as it was found last: a seat is asked for up to 1,000 times a second. */
  readonly #seats = new WeakMap<HostClient, Map<number, SessionEntry>>();
  readonly #retries = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(registry: SessionRegistry, onError: (error: unknown) => void) {
    this.#registry = registry;
    this.#onError = onError;
  }

  onTail(host: HostClient, handle: number, end: number): void {
    this.#seated(host, handle)?.advance(end);
  }

  onNotice(host: HostClient, notice: Notice): void {
    const entry = this.#registry.get(notice.session);
    if (entry === undefined) return;
    if (notice.type === "exit") entry.end(notice.exit, notice.end, new Date());
    else entry.degrade(host, notice.message);
    this.#registry.save(entry).catch(this.#onError);
  }

  onGone(host: HostClient, again: FoundHost | undefined): void {
    const seated = [...this.#registry.all].filter((entry) => entry.seat?.client === host);
    for (const entry of seated) entry.seat = undefined;
    this.#settle(again, seated);
  }

  /** A host that answers: what it runs goes on here. */
  async found(host: HostClient, running: readonly HostedInfo[]): Promise<void> {
    for (const info of running) {
      const entry = this.#registry.get(info.session);
      if (entry === undefined) continue;
      entry.settle(host, info);
      await this.#registry.save(entry);
    }
  }

  onUnreachable(name: string, reason: string): void {
    for (const entry of this.awaiting(name)) this.#markUnreachable(entry, reason);
  }

  /** A host that did not answer before has answered, or has ended. */
  onSought(name: string, found: FoundHost | undefined): void {
    this.#settle(
      found,
      this.awaiting(name).filter(({ seat }) => seat === undefined),
    );
  }

  /** Sessions that this host should run. */
  awaiting(name: string): SessionEntry[] {
    return this.#registry.all.filter(({ live, stored }) => live && stored.host === name).toArray();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const timer of this.#retries) clearTimeout(timer);
  }

  #markUnreachable(entry: SessionEntry, reason: string): void {
    entry.unreachable = reason;
    this.#registry.save(entry).catch(this.#onError);
  }

  /** What a host says that it runs goes on here; of those, what it does not run has ended. */
  #settle(found: FoundHost | undefined, entries: readonly SessionEntry[]): void {
    const settled = found === undefined ? Promise.resolve() : this.found(found.host, found.running);
    settled.then(() => this.closeOrphans(entries)).catch(this.#onError);
  }

  /** Closes those that were running and that no host runs any more. Only for sessions that are not just being started. */
  async closeOrphans(entries: Iterable<SessionEntry>): Promise<number> {
    let closed = 0;
    for (const entry of entries) {
      if (!entry.live || entry.seat !== undefined) continue;
      try {
        await closeUnseen(entry);
      } catch (error) {
        if (error instanceof LecternError && error.code === "CONFLICT") {
          this.#closeLater(entry);
          continue;
        }
        // There is no journal, it cannot be read, or the disk is full: the next daemon tries again to write its end.
        entry.end({ reason: "lost", code: null, signal: null }, entry.stored.end, new Date());
        if (error instanceof LecternError && error.code === "JOURNAL_WRITE_FAILED") {
          closed++;
          continue;
        }
        if (!(error instanceof LecternError)) {
          entry.damage ??= `its journal cannot be opened (${(error as Error).message}): "lectern rm ${entry.id}" removes it`;
        }
      }
      await this.#registry.save(entry);
      closed++;
    }
    return closed;
  }

  /** Somebody writes its journal, so it goes on, whoever that is. */
  #closeLater(entry: SessionEntry): void {
    this.#markUnreachable(entry, "its journal is being written by a process that does not answer");
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      if (!this.#isClosed) this.closeOrphans([entry]).catch(this.#onError);
    }, HELD_RETRY_MS);
    this.#retries.add(timer);
  }

  #seated(host: HostClient, handle: number): SessionEntry | undefined {
    const isSeated = (entry: SessionEntry): boolean => entry.seat?.client === host && entry.seat.handle === handle;
    const seats = this.#seats.get(host) ?? new Map<number, SessionEntry>();
    this.#seats.set(host, seats);
    const known = seats.get(handle);
    if (known !== undefined && isSeated(known)) return known;
    const found = this.#registry.all.find(isSeated);
    if (found === undefined) seats.delete(handle);
    else seats.set(handle, found);
    return found;
  }
}
