/** The checks of `lectern doctor`, which are independent of each other. */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  statfsSync,
  statSync,
  type Stats,
  readFileSync,
  realpathSync,
  mkdtempSync,
  rmSync,
} from "node:fs";
import { dirname, join, delimiter } from "node:path";
import { freeInodesAt } from "../disk/what-is-full.ts";
import type { LecternClient } from "../client/client.ts";
import { LecternError } from "../core/errors.ts";
import { waits } from "../core/waits.ts";
import { readRestartReport, type RestartReport } from "../host/daemon-keeper.ts";
import { PROTOCOL_VERSION } from "../protocol/routes.ts";
import type { Session } from "../protocol/session.ts";
import type { LecternPaths } from "../daemon/paths.ts";
import { unknownFields } from "../daemon/store/stored-session.ts";
import { taggedProcesses } from "../host/tagged-processes.ts";
import { loadLibc } from "../pty/libc.ts";
import { executableOf } from "../pty/proc-files.ts";
import { platform } from "../pty/platform.ts";
import type { Check } from "./check.ts";
import { checkPlatform } from "./platform-checks.ts";
import { checkConfiguration, checkService } from "./setup-checks.ts";
import type { CliContext } from "./context.ts";
import type { DaemonInfo } from "../daemon/daemon-process.ts";
import { formatSize } from "./quantities.ts";
import { buildVersion } from "../daemon/version.ts";
import type { Agent } from "../core/agents/agent.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import { isNewerRelease, newerRelease } from "../core/agents/newer-release.ts";
import { tmpdir } from "node:os";
import { kernelSetting, probeSandbox } from "../daemon/sandbox/backend.ts";

const NODE_MAJOR_MIN = 24;
const NODE_MAJOR_FFI = 26;
const DISK_FAIL_BYTES = 64 * 1024 ** 2;
/** A session has about ten files. */
const INODES_FAIL = 100;
const INODES_WARN = 10_000;
/** Programs of one ended session that are named. */
const LEFTOVERS_SHOWN_MAX = 8;
const KEYS_SHOWN_MAX = 8;
const DISK_WARN_BYTES = 1024 ** 3;
/** Before the first release: an earlier time means that the clock is not set. */
const CLOCK_LEAST_MS = Date.UTC(2025, 0, 1);

export async function runChecks(context: CliContext): Promise<readonly Check[]> {
  const { paths } = context;
  let trouble: string | undefined;
  // A daemon of another protocol is refused; none is started.
  const running = context.runningClient().then(async (found) => found && (await context.client()));
  const client = await running.catch((error: unknown) => {
    if (error instanceof LecternError && /^(?:DAEMON_UNREACHABLE|VERSION_MISMATCH)$/.test(error.code))
      trouble = error.message;
    return undefined;
  });
  const info = await client?.call("daemon.info", {}).catch(() => undefined);
  return [
    checkNode(process.versions.node, process.platform),
    checkCallers(loadLibc().reason),
    ...(await checkPlatform()),
    checkClock(Date.now()),
    checkPrivate("data directory", paths.dataDirectory, "directory"),
    checkPrivate("runtime directory", paths.runtimeDirectory, "directory"),
    checkPrivate("token file", paths.tokenFile, "file"),
    checkSocketPath(paths.daemonSocket),
    checkDisk(paths.dataDirectory),
    trouble === undefined
      ? checkDaemon(info, { logFile: paths.logFile, restarts: readRestartReport(paths.restartsFile) })
      : { name: "daemon", status: "fail", message: trouble },
    ...checkProblems(info),
    ...checkHosts(info),
    ...(client === undefined ? [] : await checkSessions(client, paths)),
    ...(client === undefined ? [] : [await checkAudit(client)]),
    ...checkReleases(context.environment["PATH"] ?? ""),
    ...(await checkSandboxes(context.environment)),
    await checkConfiguration(context),
    ...(await checkService(context)),
    checkTerminal(context),
  ];
}

export function checkNode(version: string, system: string): Check {
  const name = "node";
  const major = Number.parseInt(version, 10);
  if (major < NODE_MAJOR_MIN)
    return { name, status: "fail", message: `version ${version}`, next: `Install Node ${NODE_MAJOR_MIN} or later` };
  if (system === "linux" && major < NODE_MAJOR_FFI) {
    const next = `Node ${NODE_MAJOR_FFI} has the pty backend that needs no native package`;
    return { name, status: "warn", message: `version ${version}: ptys by node-pty`, next };
  }
  return { name, status: "ok", message: `version ${version} on ${system}` };
}

/** Without peer credentials, the daemon gives a program in a session the rights of its user. */
export function checkCallers(whyNot: string | undefined): Check {
  const name = "callers";
  if (whyNot === undefined) return { name, status: "ok", message: "the kernel reports which process calls the daemon" };
  const message = `a program in a session cannot be distinguished from you and could approve its own calls: ${whyNot}`;
  return { name, status: "warn", message, next: "Use Linux with Node 26, or do not rely on approvals" };
}

export function checkClock(nowMs: number): Check {
  const message = Number.isNaN(nowMs) ? "no time" : new Date(nowMs).toISOString();
  if (nowMs >= CLOCK_LEAST_MS) return { name: "clock", status: "ok", message };
  return { name: "clock", status: "fail", message, next: "Set the clock: records carry its time" };
}

/** Owned by the user, of the wanted kind and closed to others. It may also be missing, and is then created on demand. */
export function checkPrivate(name: string, path: string, kind: "directory" | "file"): Check {
  let found: Stats | undefined;
  try {
    found = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const message = `${path} cannot exist: ${(error as Error).message}`;
    return { name, status: "fail", message, next: "Set LECTERN_HOME to your own directory" };
  }
  if (found === undefined) return checkMakeable(name, path);
  const wrong = wrongAbout(found, kind);
  if (wrong !== undefined)
    return { name, status: "fail", message: `${path} ${wrong}`, next: `Move it away: mv "${path}" "${path}.old"` };
  if (!isWritable(path))
    return { name, status: "fail", message: `${path} cannot be written`, next: `chmod u+rwX "${path}"` };
  const mode = found.mode & 0o777;
  const wanted = kind === "directory" ? "700" : "600";
  if ((mode & 0o077) !== 0) {
    return {
      name,
      status: "fail",
      message: `${path} has mode 0${mode.toString(8)}`,
      next: `chmod ${wanted} "${path}"`,
    };
  }
  return { name, status: "ok", message: path };
}

/** Checks the nearest existing parent directory. */
function checkMakeable(name: string, path: string): Check {
  let above = dirname(path);
  while (above !== dirname(above) && !existsSync(above)) above = dirname(above);
  if (isWritable(above)) return { name, status: "ok", message: `${path} is created on demand` };
  const next = "Set LECTERN_HOME to your own directory";
  return { name, status: "fail", message: `${path} cannot be created: ${above} cannot be written`, next };
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function wrongAbout(found: Stats, kind: "directory" | "file"): string | undefined {
  if (found.isSymbolicLink()) return "is a symbolic link";
  if (kind === "directory" ? !found.isDirectory() : !found.isFile()) return `is not a ${kind}`;
  const me = process.getuid?.();
  return me !== undefined && found.uid !== me ? `belongs to user ${found.uid}` : undefined;
}

export function checkSocketPath(path: string): Check {
  const name = "socket path";
  const length = Buffer.byteLength(path);
  if (length <= platform.socketPathBytesMax) return { name, status: "ok", message: path };
  const message = `${path} has ${length} bytes, the system allows ${platform.socketPathBytesMax}`;
  return { name, status: "fail", message, next: "Set LECTERN_HOME to a shorter directory" };
}

function checkDisk(directory: string): Check {
  const name = "disk space";
  try {
    const existing = statSync(directory, { throwIfNoEntry: false }) === undefined ? "/" : directory;
    const { bavail, bsize } = statfsSync(existing);
    return judgeDisk({ freeBytes: bavail * bsize, freeInodes: freeInodesAt(existing) }, existing);
  } catch (error) {
    return { name, status: "warn", message: `cannot be read: ${(error as Error).message}` };
  }
}

interface DiskFacts {
  readonly freeBytes: number;
  /** Files that can still be created. */
  readonly freeInodes: number;
}

export function judgeDisk({ freeBytes, freeInodes }: DiskFacts, where: string): Check {
  const name = "disk space";
  if (freeInodes < INODES_WARN) {
    const status = freeInodes < INODES_FAIL ? "fail" : "warn";
    const message = `${freeInodes} inodes free at ${where}, each file needs one`;
    return { name, status, message, next: 'Remove small files, for example recordings with "lectern rm"' };
  }
  const message = `${formatSize(freeBytes)} free at ${where}`;
  if (freeBytes >= DISK_WARN_BYTES)
    return { name, status: "ok", message: `${message}; each journal keeps its newest 1 GB` };
  const status = freeBytes >= DISK_FAIL_BYTES ? "warn" : "fail";
  return { name, status, message, next: 'Remove recordings with "lectern rm", or use --retain-bytes' };
}

interface DaemonFacts {
  readonly logFile: string;
  /** Set if a daemon was killed and could not be started again. */
  readonly restarts?: RestartReport | undefined;
}

export function checkDaemon(info: DaemonInfo | undefined, { logFile, restarts }: DaemonFacts): Check {
  const name = "daemon";
  if (info === undefined && restarts !== undefined) {
    const { reason, starts, timeMs, triesAgain } = restarts;
    const outlook = triesAgain ? "it is started again" : "it is no longer started by itself";
    const message = `not running since ${new Date(timeMs).toISOString()}, after ${starts} starts: ${reason}; ${outlook}`;
    return { name, status: "fail", message, next: `Agents wait for it: run "lectern up", and see ${logFile}` };
  }
  if (info === undefined)
    return { name, status: "ok", message: `not running; the next command starts it, its log is ${logFile}` };
  const message = `version ${info.version}, process ${info.pid}, on ${info.listen.join(", ")}`;
  const next = "lectern down && lectern up: sessions keep running";
  if (info.protocolVersion !== PROTOCOL_VERSION)
    return { name, status: "fail", message: `${message}; it speaks protocol ${info.protocolVersion}`, next };
  if (info.version !== buildVersion())
    return { name, status: "warn", message: `${message}; this command has ${buildVersion()}`, next };
  return { name, status: "ok", message };
}

/** A daemon of an older version reports none. */
const checkProblems = (info: Pick<DaemonInfo, "problems"> | undefined): Check[] =>
  (info?.problems ?? []).map((message) => ({ name: "data files", status: "fail", message }));

export function checkHosts(info: DaemonInfo | undefined): Check[] {
  const name = "pty host";
  return (info?.hosts ?? []).map((host) => {
    const message = `${host.name}: process ${host.pid}, version ${host.version}, pty by ${host.backend}, ${host.sessions} sessions`;
    if (host.draining) return { name, status: "ok", message: `${message}, accepts no new ones` };
    if (host.version === info?.version) return { name, status: "ok", message };
    const next = "New sessions use it until it is drained; it ends with its last program";
    return { name, status: "warn", message, next };
  });
}

async function checkSessions(client: LecternClient, paths: LecternPaths): Promise<Check[]> {
  try {
    const { sessions } = await client.call("sessions.list", {});
    const { bySession: processes } = taggedProcesses(paths);
    const checks = sessions.flatMap((session) => [
      checkSession(session),
      checkKeys(session, paths),
      checkLeftovers(session, processes.get(session.id) ?? []),
    ]);
    return [...checks.filter((check) => check !== undefined), ...(await checkConversations(client, sessions))];
  } catch (error) {
    return [{ name: "session", status: "fail", message: `cannot be listed: ${(error as Error).message}` }];
  }
}

function checkKeys({ id, name: session }: Session, { sessionsDirectory }: LecternPaths): Check | undefined {
  const keys = unknownFields(join(sessionsDirectory, id)).map(([key]) => JSON.stringify(key));
  if (keys.length === 0) return undefined;
  const message = `"${session}": its session.json has ${keys.slice(0, KEYS_SHOWN_MAX).join(", ")}, which this version does not know`;
  return {
    name: "session",
    status: "warn",
    message,
    next: "A newer Lectern wrote that: it is kept, and has no effect",
  };
}

/** Every row of the audit log, as `lectern audit verify` reads it. */
async function checkAudit(client: LecternClient): Promise<Check> {
  const name = "audit log";
  const next = 'See "lectern audit verify"';
  const signal = AbortSignal.timeout(waits.answerMs);
  try {
    const result = await client.call("audit.verify", {}, { signal });
    if (result.intact) return { name, status: "ok", message: `intact, ${result.rows} rows` };
    return { name, status: "fail", message: result.message, next };
  } catch (error) {
    if (!signal.aborted) return { name, status: "fail", message: (error as Error).message, next };
    return { name, status: "ok", message: `too long to be verified in ${waits.answerMs / 1000} s`, next };
  }
}

export function checkSession(
  session: Pick<Session, "name" | "degraded" | "unreachable" | "damaged">,
): Check | undefined {
  // An older daemon does not have these fields.
  if (typeof session.unreachable === "string") {
    const message = `${session.name}: ${session.unreachable}; its output is recorded`;
    const next = "Wait until it answers. Continue a stopped process with kill -CONT; end one that hangs with kill";
    return { name: "session", status: "fail", message, next };
  }
  if (session.degraded === null) {
    return session.damaged
      ? { name: "session", status: "warn", message: `${session.name}: ${session.damaged}` }
      : undefined;
  }
  const message = `${session.name}: its journal cannot be written: ${session.degraded}`;
  return { name: "session", status: "fail", message, next: "Free disk space; recording then continues" };
}

/** Programs that ignored the hang-up at the end of their session. */
function checkLeftovers({ name, state }: Pick<Session, "name" | "state">, pids: readonly number[]): Check | undefined {
  if (pids.length === 0 || state === "running" || state === "starting") return undefined;
  const shown = pids.slice(0, LEFTOVERS_SHOWN_MAX).map((pid) => `${pid} (${executableOf(pid) ?? "ended"})`);
  const more = pids.length > shown.length ? `, and ${pids.length - shown.length} more` : "";
  const message = `${name}: it has ended, and programs of it still run: ${shown.join(", ")}${more}`;
  return { name: "session", status: "warn", message, next: `End them with "lectern kill ${name}"` };
}

function checkTerminal({ stdout, environment }: CliContext): Check {
  const name = "terminal";
  const term = environment["TERM"] ?? "";
  if (!stdout.isTTY) return { name, status: "ok", message: "standard output is not a terminal" };
  if (term === "" || term === "dumb") {
    return {
      name,
      status: "warn",
      message: `TERM is "${term}"`,
      next: "Attach from a terminal that supports escape sequences",
    };
  }
  return { name, status: "ok", message: `${term}, ${stdout.columns}x${stdout.rows}` };
}

// What `lectern doctor` reports about agents: the releases that are installed, and conversations that may be read wrong.

/** From a program up to the directory of its package. */
const LEVELS_MAX = 8;

/** Agents in the directories of `path` that are newer than the recordings on which their rules were measured. */
export function checkReleases(path: string): Check[] {
  return builtInAgents.agents.flatMap((agent): Check[] => {
    const { recorded } = agent.file;
    const release = recorded === undefined ? null : installedRelease(agent, path);
    if (recorded === undefined || release === null || !isNewerRelease(release, recorded)) return [];
    const message = newerRelease(agent.title, release, recorded);
    return [
      { name: "agent", status: "warn", message, next: 'Compare "lectern chat" with its screen; see docs/agents.md' },
    ];
  });
}

function installedRelease({ commands, packages }: Agent, path: string): string | null {
  const places = path.split(delimiter).filter((directory) => directory.startsWith("/"));
  const program = places.flatMap((place) => commands.map((name) => join(place, name))).find((file) => existsSync(file));
  if (program === undefined) return null;
  try {
    let directory = dirname(realpathSync(program));
    for (let level = 0; level < LEVELS_MAX && directory !== dirname(directory); level += 1) {
      const file = join(directory, "package.json");
      const { name, version } = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}) as Record<
        string,
        unknown
      >;
      if (typeof name === "string" && packages.includes(name)) return typeof version === "string" ? version : null;
      directory = dirname(directory);
    }
  } catch {
    // A package that cannot be read says nothing about its release.
  }
  return null;
}

/** What speaks against the conversation of each running session as it is read. */
async function checkConversations(client: LecternClient, sessions: readonly Session[]): Promise<Check[]> {
  const checks = sessions
    .filter(({ state }) => state === "running")
    .map(async ({ id, name }) => {
      const { messages } = await client.call("sessions.messages", {
        session: id,
        roles: ["conversation-start"],
        last: 1,
      });
      return (messages[0]?.doubts ?? []).map((doubt): Check => ({
        name: "conversation",
        status: "warn",
        message: `${name}: ${doubt}`,
        next: `Compare "lectern chat ${name}" with "lectern screen ${name}"; rules are changed as docs/agents.md says`,
      }));
    });
  return (await Promise.all(checks)).flat();
}

// The checks of `lectern doctor` about sandboxes: whether one can be started here, and what else keeps a program from typing for you.

const TIOCSTI_SETTING = "dev/tty/legacy_tiocsti";

async function checkSandboxes(environment: Readonly<Record<string, string | undefined>>): Promise<readonly Check[]> {
  if (!platform.hasProc) return [];
  return [await checkBackend(environment), checkTyping(kernelSetting(TIOCSTI_SETTING))];
}

async function checkBackend(environment: Readonly<Record<string, string | undefined>>): Promise<Check> {
  const name = "sandbox";
  const directory = mkdtempSync(join(tmpdir(), "lectern-doctor-"));
  try {
    const startedAt = performance.now();
    const backend = await probeSandbox(directory, environment);
    if (!backend.isAvailable)
      return { name, status: "warn", message: `--sandbox is refused: ${backend.reason}`, next: backend.next };
    const tookMs = Math.round(performance.now() - startedAt);
    return { name, status: "ok", message: `${backend.bubblewrap} starts one in ${tookMs} ms` };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Whether the kernel lets a program type into its own terminal (`TIOCSTI`), which is closed in every sandbox. */
function checkTyping(legacy: string | undefined): Check {
  const name = "typing";
  if (legacy === "0") return { name, status: "ok", message: "the kernel lets no program type into its terminal" };
  const message =
    "a program without a sandbox can type into its own terminal (TIOCSTI), and so answer its agent's dialogs";
  const next = "Use --sandbox, or: sudo sysctl dev.tty.legacy_tiocsti=0";
  return { name, status: "warn", message, ...(legacy === "1" && { next }) };
}
