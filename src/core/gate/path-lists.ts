/**
 * Lists of paths that policies share by name: `credentials`, `executed-later`. Names are compared without case, because a file system may
 * not know it: `.ENV` is `.env` on many disks.
 */
import { executedLater, homePlaces } from "../sandbox/executed-later.ts";
import { compileGlob, type Glob } from "./globs.ts";
import { normalizePath } from "./paths.ts";
import { pathListsData } from "./path-lists-data.ts";

export interface PathListData {
  /** What is said of a path in the list: `holds credentials`. */
  readonly phrase: string;
  /** A path of the list, for people. */
  readonly example: string;
  /** Folders by their last parts, with all that is below them. */
  readonly folders: readonly string[];
  /** Globs for the last part of a path. */
  readonly names: readonly string[];
  /** Globs for the whole path. */
  readonly paths: readonly string[];
  /** A name with one of these ends is not in the list because of `names`. */
  readonly harmless: readonly string[];
  /** The last parts of paths that are not in the list, although a folder of them is. */
  readonly open: readonly string[];
}

/** A list is matched as a glob is; `source` is its name. */
export interface PathList extends Glob {
  readonly phrase: string;
  readonly example: string;
}

export const pathListNames: readonly string[] = Object.keys(pathListsData);

/** Undefined: there is no list of this name. `pathList("credentials")?.matches("/project/.ENV"); // true` */
export function pathList(name: string): PathList | undefined {
  const data = Object.hasOwn(pathListsData, name) ? pathListsData[name] : undefined;
  if (data === undefined) return undefined;
  const known = compiled.get(name) ?? compileList(name, data);
  compiled.set(name, known);
  return known;
}

const compiled = new Map<string, PathList>();

function compileList(source: string, data: PathListData): PathList {
  const { example, harmless, open, phrase } = data;
  const places = source === "executed-later" ? protectedPlaces : [];
  const folders = [...data.folders, ...places].map((folder) => folder.toLowerCase().split("/"));
  const partsMax = Math.max(...folders.map(({ length }) => length));
  const folderNames = new Set(folders.map((parts) => parts.join("/")));
  const [names = [], patterns = []] = [false, true].map((isPattern) =>
    data.names.filter((name) => /[*?]/.test(name) === isPattern).map((name) => name.toLowerCase()),
  );
  const plainNames = new Set(names);
  const nameGlobs = patterns.map((name) => globOf(`**/${name}`));
  const pathGlobs = data.paths.map(globOf);
  const isHarmless = (path: string): boolean => harmless.some((end) => path.endsWith(end));
  const isOpen = (path: string): boolean => open.some((end) => path.endsWith(`/${end}`));
  const isInFolder = (parts: readonly string[]): boolean =>
    parts.some((_, from) =>
      Array.from({ length: partsMax }, (__, more) => parts.slice(from, from + more + 1).join("/")).some((name) =>
        folderNames.has(name),
      ),
    );
  const matches = (path: string): boolean => {
    if (isOpen(path)) return false;
    const parts = path.split("/");
    if (isInFolder(parts) || pathGlobs.some((glob) => glob.matches(path))) return true;
    const last = parts.at(-1) ?? "";
    return !isHarmless(path) && (plainNames.has(last) || nameGlobs.some((glob) => glob.matches(`/${last}`)));
  };
  const mayMatch = (path: string): boolean => {
    if (path.length > patternCharsMax) return true;
    if (isOpen(path)) return false;
    const parts = path.split("/").map(partOf);
    const isBelow = folders.some((folder) =>
      parts.some((_, from) => folder.every((name, more) => parts[from + more]?.(name) === true)),
    );
    if (isBelow || pathGlobs.some((glob) => glob.mayMatch(path))) return true;
    const last = path.slice(path.lastIndexOf("/") + 1);
    const mayBe = parts.at(-1);
    return (
      !isHarmless(path) &&
      (names.some((name) => mayBe?.(name) === true) || nameGlobs.some((glob) => glob.mayMatch(`/${last}`)))
    );
  };
  const below = (path: string): "yes" | "anywhere" => {
    const parts = path.split("/");
    // `.config` has `.config/gh` below it.
    const isBegun = folders.some((folder) =>
      folder.some((_, length) => length > 0 && folder.slice(0, length).join("/") === parts.slice(-length).join("/")),
    );
    return isBegun || isInFolder(parts) || pathGlobs.some((glob) => glob.below(path) === "yes") ? "yes" : "anywhere";
  };
  return {
    source,
    phrase,
    example,
    matches: remembered(matches),
    mayMatch: remembered(mayMatch),
    below: remembered(below),
  };
}

/** What a sandbox protects. Of the home only hidden names: a project has a `bin` of its own. */
const protectedPlaces: readonly string[] = [
  ...executedLater.map(({ name }) => name),
  ...homePlaces.filter((place) => place.startsWith(".")).map((place) => place.replace(/\/$/, "")),
];

/** A longer path with wildcards counts as a possible match. */
const patternCharsMax = 500;

/** Can a part of a path be a name? A `*` at its start never stands for a dot. */
function partOf(part: string): (name: string) => boolean {
  if (!part.includes("*")) return (name) => name === part;
  const glob = globOf(part.replaceAll(/[\\?[\]{}]/g, "\\$&"));
  return (name) => glob.matches(name) && !(part.startsWith("*") && name.startsWith("."));
}

function globOf(source: string): Glob {
  const result = compileGlob(source.toLowerCase());
  if (!result.ok) throw new TypeError(result.message);
  return result.glob;
}

const answersMax = 2_048;

/** Of a path in small letters. Several rules ask the same about a path. */
function remembered<Answer>(answer: (path: string) => Answer): (path: string) => Answer {
  const answers = new Map<string, Answer>();
  return (path) => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    if (answers.size >= answersMax) answers.clear();
    const found = answer(normalizePath(path.toLowerCase()));
    answers.set(path, found);
    return found;
  };
}
