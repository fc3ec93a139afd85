/**
 * Runs the daemon. It replaces one that was started automatically by a client: nothing is lost,
 * because programs and journals belong to the pty host.
 */
import { statSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LecternError } from "../../core/errors.ts";
import { readJsonFile } from "../../host/json-file.ts";
import { waits } from "../../core/waits.ts";
import type { DaemonConfig } from "../../daemon/config/daemon-config.ts";
import type { RunningDaemon } from "../../daemon/daemon.ts";
import { alreadyRunning, readDaemonFile } from "../../daemon/daemon-file.ts";
import type { LecternPaths } from "../../daemon/paths.ts";
import { ensurePrivateDirectory, ensureSocketDirectory } from "../../host/private-directory.ts";
import { readTimes } from "../../daemon/times.ts";
import { within } from "../../timers/within.ts";
import type { DaemonRestart } from "../../host/daemon-keeper.ts";
import { READY_DESCRIPTOR, type DaemonReady } from "../../host/launch-daemon.ts";
import { toLecternError, toProblem } from "../../protocol/errors.ts";
import { features } from "../../features/features.ts";
import type { ListenerOptions, RunningListener, RunningServer } from "../../server/server.ts";
import { isAway } from "../ask-again.ts";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import { commandName } from "../command-name.ts";
import type { CliContext } from "../context.ts";
import {
  daemonStart,
  findRunningDaemon,
  forgetEnd,
  noteEnd,
  Silence,
  startDaemonProcess,
  untilStopped,
  type DaemonInfo,
} from "../../daemon/daemon-process.ts";
import { closeLastUp, readLastUp, writeLastUp, type LastUp } from "../last-up.ts";
import {
  listenersFor,
  listeningWords,
  listenOptions,
  portsFor,
  USUAL_PORT,
  wantedListening,
  type WantedListening,
} from "../listening.ts";
import { linkLines, makeLoginLink } from "../login-link.ts";
import { buildVersion } from "../../daemon/version.ts";

/** A daemon can end at any moment without loss, so a slow shutdown is cut off. */
const CLOSE_MS_MAX = 10_000;
/** The output of `npm run build:ui`, for the sources and the package alike. */
const pageDirectory = fileURLToPath(new URL("../../../dist/ui", import.meta.url));

export const up = defineCommand({
  name: "up",
  summary: "Run the daemon in this terminal",
  details: [
    "Other commands start a daemon if none is running; it listens on the unix socket only,",
    "and this command replaces it. Ctrl-C stops the daemon; programs keep running, and the next daemon resumes them.",
  ],
  arguments: [],
  options: {
    ...listenOptions,
    agents: {
      type: "list",
      placeholder: "DIRECTORY",
      completes: "directory",
      summary: "Also read agent files from here; see docs/agents.md",
    },
    detach: { type: "flag", short: "d", summary: "Run in the background" },
    "ready-pipe": { type: "flag", hidden: true, summary: "Report readiness on descriptor 3" },
    "started-by": {
      type: "text",
      hidden: true,
      placeholder: "WHO",
      choices: ["client", "user", "host"],
      summary: "Who started it",
    },
    json: jsonOption,
  },
  examples: ["lectern up", "lectern up --port 8080 --detach"],
  async run({ options }, context) {
    const wanted = {
      listening: wantedListening(options, (path) => resolve(context.workingDirectory, path)),
      startedBy: options["started-by"] ?? "user",
      agentFolders: options.agents.map((folder) => resolve(context.workingDirectory, folder)),
    };
    for (const folder of wanted.agentFolders) requireFolder(folder);
    if (options["ready-pipe"]) return runForStarter(wanted, context);
    if (options.detach) {
      const words = wordsFor({ ...wanted, startedBy: "user" });
      const ready = await takePlace(context, () => startDaemonProcess(context.paths, context.environment, words));
      if (options.json) await context.print(JSON.stringify(ready));
      else await greet(ready, false, context);
      return;
    }
    await using running = await takePlace(context, () => start(wanted, context));
    if (options.json) await context.print(JSON.stringify(running.ready));
    else await greet(running.ready, true, context);
    await running.stopped;
  },
});

interface Wanted {
  readonly listening: WantedListening;
  readonly startedBy: string;
  readonly agentFolders: readonly string[];
}

const wordsFor = ({ agentFolders, listening, startedBy }: Wanted): string[] => [
  `--started-by=${startedBy}`,
  ...listeningWords(listening),
  ...agentFolders.map((folder) => `--agents=${folder}`),
];

/** A daemon that was killed comes back in the background, where it listened before. */
const restartOf = (wanted: Wanted, { environment, paths }: CliContext): DaemonRestart => ({
  ...daemonStart(paths, environment, wordsFor({ ...wanted, startedBy: "host" })),
  endedFile: paths.endedFile,
  reportFile: paths.restartsFile,
});

function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new LecternError("NOT_FOUND", `Cannot find the directory "${folder}"`);
}

/** Starts a daemon in the background that browsers can reach; it replaces one that was started by a client. */
export async function startReachableDaemon(context: CliContext): Promise<DaemonReady> {
  const words = ["--started-by=user"];
  return takePlace(context, () => startDaemonProcess(context.paths, context.environment, words));
}

/** Starts a daemon; it replaces one that was started by a client. Throws `ALREADY_RUNNING` if the running daemon was started by a person. */
async function takePlace<Started>(context: CliContext, startNext: () => Promise<Started>): Promise<Started> {
  const deadline = Date.now() + waits.startMs;
  const silence = new Silence(context.paths);
  for (let hasNoted = false; ;) {
    const found = await findRunningDaemon(context.paths, context.signal);
    if (found !== undefined) requireRoom(found.info, context);
    try {
      if (found !== undefined) {
        const { client, info } = found;
        // Like "lectern down": commands that follow a session wait for the next daemon instead of starting one.
        hasNoted = true;
        noteEnd(context.paths, process.pid);
        await client.call("daemon.stop", {}).catch(ignoreAway);
        await untilStopped(client, context.paths, info.pid);
      }
      return await startNext();
    } catch (error) {
      // A client has started one in the meantime, which will listen soon.
      const wasBeaten = error instanceof LecternError && error.code === "ALREADY_RUNNING";
      if (wasBeaten && (Date.now() < deadline || silence.isUnidentified)) {
        silence.check();
        await delay(waits.pollMs, undefined, { signal: context.signal });
      } else {
        if (hasNoted) forgetEnd(context.paths);
        throw error;
      }
    }
  }
}

/** The daemon may end before it answers. */
function ignoreAway(error: unknown): void {
  if (!isAway(error)) throw error;
}

/** Throws `ALREADY_RUNNING` if a person started this daemon, and not a client or a pty host. */
function requireRoom(info: DaemonInfo, context: CliContext): void {
  if (!["client", "host"].includes(starterOf(context.paths, info.pid) ?? "")) {
    throw new LecternError(
      "ALREADY_RUNNING",
      `Cannot start a second daemon: process ${info.pid} is running; use it, or stop it with "lectern down" (programs keep running)`,
      { details: { pid: info.pid, listen: info.listen } },
    );
  }
}

/** Who started the daemon; undefined if unknown. */
function starterOf({ daemonFile }: LecternPaths, pid: number): string | undefined {
  const stored = (readJsonFile(daemonFile) ?? {}) as { pid?: unknown; startedBy?: unknown };
  return stored.pid === pid ? String(stored.startedBy) : undefined;
}

/** Runs in the background: reports to its starter through a pipe when it is ready, or why it failed. */
async function runForStarter(wanted: Wanted, context: CliContext): Promise<void> {
  try {
    await using running = await start(wanted, context);
    report({ ready: running.ready });
    await running.stopped;
    return;
  } catch (error) {
    report({ problem: toProblem(toLecternError(error)) });
    throw error;
  }
}

const report = (message: object): void => void writeSync(READY_DESCRIPTOR, `${JSON.stringify(message)}\n`);

interface Running extends AsyncDisposable {
  readonly ready: DaemonReady;
  /** Resolves when a client or a signal stops the daemon. */
  readonly stopped: Promise<void>;
}

/** A daemon that a command needs is the one that was there before. */
const asBefore = (wanted: Wanted, { paths }: CliContext): Wanted =>
  wanted.startedBy === "client" ? { ...wanted, ...readLastUp(paths) } : wanted;

/** A free port that was taken is taken again. */
function keptUp({ agentFolders, listening }: Wanted, { listeners }: RunningServer, ports: readonly number[]): LastUp {
  const [url] = listeners.flatMap((each) => (each.kind === "tcp" ? each.urls : []));
  if (url === undefined) return { agentFolders, isNextPort: false, listening };
  const port = Number(new URL(url).port);
  const isNextPort = ports.length > 1 && port !== USUAL_PORT;
  return {
    agentFolders,
    isNextPort,
    listening: isNextPort || listening.port === 0 ? { ...listening, port } : listening,
  };
}

/** One of several ports that was taken before comes first, so that the address stays. */
const withKept = (ports: readonly number[], last: LastUp | undefined): readonly number[] =>
  ports.length > 1 && last?.isNextPort === true && last.listening.port !== undefined
    ? [last.listening.port, ...ports]
    : ports;

/** With the first of these ports that is not in use. */
async function atFirstFree<Served>(
  ports: readonly number[],
  serve: (port: number) => Promise<Served>,
): Promise<Served> {
  const [port = 0, ...others] = ports;
  try {
    return await serve(port);
  } catch (error) {
    if (others.length === 0 || !(error instanceof LecternError) || error.code !== "ADDRESS_IN_USE") throw error;
  }
  return await atFirstFree(others, serve);
}

function followLevel(logger: { level: string }, config: DaemonConfig): void {
  config.onChange("log", ({ level }) => {
    logger.level = level;
  });
}

async function start(asked: Wanted, context: CliContext): Promise<Running> {
  // The lock decides in the end; this spares the machine the time to load all parts for nothing.
  const holder = readDaemonFile(context.paths);
  if (holder !== undefined) throw alreadyRunning();
  ensurePrivateDirectory(context.paths.dataDirectory);
  ensureSocketDirectory(context.paths.runtimeDirectory);
  const given = asBefore(asked, context);
  const [{ DaemonConfig: Config }, { startDaemon }, { startServer }, { openLogger }] = await Promise.all([
    import("../../daemon/config/daemon-config.ts"),
    import("../../daemon/daemon.ts"),
    import("../../server/server.ts"),
    import("../../server/log.ts"),
  ]);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  context.signal.addEventListener("abort", () => stop(), { once: true });
  const config = await Config.open(context.paths.configFile, context.environment);
  const wanted = {
    ...given,
    agentFolders: [...config.get("agents").folders.map((folder) => config.pathOf(folder)), ...given.agentFolders],
  };
  const logger = openLogger(config.get("log").level);
  followLevel(logger, config);
  // In the background, this is the log file: a warning of Node must not end the daemon when the disk is full.
  context.stderr.on("error", () => undefined);
  const daemon = await startDaemon(context.paths, {
    version: buildVersion(),
    startedBy: wanted.startedBy,
    agentFolders: wanted.agentFolders,
    times: readTimes(context.environment["LECTERN_TIMES"]),
    config,
    restart: restartOf(given, context),
    features,
    environment: context.environment,
    onStop: stop,
    onError: (error) => logger.error({ err: error }, "daemon"),
    onProblem: (line) => logger.warn(line),
  });
  const serve = (listeners: readonly ListenerOptions[]): Promise<RunningServer> =>
    startServer({ service: daemon.service, listeners: [...listeners], logger, pageDirectory });
  const ports = withKept(portsFor(wanted.listening, config), readLastUp(context.paths));
  const at = { config, paths: context.paths };
  const listeningOf = async (listening: WantedListening): Promise<RunningServer> =>
    await atFirstFree(ports, async (port) => serve(await listenersFor({ ...listening, port }, at)));
  let noAddress: string | null = null;
  const server = await listeningOf(wanted.listening)
    .catch(async (error: unknown) => {
      // Agents and commands wait for it: without the page is better than not at all.
      if (wanted.startedBy === "user" || !(error instanceof LecternError)) throw error;
      noAddress = `Browsers and tokens have no address: ${error.message}; then "lectern down && lectern up"`;
      return await listeningOf({ ...wanted.listening, tcp: false });
    })
    .catch(async (error: unknown) => {
      await daemon.close();
      throw error;
    });
  config.onReload(async () => server.reloadCertificates());
  const listen = server.listeners.flatMap(whereOf);
  const fingerprint = server.listeners.map((each) => (each.kind === "tcp" ? each.fingerprint : undefined)).at(-1);
  daemon.listensOn(listen, noAddress);
  forgetEnd(context.paths);
  if (given.startedBy === "user") writeLastUp(context.paths, keptUp(given, server, ports));
  return {
    ready: { pid: process.pid, listen, resumed: daemon.resumed, fingerprint },
    stopped,
    [Symbol.asyncDispose]: async () => {
      closeLastUp(context.paths);
      await close(daemon, server);
    },
  };
}

const whereOf = (listener: RunningListener): readonly string[] =>
  listener.kind === "unix" ? [`unix:${listener.path}`] : listener.urls;

async function close(daemon: RunningDaemon, server: RunningServer): Promise<void> {
  daemon.ends();
  const closed = server.close().then(async () => await daemon.close());
  await within(CLOSE_MS_MAX, closed);
}

async function greet(ready: DaemonReady, isHere: boolean, context: CliContext): Promise<void> {
  const { style, paths } = context;
  const again = ready.resumed === 0 ? "" : `, ${ready.resumed} ${ready.resumed === 1 ? "session" : "sessions"} resumed`;
  const isReachable = ready.listen.some((where) => where.startsWith("http"));
  const link = isReachable ? await makeLoginLink(paths, "admin") : undefined;
  const name = commandName(context.environment);
  const lines = [
    `${style.bold("Lectern")} ${buildVersion()} is running as process ${ready.pid}${again}`,
    ...ready.listen.map((where) => `  listens on ${where}`),
    ...(isReachable ? [`  token in ${paths.tokenFile}`] : []),
    ...(ready.fingerprint === undefined ? [] : [`  certificate SHA-256 ${ready.fingerprint}`]),
    `  ${isHere ? "Ctrl-C stops it" : `"${name} down" stops it`}; programs keep running`,
    ...(link?.url === undefined ? [] : await linkLines(link, { name, wantsCode: undefined }, context)),
    "",
    `Next${isHere ? ", in another terminal" : ""}:`,
    ...(await formatTable([
      [`  ${name} run -- bash`, "start a program and attach to it"],
      [`  ${name} ls`, "list sessions"],
      [`  ${name} --help`, "list all commands"],
    ])),
  ];
  await context.print(lines.join("\n"));
}
