/**
 * The daemon: finds the sessions that go on, offers the operations. It may be killed at any time: the programs and their
 * journals are in the pty host, and the next daemon takes up each session at its offset.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { LecternError } from "../core/errors.ts";
import type { HostClient } from "../host/host-client.ts";
import type { HostedInfo, Notice } from "../host/messages.ts";
import { AuditStore } from "./audit/audit-store.ts";
import { ApprovalBook } from "./approvals.ts";
import { WireSessions } from "./gateway/wire-sessions.ts";
import { HostPool, type HostPoolListener } from "./host-pool.ts";
import { Maintenance } from "./maintenance.ts";
import type { Daemon } from "./operations/context.ts";
import { daemonService } from "./operations/service.ts";
import type { LecternPaths } from "./paths.ts";
import { Prompts } from "./prompts.ts";
import { closeUnseen, findUnregistered } from "./recovery.ts";
import { Screens } from "./screens.ts";
import { ensurePrivateDirectory } from "./secure-directory.ts";
import type { DaemonService } from "./service.ts";
import { SessionEntry } from "./session-entry.ts";
import { SessionRegistry } from "./session-registry.ts";
import type { StoreContents } from "./store/schema.ts";
import { Store } from "./store/store.ts";
import { Tokens } from "./tokens.ts";
import { ViewStore } from "./store/view-store.ts";
import { watchScreens } from "./views/screen-approvals.ts";
import { SessionViews } from "./views/session-views.ts";

export interface DaemonOptions {
  readonly version: string;
  /** Called when a client asked the daemon to end. */
  readonly onStop: () => void;
  /** Something went wrong that no caller waits for. */
  readonly onError: (error: unknown) => void;
}

export interface RunningDaemon extends AsyncDisposable {
  readonly service: DaemonService;
  /** Sessions that were found again, still running. */
  readonly resumed: number;
  /** Sessions that ended while nobody looked. */
  readonly lost: number;
  /** Tells the daemon where its servers listen, for `daemon.info`. */
  listensOn(urls: readonly string[]): void;
  /** Lets go of everything; the programs go on. */
  close(): Promise<void>;
}

/** Throws `ALREADY_RUNNING`, `UNSAFE_PERMISSIONS`. */
export async function startDaemon(paths: LecternPaths, options: DaemonOptions): Promise<RunningDaemon> {
  const { daemon, sync } = await openDaemon(paths, options);
  const { registry, hosts, prompts, views, wire } = daemon;
  for (const [host, running] of await hosts.connectAll()) await sync.found(host, running);
  const lost = await sync.closeOrphans(registry.all);
  const live = [...registry.all].filter((entry) => entry.live);
  const watching = watchScreens(views, daemon.approvals);
  for (const entry of live) views.follow(entry, { isNew: false });
  for (const entry of live) await wire.resume(entry).catch(options.onError);
  prompts.resume();
  const catchingUp = views
    .recall((id) => registry.get(id))
    .then(() => views.catchUp([...registry.all]))
    .catch(options.onError);
  const maintenance = new Maintenance(registry, options.onError);
  const close = async (): Promise<void> => {
    await maintenance.close();
    prompts.close();
    watching[Symbol.dispose]();
    await closeDaemon(daemon);
    await catchingUp;
    await daemon.store.close();
  };
  return {
    service: daemonService(daemon),
    resumed: live.length,
    lost,
    listensOn: (urls) => {
      daemon.listen = urls;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Everything that a daemon has, with the sessions that it knows; nothing runs yet. */
async function openDaemon(
  paths: LecternPaths,
  { onError, onStop, version }: DaemonOptions,
): Promise<{ readonly daemon: Daemon; readonly sync: HostSync }> {
  ensurePrivateDirectory(paths.dataDirectory);
  ensurePrivateDirectory(paths.runtimeDirectory);
  mkdirSync(paths.sessionsDirectory, { recursive: true, mode: 0o700 });
  const store = await Store.open(paths.databaseFile, join(paths.dataDirectory, "lectern.lock"));
  const [audit, contents, viewStore] = await Promise.all([
    AuditStore.open(paths.auditDirectory),
    store.load(),
    ViewStore.open(paths.viewsFile, onError),
  ]);
  const registry = new SessionRegistry(store);
  await register(registry, contents, paths.sessionsDirectory);
  const sync = new HostSync(registry, onError);
  const { runtimeDirectory } = paths;
  const hosts = new HostPool({ runtimeDirectory, logFile: join(paths.dataDirectory, "host.log"), version }, sync);
  const approvals = new ApprovalBook();
  const views = new SessionViews(viewStore, onError);
  const daemon: Daemon = {
    paths,
    version,
    startedAt: new Date(),
    registry,
    hosts,
    store,
    audit,
    approvals,
    wire: new WireSessions({ stateFile: paths.gatewayFile, audit, approvals, onError }),
    screens: new Screens(),
    views,
    prompts: new Prompts({ store, views, registry, onError }, contents.receipts),
    tokens: new Tokens(store, paths.tokenFile, contents.tokens),
    listen: [],
    onStop,
  };
  return { daemon, sync };
}

/** In the order in which the parts need each other; the store, which all of them write to, is closed after them. */
async function closeDaemon({ audit, hosts, registry, screens, views, wire }: Daemon): Promise<void> {
  await wire[Symbol.asyncDispose]();
  await views[Symbol.asyncDispose]();
  await screens[Symbol.asyncDispose]();
  hosts.close();
  for (const entry of registry.all) await entry.close();
  await audit.close();
}

/** The sessions that the store knows, and those whose directories it does not know. */
async function register(
  registry: SessionRegistry,
  { sessions }: StoreContents,
  sessionsDirectory: string,
): Promise<void> {
  const known = new Set(sessions.map(({ id }) => id));
  for (const stored of sessions) registry.restore(new SessionEntry(stored, sessionsDirectory));
  for (const stored of findUnregistered(sessionsDirectory, known)) {
    await registry.add(new SessionEntry(stored, sessionsDirectory));
  }
}

/** Keeps the registry in step with what the hosts say. */
class HostSync implements HostPoolListener {
  readonly #registry: SessionRegistry;
  readonly #onError: (error: unknown) => void;
  /** Who sits where, as it was found last: a seat is asked for up to 1,000 times a second. */
  readonly #seats = new WeakMap<HostClient, Map<number, SessionEntry>>();

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

  onGone(
    host: HostClient,
    again: { readonly host: HostClient; readonly running: readonly HostedInfo[] } | undefined,
  ): void {
    const seated = [...this.#registry.all].filter((entry) => entry.seat?.client === host);
    for (const entry of seated) entry.seat = undefined;
    const settled = again === undefined ? Promise.resolve() : this.found(again.host, again.running);
    settled.then(() => this.closeOrphans(seated)).catch(this.#onError);
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

  /** Closes those that were running and that no host runs any more. Only for sessions that are not just being started. */
  async closeOrphans(entries: Iterable<SessionEntry>): Promise<number> {
    let closed = 0;
    for (const entry of entries) {
      if (!entry.live || entry.seat !== undefined) continue;
      try {
        await closeUnseen(entry);
      } catch (error) {
        // Nothing was written before the end came: there is no journal.
        if (!(error instanceof LecternError)) throw error;
        entry.end({ reason: "lost", code: null, signal: null }, entry.stored.end, new Date());
      }
      await this.#registry.save(entry);
      closed++;
    }
    return closed;
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
