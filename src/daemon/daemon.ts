/**
 * The daemon: finds the sessions that are still running and offers the operations. It may be killed at any time: programs and
 * journals are in the pty host, and the next daemon resumes each session at its offset.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { anchorHead } from "./audit/anchor-heads.ts";
import { KnownAgents } from "./agents/known-agents.ts";
import { QuestionList } from "./approvals/question-list.ts";
import { DaemonFeatures, type DaemonFeature } from "./operations/daemon-features.ts";
import { Callers } from "./callers/callers.ts";
import { ShownSessions } from "./callers/shown-sessions.ts";
import { SessionProcesses } from "./callers/session-processes.ts";
import { DaemonConfig } from "./config/daemon-config.ts";
import { BlobStore } from "./store/blobs.ts";
import { WireSessions } from "./gateway/wire-sessions.ts";
import { removeDaemonFile, writeDaemonFile, type DaemonFile } from "./daemon-file.ts";
import type { DaemonRestart } from "../host/daemon-keeper.ts";
import { HostPool } from "./hosts/host-pool.ts";
import { HostSync, type SessionEnds } from "./hosts/host-sync.ts";
import { Machines } from "./machines/machines.ts";
import { DaemonMetrics } from "./metrics/daemon-metrics.ts";
import { Maintenance } from "./sessions/maintenance.ts";
import type { Daemon } from "./operations/context.ts";
import { daemonService } from "./operations/service.ts";
import type { LecternPaths } from "./paths.ts";
import { sessionPartsOf } from "./parts/part-list.ts";
import { removeUnstarted, type UnstartedOwners } from "./parts/remove-unstarted.ts";
import type { SessionPart } from "./parts/session-part.ts";
import { SessionParts } from "./parts/session-parts.ts";
import { Prompts } from "./acting/prompts.ts";
import { DaemonProblems } from "./problems.ts";
import { openLogs } from "./open-logs.ts";
import { WaysOut } from "./network/ways-out.ts";
import { Sandboxes } from "./sandbox/sandboxes.ts";
import { Screens } from "./views/screens.ts";
import { ensurePrivateDirectory, ensureSocketDirectory } from "../host/private-directory.ts";
import type { DaemonService } from "./service.ts";
import { SessionEntry } from "./sessions/session-entry.ts";
import { SessionRegistry } from "./sessions/session-registry.ts";
import type { StoreContents } from "./store/schema.ts";
import { readStoredSession } from "./store/stored-session.ts";
import { Store } from "./store/store.ts";
import { StoreThread } from "./store/store-thread.ts";
import { defaultTimes, type DaemonTimes } from "./times.ts";
import { Transcripts } from "./transcripts/transcripts.ts";
import { Tokens } from "./callers/tokens.ts";
import { findUnregistered, finishRemovals, writeMeta } from "./sessions/unregistered.ts";
import { questionScreens } from "./acting/screen-answers.ts";
import { SessionViews } from "./views/session-views.ts";

export interface DaemonOptions {
  readonly version: string;
  /** Who started it, for `daemon.json`. Default "user". */
  readonly startedBy?: string;
  /** Called when a client asks the daemon to stop. */
  readonly onStop: () => void;
  /** Called with errors that no caller waits for. */
  readonly onError: (error: unknown) => void;
  /** Called with a line for the log: what was damaged and has been repaired, or what is not available. */
  readonly onProblem?: (line: string) => void;
  /** Default: `defaultTimes`. */
  readonly times?: Partial<DaemonTimes>;
  /** Folders with agent files beside the one in the data directory. Default none. */
  readonly agentFolders?: readonly string[];
  /** Default: all keys have their defaults. */
  readonly config?: DaemonConfig;
  /** How the pty hosts start a daemon again if this one is killed. Default: they do not. */
  readonly restart?: DaemonRestart;
  /** Default none. */
  readonly features?: readonly DaemonFeature[];
  /** Of the process, for features. Default empty. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Changes the list of the parts of each session. Default: they are those of `sessionPartsOf`. */
  readonly sessionParts?: (own: readonly SessionPart[]) => readonly SessionPart[];
  /** Its journals are restored when they are read, so nothing reads them before. Default false. */
  readonly isArchive?: boolean;
}

export interface RunningDaemon extends AsyncDisposable {
  readonly service: DaemonService;
  /** Sessions that were found running. */
  readonly resumed: number;
  /** Sessions that ended while no daemon was running. */
  readonly lost: number;
  /** Sets the addresses at which its servers listen, for `daemon.info`, and why they do not listen where they should. */
  listensOn(urls: readonly string[], problem: string | null): void;
  /** Its servers are closing: clients wait for the next daemon. */
  ends(): void;
  /** Releases everything; the programs keep running. */
  close(): Promise<void>;
}

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

/** Everything that it starts is added to `parts`, which are disposed in reverse order. */
async function runDaemon(paths: LecternPaths, options: DaemonOptions, parts: AsyncDisposableStack): Promise<Started> {
  const { onError } = options;
  const { daemon, sync } = await openDaemon(paths, options, parts);
  const { registry, hosts, metrics, parts: sessionParts, prompts, views } = daemon;
  metrics.watch(daemon);
  const wanted = new Set([...registry.all].flatMap(({ live, stored: { host } }) => (live ? (host ?? []) : [])));
  for (const [host, running] of await hosts.connectAll(wanted)) await sync.found(host, running);
  const orphans = await sync.closeOrphans([...registry.all].filter(({ stored }) => !hosts.isSought(stored.host)));
  const unstarted = new Set(orphans.flatMap(({ entry, result }) => (result === "unstarted" ? [entry] : [])));
  const live = [...registry.all].filter((entry) => entry.live && !unstarted.has(entry));
  for (const entry of live) views.follow(entry, { isNew: false });
  await daemon.wire.closeLost((id) => registry.get(id)).catch(onError);
  for (const entry of live) await sessionParts.resume(entry);
  await sync.finish(orphans);
  daemon.approvals.restore(live.map(({ id }) => id));
  prompts.resume();
  parts.use(new Transcripts({ ...daemon, onError })).begin();
  await daemon.features.start();
  if (options.isArchive !== true) readEnded(daemon, onError);
  return {
    service: daemonService(daemon),
    resumed: live.length,
    lost: orphans.length - unstarted.size,
    listensOn: (urls, problem) => {
      daemon.listen = urls;
      daemon.problems.set("listening", problem);
      announce(paths, "running", options);
    },
    ends: () => {
      hosts.release();
      announce(paths, "ending", options);
    },
  };
}

/** In the background. */
function readEnded({ registry, views }: Daemon, onError: (error: unknown) => void): void {
  views
    .recall((id) => registry.get(id))
    .then(() => views.catchUp([...registry.all]))
    .catch((error: unknown) => {
      if (!views.isClosed) onError(error);
    });
}

/**
 * Opens the parts of a daemon and loads its sessions; nothing runs yet.
 *
 * Law of the end: a part that asks ends before the part that answers. Hosts are released early, so that nothing waits for one that is stuck.
 */
async function openDaemon(
  paths: LecternPaths,
  options: DaemonOptions,
  parts: AsyncDisposableStack,
): Promise<{ readonly daemon: Daemon; readonly sync: HostSync }> {
  const { config = DaemonConfig.none(), environment = {}, features: list = [], onError, onStop, version } = options;
  const times = { ...defaultTimes, ...options.times };
  const problems = new DaemonProblems(options.onProblem ?? (() => undefined));
  const store = await openStore(paths, { onError, problems, startedBy: options.startedBy }, parts);
  config.onProblem = (problem) => problems.set("configuration", problem);
  config.onProblem(config.problem);
  const metrics = parts.use(new DaemonMetrics());
  const { audit, viewStore, questionsBefore } = await openLogs(paths, { onError, problems, store }, parts);
  const contents = await store.rows.load();
  const registry = new SessionRegistry(store, writeMeta);
  audit.onAppend = (rows, head) => anchorHead(rows, head, (session) => registry.get(session), onError);
  parts.defer(async () => {
    for (const entry of registry.all) await entry.close();
  });
  await register(registry, contents, { sessionsDirectory: paths.sessionsDirectory, problems });
  const screens = parts.use(new Screens());
  const approvals = parts.use(new QuestionList(() => store.rows.nextQuestion(questionsBefore)));
  const views = parts.use(new SessionViews(viewStore, { onError, times, questions: approvals }));
  approvals.screens = questionScreens(views, (session) => registry.get(session));
  const agents = parts.use(await openAgents(paths, { ...options, views, problems }));
  viewStore.onRemade = () => void views.readAgain([...registry.all]).catch(onError);
  parts.adopt(new Maintenance(registry, onError), async (running) => await running.close());
  const ends = endsOf(() => opened);
  const sync = parts.use(new HostSync(registry, ends, onError));
  const pool = new HostPool({ ...hostPaths(paths, sync), restart: options.restart, times, version }, sync);
  const hosts = parts.adopt(pool, (opened) => opened.close());
  const owned = { agents, approvals, audit, config, metrics, onError, problems, registry };
  const session = openSessionParts(paths, owned, { ...options, times, parts });
  const { wire } = session;
  const { leaders, receipts } = contents;
  const processes = parts.use(new SessionProcesses({ ...paths, registry, hosts, store, leaders, onError }));
  const callers = new Callers({ agents: () => agents.registry, audit, onError, processes, registry, wire });
  const conversationRules = (agent: string | null) => agents.registry.named(agent)?.conversation ?? null;
  const prompts = new Prompts({ store, views, registry, conversationRules, times, onError }, receipts);
  parts.defer(() => prompts.close());
  const features = parts.use(new DaemonFeatures());
  const opened: Daemon = {
    paths,
    version,
    config,
    startedAt: new Date(),
    registry,
    hosts,
    machines: new Machines(() => features.machines),
    callers,
    shown: new ShownSessions(),
    store,
    audit,
    approvals,
    ...session,
    agents,
    screens,
    views,
    prompts,
    problems,
    metrics,
    features,
    tokens: new Tokens(store, { tokenFile: paths.tokenFile, stored: contents.tokens, problems }),
    listen: [],
    onStop,
  };
  await features.open({ ...opened, environment, list, times, onError });
  return { daemon: opened, sync };
}

/** The directories, and the registry in them, which only one daemon can open. */
async function openStore(
  paths: LecternPaths,
  { problems, ...announced }: Parameters<typeof announce>[2] & { readonly problems: DaemonProblems },
  parts: AsyncDisposableStack,
): Promise<Store> {
  ensurePrivateDirectory(paths.dataDirectory);
  ensureSocketDirectory(paths.runtimeDirectory);
  mkdirSync(paths.sessionsDirectory, { recursive: true, mode: 0o700 });
  const thread = parts.use(new StoreThread());
  const store = parts.adopt(await Store.open(thread, paths), async (opened) => await opened.close());
  announce(paths, "starting", announced);
  parts.defer(() => removeDaemonFile(paths));
  reportStore(store, paths.databaseFile, problems);
  return store;
}

type OwnParts = Pick<Daemon, "problems" | "views">;

/** The agents; the views of sessions follow their files. */
const openAgents = async (
  { agentsDirectory }: LecternPaths,
  { agentFolders = [], onError, problems, views }: OwnParts & Pick<DaemonOptions, "agentFolders" | "onError">,
): Promise<KnownAgents> =>
  await KnownAgents.open([agentsDirectory, ...agentFolders], {
    onFiles: (files) => void views.setAgents(files).catch(onError),
    onProblem: (problem) => problems.set("agent files", problem),
  });

function openSessionParts(
  paths: LecternPaths,
  owned: Pick<Daemon, "agents" | "approvals" | "audit" | "config" | "metrics" | "problems" | "registry"> &
    Pick<DaemonOptions, "onError">,
  {
    features = [],
    parts,
    sessionParts = (own) => own,
    times,
  }: Pick<DaemonOptions, "features" | "sessionParts"> & {
    readonly parts: AsyncDisposableStack;
    readonly times: DaemonTimes;
  },
) {
  const { agents, config, metrics, onError, problems, registry } = owned;
  const wire = parts.use(
    new WireSessions({
      ...owned,
      agents: () => agents.registry,
      stateFile: paths.gatewayFile,
      blobs: new BlobStore(paths.blobsDirectory),
      limits: config.get("gateway"),
      onMark: (event) => metrics.gateway.take(event),
      onRefused: (reason) => metrics.gateway.refused(reason),
      onProblem: (problem) => problems.set("gateway", problem),
    }),
  );
  const waysOut = parts.use(new WaysOut({ ...owned, runtimeDirectory: paths.runtimeDirectory, wire }));
  const sandboxes = new Sandboxes(paths, (entry) => registry.save(entry));
  const owners = { agents, config, registry, sandboxes, waysOut, wire };
  const list = sessionParts([
    ...features.flatMap((feature) => feature.sessionParts?.(owners) ?? []),
    ...sessionPartsOf(owners),
  ]);
  const endMsMax = times.partEndMs;
  return {
    wire,
    sandboxes,
    parts: new SessionParts({ parts: list, endMsMax, problems, onError }),
  };
}

/** The parts are opened after the hosts are. */
const endsOf = (owners: () => UnstartedOwners): SessionEnds => ({
  end: async (entry) => await owners().parts.end(entry),
  removeUnstarted: async (entry) => await removeUnstarted(owners(), entry),
});

const hostPaths = ({ dataDirectory, runtimeDirectory }: LecternPaths, sync: HostSync) => ({
  runtimeDirectory,
  logFile: join(dataDirectory, "host.log"),
  sessionsOf: (name: string): string[] => sync.awaiting(name).map(({ directory }) => directory),
});

/** Clients need the file only if they find no socket, so a full disk does not stop the daemon. */
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

/** Registers the sessions of the store, and those of which only a directory is left. */
async function register(
  registry: SessionRegistry,
  { sessions }: StoreContents,
  { sessionsDirectory, problems }: { readonly sessionsDirectory: string; readonly problems: DaemonProblems },
): Promise<void> {
  const restored: SessionEntry[] = [];
  for (const row of sessions) {
    const stored = readStoredSession(row, join(sessionsDirectory, String(row["id"])));
    // It is read from its directory, as one that is not in the registry.
    if (stored === undefined) continue;
    const entry = new SessionEntry(stored, sessionsDirectory);
    if (!existsSync(entry.directory))
      entry.damage = `its directory is missing, so nothing of it can be read: "lectern rm ${stored.id}" removes it`;
    restored.push(entry);
  }
  registry.restore(...restored);
  await finishRemovals(sessionsDirectory, registry);
  const found = await findUnregistered(sessionsDirectory, new Set(restored.map(({ id }) => id)));
  for (const entry of found) await registry.add(entry);
  const { length } = found;
  if (length > 0)
    problems.note(`${length} sessions were not in the registry: they are listed again, from their directories`);
}

/** Reports a registry that could not be opened as it was. */
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
