/** Makes the plan of a sandbox: every path of its profile is looked up, and what would not work inside is refused with its reason. */
import { basename, join, resolve } from "node:path";
import { LecternError } from "../../core/errors.ts";
import { builtInProfiles, type SandboxProfile } from "../../core/sandbox/profile.ts";
import { isAtOrBelow, isVisible, SANDBOX_VARIABLE, type SandboxPlan } from "../../core/sandbox/plan.ts";
import { executedLater, homePlaces } from "../../core/sandbox/executed-later.ts";
import { standInFor } from "../../core/sandbox/protected-places.ts";
import { addAgentPlaces, type AgentPlaces } from "./agent-places.ts";
import { buildStates } from "./build-files.ts";
import { protectRepository } from "./git-places.ts";
import { placesInSettings } from "./git-settings.ts";
import { checkedOutLinks } from "./set-aside.ts";
import { presentPlaces } from "./new-places.ts";
import { MountTable, overlaps, realPath, statsOf } from "./mount-table.ts";
import { checkNeeds } from "./needs.ts";
import { readFileSync } from "node:fs";
import { procPath } from "../../pty/platform.ts";

export interface PlanRequest {
  readonly profile: SandboxProfile;
  readonly command: readonly [string, ...string[]];
  readonly workingDirectory: string;
  /** Of the program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lectern's own directories: the data directory and those of its sockets. */
  readonly ownDirectories: readonly string[];
  /** Files inside of them that the program needs. */
  readonly neededFiles: readonly string[];
  /** Directories inside of them in which it writes. */
  readonly writtenDirectories: readonly string[];
  /** What its agent needs in the home directory. */
  readonly agentPlaces: AgentPlaces;
}

/** Fresh inside, so that no socket and no file of another program is reached there. */
const freshDirectories = ["/tmp", "/var/tmp"] as const;
const TEMPORARY = "/tmp";
/** What programs need of /run, if it is there. */
const runPlaces = ["/run/current-system", "/run/opengl-driver", "/run/systemd/resolve/stub-resolv.conf"] as const;
/** Where programs, libraries and devices are: nothing starts without them. */
const systemPlaces = "/usr/bin /usr/lib /usr/lib64 /bin /lib /lib64 /dev /proc /etc/ld.so.cache".split(" ");
/** Made by the sandbox itself. */
const ownPlaces = ["/dev", "/proc", "/sys", "/run"];
/** They lead to sockets of the outside. */
const unsetVariables = (
  "SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO GNOME_KEYRING_CONTROL DBUS_SESSION_BUS_ADDRESS " +
  "DBUS_SYSTEM_BUS_ADDRESS DOCKER_HOST CONTAINER_HOST XDG_RUNTIME_DIR WAYLAND_DISPLAY DISPLAY XAUTHORITY TMUX " +
  "TMUX_PANE STY VSCODE_IPC_HOOK_CLI VSCODE_GIT_IPC_HANDLE WSL_INTEROP"
).split(" ");

/** A directory that the program may write, as it is at the start. */
interface WritableRoot {
  readonly root: string;
  /** Of the repositories at its gitlinks, whose settings are protected. */
  readonly links: readonly string[];
  /** The places of `executedLater` that stay at the end: those that exist, and those that the profile names under `write`. */
  readonly present: readonly string[];
  /** Of the files that a build executes (`buildStates`). */
  readonly builds: Readonly<Record<string, string>>;
}

/** Rejects with `INVALID_INPUT` and `LIMIT_EXCEEDED`, what `resolveCommand` throws, and what a program would find hidden. */
export async function makePlan(
  request: PlanRequest,
): Promise<{ readonly plan: SandboxPlan; readonly roots: readonly WritableRoot[] }> {
  const { profile } = request;
  const workingDirectory = realDirectory(request.workingDirectory);
  const table = new MountTable();
  const paths = new ProfilePaths(workingDirectory, request.environment["HOME"]);
  for (const path of freshDirectories) if (statsOf(path)?.isDirectory()) table.set(path, "memory");
  if (statsOf("/run")?.isDirectory()) table.set("/run", "empty");
  for (const path of runPlaces) if (realPath(path) !== undefined) table.set(path, "read-only");
  for (const path of request.ownDirectories) hideOwn(table, path);
  const directories = writableRoots(table, profile, paths);
  if (!isVisible(table.list, workingDirectory)) {
    // Nothing of a fresh directory or of Lectern's own is shown by being the place to start in.
    if (request.ownDirectories.some((path) => isAtOrBelow(workingDirectory, realPath(path) ?? path)))
      throw invalid(`the working directory "${workingDirectory}" is in Lectern's own directory; start in another one`);
    table.set(workingDirectory, "read-only");
  }
  hide(table, profile, paths);
  const written = new Set(profile.write.map((entry) => paths.standIn(entry).path));
  const roots: WritableRoot[] = [];
  for (const root of directories) {
    const open = executedLater.filter(({ name }) => written.has(join(root, name))).map(({ name }) => name);
    protectRoot(table, { root, open, home: paths.home });
    await protectSettings(table, root, request.environment);
    const links = await checkedOutLinks(root);
    for (const inner of links) protectRepository(table, inner);
    roots.push({ root, links, present: [...presentPlaces(root), ...open], builds: buildStates(root) });
  }
  for (const entry of profile.readOnly) showReadOnly(table, profile, paths.standIn(entry));
  // A hidden place in a fresh directory becomes visible when "readOnly" shows a directory that contains it.
  hide(table, profile, paths);
  addAgentPlaces(table, request.agentPlaces, {
    profile,
    pathOf: (entry) => paths.standIn(entry).path,
    home: paths.home,
    workingDirectory,
    environment: request.environment,
  });
  for (const path of request.neededFiles)
    if (statsOf(path) !== undefined) table.set(realPath(path) ?? path, "read-only");
  for (const path of request.writtenDirectories) table.set(realPath(path) ?? path, "writable");
  hideSockets(table);
  table.pin();
  const plan = {
    profile: profile.name,
    workingDirectory,
    mounts: table.list,
    standIns: table.standIns,
    environment: { TMPDIR: TEMPORARY, TMP: TEMPORARY, TEMP: TEMPORARY, [SANDBOX_VARIABLE]: profile.name },
    unset: unsetVariables,
    network: profile.network,
    wayOut: null,
  };
  checkNeeds(plan, request);
  return { plan, roots };
}

function hideOwn(table: MountTable, path: string): void {
  const real = realPath(path);
  if (real !== undefined) table.set(real, "empty");
}

/** The directories that can be written, in which places are protected; caches and $TMP have none. */
function writableRoots(table: MountTable, profile: SandboxProfile, paths: ProfilePaths): readonly string[] {
  const roots: string[] = [];
  for (const entry of profile.caches) {
    const real = paths.home === undefined ? undefined : realPath(paths.standIn(entry).path);
    if (real !== undefined && table.kindOf(real) === "read-only") table.set(real, "writable");
  }
  for (const entry of profile.write) {
    const { path } = paths.standIn(entry);
    if (path === TEMPORARY) continue;
    const real = realPath(path);
    if (real === undefined)
      throw invalid(`"${entry}" under "write" does not exist (${path}); create it first, or remove the entry`);
    checkWritable(table, entry, real);
    table.set(real, "writable");
    if (statsOf(real)?.isDirectory()) roots.push(real);
  }
  return roots;
}

function checkWritable(table: MountTable, entry: string, path: string): void {
  const name = entry === "." ? `the working directory "${path}"` : `"${entry}"`;
  if (path === "/" || ownPlaces.some((own) => isAtOrBelow(path, own)) || freshDirectories.some((own) => own === path)) {
    throw invalid(
      `${name} cannot be written inside; name a directory of your own, or use a profile that writes in none`,
    );
  }
  if (table.kindOf(path) === "empty")
    throw invalid(`${name} is hidden inside: it has files of Lectern or control sockets`);
}

function hide(table: MountTable, profile: SandboxProfile, paths: ProfilePaths): void {
  const shown = new Set([...profile.write, ...profile.readOnly].map((entry) => paths.standIn(entry).path));
  const builtIn = new Set(builtInProfiles.work.hide);
  const system = systemPlaces.map((path) => ({ path, real: realPath(path) ?? path }));
  for (const entry of profile.hide) {
    if (entry.startsWith("~/") && paths.home === undefined) continue;
    const standIn = paths.standIn(entry);
    if (builtIn.has(entry) && shown.has(standIn.path)) continue;
    const real = realPath(standIn.path) ?? standIn.path;
    if (system.some((place) => isAtOrBelow(place.real, real) || isAtOrBelow(place.path, standIn.path)))
      throw invalid(`"${entry}" under "hide" has what every program needs to start; name a smaller part of it`);
    if (isAtOrBelow(paths.workingDirectory, real)) {
      throw invalid(
        `"${entry}" under "hide" contains the working directory; start in another one, or remove the entry`,
      );
    }
    if (isVisible(table.list, real)) table.protect(standIn, "empty");
  }
}

/** Naming a place that is hidden by itself shows it. */
function showReadOnly(table: MountTable, profile: SandboxProfile, standIn: ReturnType<typeof standInFor>): void {
  const real = realPath(standIn.path);
  const isHidden = real !== undefined && !isVisible(table.list, real);
  const isHiddenByName = profile.hide.some((entry) => entry === standIn.path);
  if (isHiddenByName) throw invalid(`"${standIn.path}" is under "hide" and under "readOnly"; remove one of them`);
  if (isHidden) table.set(real, "read-only");
  else table.protect(standIn, "read-only");
}

/** `open`: names of `executedLater` that the profile lets the program write. */
function protectRoot(
  table: MountTable,
  { home, open, root }: { readonly root: string; readonly open: readonly string[]; readonly home: string | undefined },
): void {
  for (const { missing, name } of executedLater) {
    const path = join(root, name);
    if (open.includes(name) || (missing === "set-aside" && statsOf(path) === undefined)) continue;
    // Git does not see an empty directory: as a file it could be committed, inside and outside.
    table.protect({ path, text: null }, missing === "memory" ? "memory" : "read-only");
  }
  protectRepository(table, root);
  if (home === undefined || !overlaps(home, root)) return;
  for (const place of homePlaces) {
    const standIn = standInFor(join(home, place));
    if (isAtOrBelow(root, standIn.path)) continue;
    if (table.kindOf(standIn.path) === "writable") table.protect(standIn, "read-only");
  }
}

/** What the settings of git name there is executed or believed at the next command of a person. */
async function protectSettings(
  table: MountTable,
  root: string,
  environment: PlanRequest["environment"],
): Promise<void> {
  for (const place of await placesInSettings(root, environment)) {
    if (place.path === root) {
      throw invalid(
        `a setting of git names "${place.path}", which is a directory that the program may write; see "git config --list"`,
      );
    }
    if (table.kindOf(place.path) === "writable") table.protect(place, "read-only");
  }
}

function hideSockets(table: MountTable): void {
  const before = table.list;
  for (const path of boundSockets()) {
    const real = realPath(path);
    if (real === undefined || !statsOf(real)?.isSocket() || !isVisible(before, real)) continue;
    table.set(real, "socket");
  }
}

/** What the entries of a profile mean. */
class ProfilePaths {
  readonly workingDirectory: string;
  readonly home: string | undefined;

  constructor(workingDirectory: string, home: string | undefined) {
    this.workingDirectory = workingDirectory;
    this.home = home === undefined || !home.startsWith("/") ? undefined : (realPath(home) ?? resolve(home));
  }

  /** The absolute path of an entry. A slash at the end means a directory. */
  standIn(entry: string): ReturnType<typeof standInFor> {
    if (entry.startsWith("~") && this.home === undefined)
      throw invalid(`"${entry}" is in the home directory, and HOME is not set; set it, or write the path out`);
    const expanded = entry.replace(/^~(?=\/|$)/, this.home ?? "").replace(/^\$TMP(?=\/|$)/, TEMPORARY);
    const path = resolve(this.workingDirectory, expanded);
    const isDirectory = entry.endsWith("/") || !basename(path).slice(1).includes(".");
    return standInFor(isDirectory ? `${path}/` : path);
  }
}

function realDirectory(path: string): string {
  const real = realPath(path);
  if (real !== undefined && statsOf(real)?.isDirectory()) return real;
  throw new LecternError(
    "WORKING_DIRECTORY_NOT_FOUND",
    `Cannot start in "${path}": it is not a directory; create it or name another one`,
    { details: { workingDirectory: path } },
  );
}

const invalid = (reason: string): LecternError =>
  new LecternError("INVALID_INPUT", `Cannot make the sandbox: ${reason}`);

/** The profile without anything that depends on a directory or a home: what a session hands down to those that it starts. */
export function absoluteProfile(
  profile: SandboxProfile,
  workingDirectory: string,
  home: string | undefined,
): SandboxProfile {
  const paths = new ProfilePaths(realPath(workingDirectory) ?? workingDirectory, home);
  const known = (entries: readonly string[]): readonly string[] =>
    entries.filter((entry) => !entry.startsWith("~") || paths.home !== undefined);
  const expand = (entry: string): string => {
    if (entry.startsWith("$TMP")) return entry;
    const { path, text } = paths.standIn(entry);
    return text === null ? `${path}/` : path;
  };
  const { hide: hidden, readOnly, write, caches } = profile;
  return {
    ...profile,
    write: known(write).map(expand),
    caches: known(caches).map(expand),
    hide: known(hidden).map(expand),
    readOnly: known(readOnly).map(expand),
  };
}

/**
 * The absolute paths of all unix sockets that are bound in this network namespace; none where the kernel does not list them. Whoever may
 * connect to one may have it do something outside, which a read-only mount does not prevent.
 */
function boundSockets(): readonly string[] {
  try {
    return pathsOf(readFileSync(procPath("net/unix"), "utf8"));
  } catch {
    return [];
  }
}

/** Lines of `/proc/net/unix`: seven columns, and the path if there is one; `@` begins an abstract name. */
export function pathsOf(text: string): readonly string[] {
  const paths = text.split("\n").map((line) => /^(?:\S+\s+){6}\d+ (\/.*)$/.exec(line)?.[1]);
  return [...new Set(paths.filter((path) => path !== undefined))];
}
