/**
 * What a sandbox consists of, once every path is known: the daemon makes a plan from a profile, and `bubblewrap.ts` makes the command of it.
 */
import type { SandboxNetwork } from "./profile.ts";

/** Set inside: the name of the profile. */
export const SANDBOX_VARIABLE = "LECTERN_SANDBOX";

/**
 * One place of the file system inside. A deeper path wins over the directory that contains it; whatever is not named is as outside, and
 * read-only.
 *
 * - `read-only`, `writable`: as outside. A mount point cannot be renamed or removed, so both also fix the name.
 * - `private`: a copy, made before the start, that can be written and ends with the session.
 * - `memory`: an empty directory that can be written and ends with the session.
 * - `empty`: an empty read-only directory. `empty-file`: a file without content that takes no writes.
 * - `socket`: a socket of another program, under a file without content. One that is gone when the sandbox is made is left out.
 */
export interface SandboxMount {
  readonly kind: "read-only" | "writable" | "private" | "memory" | "empty" | "empty-file" | "socket";
  readonly path: string;
}

/** A file or directory that a mount needs and that does not exist: made before the start, and removed after the end if nothing is in it. */
export interface StandIn {
  readonly path: string;
  /** Of a file; null for a directory. */
  readonly text: string | null;
}

/** How a program inside reaches the gateway and named hosts, without a network of its own. */
export interface WayOut {
  /** Files or sockets of the outside, by their path inside; mounted last and read-only, which does not keep a program from connecting to a socket. */
  readonly binds: readonly { readonly source: string; readonly target: string }[];
  /** Set inside in addition. */
  readonly environment: Readonly<Record<string, string>>;
  /** The words of the forwarder: it runs inside, and starts the command that follows its words with its signals at their default. */
  readonly prefix: readonly string[];
}

/** A sandbox whose paths are absolute, real, and exist or have a stand-in. */
export interface SandboxPlan {
  readonly profile: string;
  readonly workingDirectory: string;
  /** Parents before what they contain. */
  readonly mounts: readonly SandboxMount[];
  readonly standIns: readonly StandIn[];
  /** Set inside in addition. */
  readonly environment: Readonly<Record<string, string>>;
  /** Removed inside: variables that lead to what is hidden. */
  readonly unset: readonly string[];
  readonly network: SandboxNetwork;
  /** Null: there is no way out, only a loopback device of its own. */
  readonly wayOut: WayOut | null;
}

/** How a path is seen from inside, by the deepest mount that contains it. */
export function visibility(mounts: readonly SandboxMount[], path: string): SandboxMount["kind"] {
  const containing = mounts.filter((mount) => isAtOrBelow(path, mount.path));
  return containing.toSorted((left, right) => right.path.length - left.path.length)[0]?.kind ?? "read-only";
}

/** False for a path that is not there inside, or is there without its content. */
export function isVisible(mounts: readonly SandboxMount[], path: string): boolean {
  const kind = visibility(mounts, path);
  return kind === "read-only" || kind === "writable" || kind === "private";
}

/** Both absolute, without a trailing slash. */
export const isAtOrBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory === "/" ? "/" : `${directory}/`);
