/**
 * The command line of bubblewrap for a plan.
 *
 * Order of mounts: the whole file system read-only, fresh /dev, /proc and /tmp, then the places of the plan from parents to children, then what
 * hides the sockets of other programs, then the way out. `--new-session` is not used, because a shell inside could not control its jobs; the system call filter refuses TIOCSTI in its place.
 */
import type { SandboxMount, SandboxPlan } from "./plan.ts";

export interface SandboxStart {
  readonly bubblewrap: string;
  /** The file with the program of the system call filter; null on processors without one. */
  readonly filterFile: string | null;
  /** The socket at which this session's programs report events; undefined if there is none. */
  readonly eventSocket: string | undefined;
  /** Where the copies of `private` places are, each at its own path below this directory. */
  readonly privateDirectory: string;
}

/**
 * Signals that a key or a program sends to the whole foreground group. Bubblewrap's own process is in it, and would end the sandbox: it
 * ignores them, and the program gets them with their default effect again.
 */
const groupSignals = "HUP INT QUIT TERM USR1 USR2 ALRM PIPE TSTP TTIN TTOU";

/**
 * Bubblewrap does not start if a mount has no place, and the program of a socket may end at any time: this is the last moment to look. The
 * arguments: the number of words before the sockets, the number of sockets, and all words with the sockets among them. Names the words to
 * start, in a shell of its own: a variable that is set here could be one of the program's environment.
 */
const withoutLostSockets = String.raw`$(
  first=$(($1 + 1)) last=$(($1 + $2)); shift 2; at=0 words=
  for word; do
    at=$((at + 1)); name="\"\${$at}\""
    if [ $at -ge $first ] && [ $at -le $last ]; then
      [ -S "$word" ] || continue
      name="--ro-bind /dev/null $name"
    fi
    words="$words $name"
  done
  echo "$words")`;

/** `$0` is the filter's file. */
const withFilter = String.raw`trap '' ${groupSignals}; eval "shift 2; exec 9<\"\$0\" ${withoutLostSockets}"`;
const withoutFilter = String.raw`trap '' ${groupSignals}; eval "shift 2; exec ${withoutLostSockets}"`;

export function bubblewrapWords(plan: SandboxPlan, start: SandboxStart): readonly [string, ...string[]] {
  const shell =
    start.filterFile === null
      ? (["/bin/sh", "-c", withoutFilter, "sh"] as const)
      : (["/bin/sh", "-c", withFilter, start.filterFile] as const);
  const sockets = plan.mounts.filter(({ kind }) => kind === "socket").map(({ path }) => path);
  const beforeSockets = [
    start.bubblewrap,
    ...namespaces,
    ...(start.filterFile === null ? [] : ["--seccomp", "9"]),
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...plan.mounts.flatMap((mount) => wordsOf(mount, start.privateDirectory)),
  ];
  return [
    ...shell,
    String(beforeSockets.length),
    String(sockets.length),
    ...beforeSockets,
    ...sockets,
    ...(start.eventSocket === undefined ? [] : ["--bind", start.eventSocket, start.eventSocket]),
    ...(plan.wayOut?.binds ?? []).flatMap(({ source, target }) => ["--ro-bind", source, target]),
    // As root, a program could write the kernel's settings.
    "--remount-ro",
    "/proc",
    // An empty directory takes its mount points while it is made, and no more files afterwards.
    ...plan.mounts.filter(({ kind }) => kind === "empty").flatMap(({ path }) => ["--remount-ro", path]),
    ...plan.unset.flatMap((name) => ["--unsetenv", name]),
    ...Object.entries({ ...plan.environment, ...plan.wayOut?.environment }).flatMap((pair) => ["--setenv", ...pair]),
    "--chdir",
    plan.workingDirectory,
    "--",
    ...(plan.wayOut?.prefix ?? ["/usr/bin/env", "--default-signal", "--"]),
  ];
}

const namespaces: readonly string[] = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-net",
  "--unshare-cgroup-try",
  "--die-with-parent",
  "--cap-drop",
  "ALL",
];

function wordsOf({ kind, path }: SandboxMount, privateDirectory: string): readonly string[] {
  switch (kind) {
    case "read-only":
      return ["--ro-bind", path, path];
    case "writable":
      return ["--bind", path, path];
    case "private":
      return ["--bind", `${privateDirectory}${path}`, path];
    case "memory":
      return ["--perms", "1777", "--tmpfs", path];
    case "empty":
      return ["--perms", "0755", "--tmpfs", path];
    case "empty-file":
      return ["--ro-bind", "/dev/null", path];
    case "socket":
      return [];
  }
}
