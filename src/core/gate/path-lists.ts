/**
 * Lists of paths that policies share by name: `credentials`, `executed-later`. Names are compared without case, because a file system may
 * not know it: `.ENV` is `.env` on many disks.
 */
import { executedLater } from "../sandbox/executed-later.ts";
import { compileGlob, type Glob } from "./globs.ts";
import { pathListsData } from "./path-lists-data.ts";

export interface PathListData {
  /** What is said of a path in the list: `holds credentials`. */
  readonly phrase: string;
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
}

export const pathListNames: readonly string[] = Object.keys(pathListsData);

/**
 * Undefined: there is no list of this name.
 *
 * @example
 * ```ts
 * pathList("credentials")?.matches("/project/.ENV"); // true
 * ```
 */
export function pathList(name: string): PathList | undefined {
  const data = Object.hasOwn(pathListsData, name) ? pathListsData[name] : undefined;
  if (data === undefined) return undefined;
  const known = compiled.get(name) ?? compileList(name, data);
  compiled.set(name, known);
  return known;
}

const compiled = new Map<string, PathList>();

function compileList(source: string, data: PathListData): PathList {
  const { harmless, names, open, paths, phrase } = data;
  const places = source === "executed-later" ? executedLater.map(({ name }) => name) : [];
  const folders = [...data.folders, ...places];
  const always = [...folders.flatMap((folder) => [`**/${folder}`, `**/${folder}/**`]), ...paths].map(globOf);
  const named = names.map((name) => globOf(`**/${name}`));
  const all = [...always, ...named];
  const isHarmless = (path: string): boolean => harmless.some((end) => path.endsWith(end));
  const anyOf = (path: string, isMatch: (glob: Glob, path: string) => boolean): boolean => {
    const small = path.toLowerCase();
    if (open.some((end) => small.endsWith(`/${end}`))) return false;
    return (isHarmless(small) ? always : all).some((glob) => isMatch(glob, small));
  };
  return {
    source,
    phrase,
    matches: remembered((path) => anyOf(path, (glob, small) => glob.matches(small))),
    mayMatch: remembered((path) => anyOf(path, (glob, small) => glob.mayMatch(small))),
    below: remembered((folder) => {
      const answers = new Set(all.map((glob) => glob.below(folder.toLowerCase())));
      return (["yes", "anywhere"] as const).find((answer) => answers.has(answer)) ?? "no";
    }),
  };
}

function globOf(source: string): Glob {
  const result = compileGlob(source.toLowerCase());
  if (!result.ok) throw new TypeError(result.message);
  return result.glob;
}

const answersMax = 2_048;

/** Several rules ask the same about a path. */
function remembered<Answer>(answer: (path: string) => Answer): (path: string) => Answer {
  const answers = new Map<string, Answer>();
  return (path) => {
    const known = answers.get(path);
    if (known !== undefined) return known;
    if (answers.size >= answersMax) answers.clear();
    const found = answer(path);
    answers.set(path, found);
    return found;
  };
}
