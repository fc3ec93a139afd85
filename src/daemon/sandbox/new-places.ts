/**
 * Places that something executes later (`executedLater`), and that did not exist when a sandbox was made: a program inside may make them, and
 * they are renamed at the end of its session, so that nothing of a person executes them unread.
 */
import { dirname, join } from "node:path";
import { executedLater } from "../../core/sandbox/executed-later.ts";
import { realPath, statsOf } from "./mount-table.ts";
import { putAside } from "./put-aside.ts";

const names = executedLater.flatMap(({ missing, name }) => (missing === "set-aside" ? [name] : []));

/** Those that are there: they are read-only inside, and stay at the end. */
export const presentPlaces = (root: string): readonly string[] =>
  names.filter((name) => statsOf(join(root, name)) !== undefined);

/** Sets aside those that were not there at the start, and are not held for another session. Returns their paths. */
export function setAsidePlaces(
  root: string,
  present: ReadonlySet<string>,
  isHeld: (path: string) => boolean = () => false,
): readonly string[] {
  const made = names
    .filter((name) => !present.has(name))
    .map((name) => join(root, name))
    // Behind a link is nothing of this directory.
    .filter((path) => !isHeld(path) && statsOf(path) !== undefined && realPath(dirname(path)) === dirname(path));
  for (const path of made) putAside(path);
  return made;
}
