/**
 * Paths as text. Nothing here looks at a file system: symlinks, mounts and case-insensitive volumes are the business of
 * whoever executes the call, who must resolve the real path again (`O_NOFOLLOW`, `realpath`) before acting.
 */
import { allOf, type Certainty } from "./certainty.ts";

/** Removes `.`, empty and `..` segments. An absolute path never climbs above `/`; a relative one keeps its leading `..`. */
export function normalizePath(path: string): string {
  const absolute = path.startsWith("/");
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!absolute) kept.push("..");
  }
  const joined = kept.join("/");
  if (absolute) return `/${joined}`;
  return joined === "" ? "." : joined;
}

/** Where relative paths and `~` start; null where nobody knows. */
export interface PathContext {
  readonly workingDirectory: string | null;
  readonly home: string | null;
}

/**
 * The absolute, normalized path that a program would take the text for, or undefined where that cannot be told:
 * relative without a known working directory, `~name`, a URL other than `file:`, a backslash, a NUL.
 *
 * @example
 * ```ts
 * resolvePath("../x", { workingDirectory: "/a/b", home: null }); // "/a/x"
 * ```
 */
export function resolvePath(text: string, context: PathContext): string | undefined {
  if (text.includes("\0") || text.includes("\\")) return undefined;
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(text)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase() === "file" ? pathOfFileUrl(text) : undefined;
  if (text.startsWith("/")) return seenThrough(text, context);
  if (text === "~" || text.startsWith("~/")) return joined(context.home, text.slice(1));
  return text.startsWith("~") ? undefined : joined(context.workingDirectory, text);

  function joined(base: string | null, rest: string): string | undefined {
    return base?.startsWith("/") === true ? seenThrough(`${base}/${rest}`, context) : undefined;
  }
}

/** Links that the kernel makes: to the root, to a working directory, to an open file (proc(5)). */
const kernelLink =
  /^(?:\/proc\/[^/]+(?:\/task\/[^/]+)?\/(root|cwd|fd\/[^/]+|map_files\/[^/]+)|\/dev\/(fd\/[^/]+))(?=\/|$)/;

/** The absolute path without the links of `/proc`; undefined where one leads to what only the kernel knows. */
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
    return decoded.includes("\0") || decoded.includes("\\") ? undefined : normalizePath(decoded);
  } catch {
    // A broken percent escape: programs differ in what they make of it.
    return undefined;
  }
}

/** Is the path the root itself or below it? `maybe` where the path cannot be told. `root` is absolute. */
export function isUnder(text: string, root: string, context: PathContext): Certainty {
  const path = resolvePath(text, context);
  if (path === undefined) return "maybe";
  const normal = normalizePath(root);
  return normal === "/" || path === normal || path.startsWith(`${normal}/`) ? "yes" : "no";
}

/**
 * Is a path in which each `*` stands for text without a slash the root itself or below it? `maybe` where it depends on the
 * files that are there.
 */
export function isPatternUnder(text: string, root: string, context: PathContext): Certainty {
  const path = resolvePath(text, context);
  if (path === undefined || /^\/(?:proc\/.*\*|[^/]*\*.*\/)/.test(path)) return "maybe";
  const names = path.split("/");
  const wanted = root === "/" ? [""] : root.split("/");
  const answers = wanted.map((name, at): Certainty => {
    const pattern = names[at];
    if (pattern === undefined) return "no";
    if (!pattern.includes("*")) return pattern === name ? "yes" : "no";
    return mayBe(pattern, name) ? "maybe" : "no";
  });
  return allOf(answers);
}

/** Could the shell put this name in the place of the pattern? */
function mayBe(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!name.startsWith(first) || (first === "" && name.startsWith("."))) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return rest.at(-1) === "" || name.endsWith(rest.at(-1) ?? "");
}
