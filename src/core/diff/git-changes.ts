/** Reads what `git diff --raw -z` and `git diff --numstat -z` print: one entry for each file. Names are as git has them, and are not trusted. */

type ChangeType = "added" | "changed" | "removed" | "renamed" | "type-changed";

export interface RawChange {
  readonly type: ChangeType;
  readonly path: string;
  /** The name that it had; null if it is not renamed. */
  readonly from: string | null;
  /** A commit of another repository (a submodule). */
  readonly isSubmodule: boolean;
}

export interface LineCounts {
  /** Null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
}

const types: Readonly<Record<string, ChangeType>> = {
  A: "added",
  C: "added",
  D: "removed",
  M: "changed",
  R: "renamed",
  T: "type-changed",
  U: "changed",
};
const SUBMODULE_MODE = "160000";

/** Entries `:MODE MODE HASH HASH STATUS NUL PATH NUL`, and with two paths for a rename. What was cut off at the end is left out. */
export function readRawChanges(text: string): RawChange[] {
  const parts = text.split("\0");
  const changes: RawChange[] = [];
  for (let at = 0; at + 2 < parts.length;) {
    const [before = "", after = "", , , status = ""] = (parts[at] ?? "").replace(/^:/, "").split(" ");
    const type = types[status.slice(0, 1)];
    const first = parts[at + 1] ?? "";
    const hasTwo = status.startsWith("R") || status.startsWith("C");
    const second = hasTwo ? parts[at + 2] : first;
    at += hasTwo ? 3 : 2;
    if (type === undefined || second === undefined) break;
    changes.push({
      type,
      path: second,
      from: type === "renamed" ? first : null,
      isSubmodule: before === SUBMODULE_MODE || after === SUBMODULE_MODE,
    });
  }
  return changes;
}

/** Lines by the new name: `ADDED TAB REMOVED TAB PATH NUL`, and for a rename `ADDED TAB REMOVED TAB NUL FROM NUL TO NUL`. */
export function readLineCounts(text: string): Map<string, LineCounts> {
  const parts = text.split("\0");
  const counts = new Map<string, LineCounts>();
  for (let at = 0; at + 1 < parts.length; at++) {
    const [added = "", removed = "", ...rest] = (parts[at] ?? "").split("\t");
    const isRename = rest.join("\t") === "";
    const path = isRename ? parts[at + 2] : rest.join("\t");
    if (isRename) at += 2;
    if (path !== undefined) counts.set(path, { added: countOf(added), removed: countOf(removed) });
  }
  return counts;
}

const countOf = (text: string): number | null => (/^\d+$/.test(text) ? Number(text) : null);
