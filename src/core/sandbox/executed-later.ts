/**
 * The places that some program executes, or reads to know what to execute, without a command that names them: a sandbox protects them, and a
 * policy may ask about them. They are data (`executed-later.yaml`), and this is their only reader.
 */
import { executedLaterData } from "./executed-later-data.ts";

export interface ExecutedLaterData {
  readonly project: Readonly<Record<MissingPlace, Readonly<Record<string, string>>>>;
  readonly home: string;
}

/** What happens to a place that does not exist when a sandbox is made: see the file. */
type MissingPlace = "held" | "memory" | "set-aside";

export interface ExecutedLaterPlace {
  /** Relative to the directory of the project. */
  readonly name: string;
  /** Who executes it, for people. */
  readonly by: string;
  readonly missing: MissingPlace;
}

export const executedLater: readonly ExecutedLaterPlace[] = (["held", "memory", "set-aside"] as const).flatMap(
  (missing) =>
    Object.entries(executedLaterData.project[missing]).flatMap(([by, names]) =>
      names.split(" ").map((name) => ({ name, by, missing })),
    ),
);

/** Of the home directory: what a login, a shell, an editor or a tool reads to run something. A slash at the end makes it a directory. */
export const homePlaces: readonly string[] = executedLaterData.home.split(" ");

const byName = new Map(executedLater.map((place) => [place.name, place]));

const PARTS_MAX = 3;

/** The first part of a relative path, or of the end of it, that is one of the list, as `.npmrc` in `packages/a/.npmrc`; undefined if none is. */
export function executedLaterIn(path: string): { readonly path: string; readonly by: string } | undefined {
  const parts = path.split("/");
  for (let end = 1; end <= parts.length; end += 1) {
    for (let from = end - 1; from >= Math.max(0, end - PARTS_MAX); from -= 1) {
      const place = byName.get(parts.slice(from, end).join("/"));
      if (place !== undefined) return { path: parts.slice(0, end).join("/"), by: place.by };
    }
  }
  return undefined;
}
