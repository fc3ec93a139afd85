/** The gate's view of the file system: where links lead. One for each decision, because it remembers what it has read. */
import { lstatSync, opendirSync, readlinkSync, type Dir, type Dirent } from "node:fs";
import { dirname } from "node:path";
import { mayExpandTo } from "../core/gate/paths.ts";
import type { FileView } from "../core/gate/real-paths.ts";

export interface FileViewLimits {
  /** Paths whose kind is read. */
  readonly pathsMax?: number;
  /** Entries of directories that are read, for patterns and walks: at most 5 ms of the event loop. */
  readonly entriesMax?: number;
}

/** As many as the kernel follows in one path (path_resolution(7)). */
const LINKS_MAX = 40;

const ENTRIES_AT_ONCE = 256;

/** Links that lead elsewhere for the program than for this process. */
const kernelLink = /^\/(?:proc\/[^/]+(?:\/task\/[^/]+)?\/(?:root|cwd|exe|fd\/[^/]+|map_files\/[^/]+)|dev\/fd)$/;

export class DiskView implements FileView {
  readonly #targets = new Map<string, string | null>();
  readonly #missing = new Set<string>();
  #pathsLeft: number;
  #entriesLeft: number;

  constructor({ entriesMax = 5_000, pathsMax = 5_000 }: FileViewLimits = {}) {
    this.#pathsLeft = pathsMax;
    this.#entriesLeft = entriesMax;
  }

  realPath(path: string): string | undefined {
    return withinLimits(() => this.#resolve("", path)?.path);
  }

  matches(pattern: string): readonly string[] | undefined {
    return withinLimits(() => {
      const found = new Set<string>();
      this.#expand({ path: "", name: "", isLinked: false }, pattern.split("/"), ({ name }) => found.add(name));
      return [...found];
    });
  }

  linkedMatches(pattern: string): readonly string[] | undefined {
    return withinLimits(() => {
      const found = new Set<string>();
      this.#expand({ path: "", name: "", isLinked: false }, pattern.split("/"), ({ isLinked, path }) => {
        if (isLinked) found.add(path);
      });
      return [...found];
    });
  }

  entriesBelow(folder: string): readonly string[] | undefined {
    return withinLimits(() => {
      const found: string[] = [];
      const waiting = [this.#resolve("", folder)?.path];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        for (const entry of this.#entries(next)) {
          const path = `${below(next)}/${entry.name}`;
          found.push(path);
          if (entry.isDirectory()) waiting.push(path);
        }
      }
      return found;
    });
  }

  linksBelow(folder: string): readonly string[] | undefined {
    return withinLimits(() => {
      const found = new Set<string>();
      const waiting = [this.#resolve("", folder)?.path];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        for (const entry of this.#entries(next)) {
          const path = `${next}/${entry.name}`;
          if (entry.isDirectory()) waiting.push(path);
          if (!entry.isSymbolicLink()) continue;
          const target = this.#resolve("", path)?.path;
          if (target === undefined || found.has(target)) continue;
          found.add(target);
          waiting.push(target);
        }
      }
      return [...found];
    });
  }

  /** Follows the path from a real directory; its root is an empty text. Undefined for a ring of links, which the kernel does not open. */
  #resolve(from: string, path: string): Place | undefined {
    const rest = path.split("/").toReversed();
    let current = from;
    let links = 0;
    for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
      if (name === "" || name === ".") continue;
      if (name === "..") {
        current = parentOf(current);
        continue;
      }
      const next = `${current}/${name}`;
      const target = this.#missing.has(current) ? null : this.#targetOf(next);
      if (target === null) {
        if (this.#missing.has(current)) this.#missing.add(next);
        current = next;
        continue;
      }
      links += 1;
      if (links > LINKS_MAX) return undefined;
      if (kernelLink.test(next)) throw new LimitReached();
      rest.push(...target.split("/").toReversed());
      if (target.startsWith("/")) current = "";
    }
    return { path: current === "" ? "/" : current, isLinked: links > 0 };
  }

  /** Null for what is not a link. */
  #targetOf(path: string): string | null {
    const known = this.#targets.get(path);
    if (known !== undefined) return known;
    this.#pathsLeft -= 1;
    if (this.#pathsLeft < 0) throw new LimitReached();
    const target = this.#readTarget(path);
    this.#targets.set(path, target);
    return target;
  }

  #readTarget(path: string): string | null {
    try {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      if (stats === undefined) this.#missing.add(path);
      return stats?.isSymbolicLink() === true ? readlinkSync(path) : null;
    } catch {
      // The program, which has the same user, cannot open it either.
      this.#missing.add(path);
      return null;
    }
  }

  #expand(place: NamedPlace, names: readonly string[], find: (place: NamedPlace) => void): void {
    const at = names.findIndex((name) => name.includes("*"));
    const path = names.slice(0, at < 0 ? undefined : at).join("/");
    const plain = this.#resolve(below(place.path), path);
    if (plain === undefined || this.#missing.has(plain.path)) return;
    const isLinked = place.isLinked || plain.isLinked;
    const folder = path === "" ? place.name : `${place.name}${path.startsWith("/") ? "" : "/"}${path}`;
    if (at < 0) return find({ path: plain.path, name: folder, isLinked });
    for (const { name } of this.#entries(plain.path)) {
      if (!mayExpandTo(names[at] ?? "", name)) continue;
      const entry = this.#resolve(below(plain.path), name);
      if (entry === undefined) continue;
      const next = { path: entry.path, name: `${folder}/${name}`, isLinked: isLinked || entry.isLinked };
      this.#expand(next, names.slice(at + 1), find);
    }
  }

  /** Not `readdir`, which reads a directory of a million files before anything can be counted. */
  #entries(folder: string): readonly Dirent[] {
    let directory: Dir;
    try {
      directory = opendirSync(folder, { bufferSize: ENTRIES_AT_ONCE });
    } catch {
      return [];
    }
    const entries: Dirent[] = [];
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        entries.push(entry);
        if (entries.length > this.#entriesLeft) throw new LimitReached();
      }
    } finally {
      directory.closeSync();
    }
    this.#entriesLeft -= entries.length + 1;
    return entries;
  }
}

interface Place {
  readonly path: string;
  /** A link led there. */
  readonly isLinked: boolean;
}

interface NamedPlace extends Place {
  /** As the pattern reaches it. */
  readonly name: string;
}

class LimitReached extends Error {}

function withinLimits<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof LimitReached) return undefined;
    throw error;
  }
}

const below = (path: string): string => (path === "/" ? "" : path);

const parentOf = (path: string): string => below(dirname(path === "" ? "/" : path));
