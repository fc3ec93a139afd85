/** Reads the patch of one file as `git diff` prints it: hunks of lines with their numbers, and pairs of them for two columns. */

type PatchLineKind = "same" | "added" | "removed" | "note";

export interface PatchLine {
  readonly kind: PatchLineKind;
  /** Without the sign at its beginning. */
  readonly text: string;
  /** From 1; null on the side where the line is not. */
  readonly oldNumber: number | null;
  readonly newNumber: number | null;
}

export interface PatchHunk {
  /** What git puts behind `@@`: the function around it. */
  readonly heading: string;
  readonly lines: readonly PatchLine[];
}

/** Two lines of one row; null where a side has none. */
export interface PatchPair {
  readonly left: PatchLine | null;
  readonly right: PatchLine | null;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** Lines outside of hunks are left out. A hunk ends where its counts say, so no line of a file is taken for one of the patch. */
export function readPatch(patch: string): PatchHunk[] {
  const hunks: { heading: string; lines: PatchLine[] }[] = [];
  let oldNumber = 0;
  let newNumber = 0;
  let oldLeft = 0;
  let newLeft = 0;
  for (const line of patch.split("\n")) {
    const hunk = hunks.at(-1);
    if (hunk !== undefined && line.startsWith("\\")) {
      hunk.lines.push({ kind: "note", text: line.slice(2), oldNumber: null, newNumber: null });
      continue;
    }
    if (hunk === undefined || (oldLeft <= 0 && newLeft <= 0)) {
      const found = HUNK.exec(line);
      if (found === null) continue;
      [oldNumber, newNumber] = [Number(found[1]), Number(found[3])];
      [oldLeft, newLeft] = [Number(found[2] ?? 1), Number(found[4] ?? 1)];
      hunks.push({ heading: found[5] ?? "", lines: [] });
      continue;
    }
    const text = line.slice(1);
    if (line.startsWith("+")) {
      hunk.lines.push({ kind: "added", text, oldNumber: null, newNumber: newNumber++ });
      newLeft--;
    } else if (line.startsWith("-")) {
      hunk.lines.push({ kind: "removed", text, oldNumber: oldNumber++, newNumber: null });
      oldLeft--;
    } else if (line.startsWith(" ")) {
      hunk.lines.push({ kind: "same", text, oldNumber: oldNumber++, newNumber: newNumber++ });
      oldLeft--;
      newLeft--;
    }
  }
  return hunks;
}

/** The rows of two columns: removed lines beside the added ones that follow them. */
export function pairLines(lines: readonly PatchLine[]): PatchPair[] {
  const pairs: PatchPair[] = [];
  let removed: PatchLine[] = [];
  const flush = (): void => {
    for (const line of removed) pairs.push({ left: line, right: null });
    removed = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") pairs.push({ left: removed.shift() ?? null, right: line });
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}
