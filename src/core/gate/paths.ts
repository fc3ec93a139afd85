/**
 * Paths as text, without access to a file system. The executor of a call must resolve symlinks, mounts and case-insensitive volumes
 * itself (`O_NOFOLLOW`, `realpath`) before it acts.
 */
import { isAtOrBelow } from "../sandbox/plan.ts";
import { allOf, certain, type Certainty } from "./certainty.ts";

/** Removes `.`, empty and `..` segments. An absolute path never climbs above `/`; a relative one keeps its leading `..`. */
export function normalizePath(path: string): string {
  // The fast path: in most paths no segment is empty or begins with a dot.
  if (/^\/?[^/.][^/]*(?:\/[^/.][^/]*)*$/.test(path)) return path;
  const absolute = path.startsWith("/");
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!absolute) kept.push("..");
  }
  return absolute ? `/${kept.join("/")}` : kept.join("/") || ".";
}

/** The bases of relative paths and of `~`; null if unknown. */
export interface PathContext {
  readonly workingDirectory: string | null;
  readonly home: string | null;
}

/**
 * The absolute, normalized path that a program would read the text as. Undefined if unknown: a relative path without a working
 * directory, `~name`, a URL other than `file:`, a backslash, a NUL.
 * `resolvePath("../x", { workingDirectory: "/a/b", home: null }); // "/a/x"`
 */
export function resolvePath(text: string, context: PathContext): string | undefined {
  const known = resolved.get(context) ?? new Map<string, string | undefined>();
  resolved.set(context, known);
  if (known.has(text)) return known.get(text);
  const absolute = absolutePath(text, context);
  known.set(text, absolute === undefined ? undefined : seenThrough(absolute, context));
  return known.get(text);
}

/** Each rule asks for the same paths; a context lives as long as a decision. */
const resolved = new WeakMap<PathContext, Map<string, string | undefined>>();

/** The same path before `..` is cut, which leads elsewhere behind a link. */
export function absolutePath(text: string, context: PathContext): string | undefined {
  if (text.includes("\0") || text.includes("\\")) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase() === "file" ? pathOfFileUrl(text) : undefined;
  if (text.startsWith("/")) return text;
  if (text === "~" || text.startsWith("~/")) return joined(context.home, text.slice(1));
  return text.startsWith("~") ? undefined : joined(context.workingDirectory, text);
}

const joined = (base: string | null, rest: string): string | undefined =>
  base?.startsWith("/") === true ? `${base}/${rest}` : undefined;

/** Links that the kernel makes: to the root, to a working directory, to an open file (proc(5)). */
const kernelLink =
  /^(?:\/proc\/[^/]+(?:\/task\/[^/]+)?\/(root|cwd|fd\/[^/]+|map_files\/[^/]+)|\/dev\/(fd\/[^/]+))(?=\/|$)/;

/** The absolute path with links of `/proc` resolved; undefined if only the kernel knows the target of one. */
function seenThrough(path: string, { workingDirectory }: PathContext): string | undefined {
  if (!/proc|dev/.test(path)) return normalizePath(path);
  let kept = "";
  for (const segment of path.split("/")) {
    kept = normalizePath(`${kept}/${segment}`);
    const link = kernelLink.exec(kept);
    if (link === null) continue;
    if (link[1] === "root") kept = "/";
    else if (link[1] === "cwd" && /^\/proc\/(?:self|thread-self)\/cwd$/.test(kept) && workingDirectory !== null)
      kept = normalizePath(workingDirectory);
    else return undefined;
  }
  return kept;
}

function pathOfFileUrl(text: string): string | undefined {
  const path = /^file:\/\/(?:localhost)?(\/[^?#]*)$/i.exec(text)?.[1];
  if (path === undefined) return undefined;
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes("\0") || decoded.includes("\\") ? undefined : decoded;
  } catch {
    // Programs disagree about a malformed percent escape.
    return undefined;
  }
}

/** Is the path the root or below it? `maybe` if it cannot be resolved. `root` is absolute. */
export function isUnder(text: string, root: string, context: PathContext): Certainty {
  const path = resolvePath(text, context);
  if (path === undefined) return "maybe";
  return certain(isAtOrBelow(path, normalizePath(root)));
}

/** Is a path with wildcards (`*`: text without a slash) the root or below it? `maybe` if that depends on the existing files. */
export function isPatternUnder(text: string, root: string, context: PathContext): Certainty {
  const path = resolvePath(text, context);
  if (path === undefined || /^\/(?:proc\/.*\*|[^/]*\*.*\/)/.test(path)) return "maybe";
  const names = path.split("/");
  const wanted = root === "/" ? [""] : root.split("/");
  const answers = wanted.map((name, at): Certainty => {
    const pattern = names[at];
    if (pattern === undefined) return "no";
    if (!pattern.includes("*")) return pattern === name ? "yes" : "no";
    return mayExpandTo(pattern, name) ? "maybe" : "no";
  });
  return allOf(answers);
}

/** Could the shell expand the pattern to this name? */
export function mayExpandTo(pattern: string, name: string): boolean {
  const [first, ...rest] = pattern.split("*") as [string, ...string[]];
  if (!name.startsWith(first) || (first === "" && name.startsWith("."))) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.endsWith(pattern.slice(pattern.lastIndexOf("*") + 1));
}
