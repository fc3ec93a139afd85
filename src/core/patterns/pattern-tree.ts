/** The parts of a parsed pattern. */
import type { CharSet } from "./char-set.ts";

export type Assertion = "text-start" | "text-end" | "line-start" | "line-end" | "word-boundary" | "not-word-boundary";

export type PatternNode =
  /** `literal` is its one character if there is only one. */
  | { readonly type: "char"; readonly set: CharSet; readonly literal: string | null }
  | { readonly type: "assertion"; readonly assertion: Assertion }
  | { readonly type: "all"; readonly parts: readonly PatternNode[] }
  | { readonly type: "any"; readonly parts: readonly PatternNode[] }
  /** `max` is Infinity without a limit. */
  | { readonly type: "repeat"; readonly part: PatternNode; readonly min: number; readonly max: number };

/**
 * Texts that every match contains, in their order and without overlap, and whether every match begins with the first of them. A search for
 * them is much faster than the matcher.
 */
export interface RequiredTexts {
  readonly texts: readonly string[];
  readonly isPrefix: boolean;
}

/** Further ones are not used. */
const requiredMax = 16;

export function requiredTexts(node: PatternNode): RequiredTexts {
  const runs = runsOf(node).slice(0, requiredMax);
  return { texts: runs.map(({ text }) => text), isPrefix: runs[0]?.starts === true };
}

interface Run {
  readonly text: string;
  /** Nothing of the node comes before it. */
  readonly starts: boolean;
  /** Nothing of the node comes behind it. */
  readonly ends: boolean;
}

/** Texts that every match of the node contains, in their order. */
function runsOf(node: PatternNode): readonly Run[] {
  switch (node.type) {
    case "char":
      return node.literal === null ? [] : [{ text: node.literal, starts: true, ends: true }];
    case "all":
      return runsOfAll(node.parts);
    case "repeat":
      if (node.min === 0) return [];
      return node.min === 1 && node.max === 1
        ? runsOf(node.part)
        : runsOf(node.part).map((run) => ({ ...run, ends: false }));
    case "any":
    case "assertion":
      return [];
  }
}

function runsOfAll(parts: readonly PatternNode[]): readonly Run[] {
  const runs: Run[] = [];
  let consumed = false;
  for (const part of parts) {
    const own = runsOf(part);
    const [first, ...rest] = own;
    const last = runs.at(-1);
    if (first !== undefined) {
      const joins = first.starts && last?.ends === true;
      if (joins) runs[runs.length - 1] = { text: last.text + first.text, starts: last.starts, ends: first.ends };
      else runs.push({ ...first, starts: first.starts && !consumed });
      runs.push(...rest.map((run) => ({ ...run, starts: false })));
    }
    const isWhole = first !== undefined && own.length === 1 && first.starts && first.ends;
    const now = runs.at(-1);
    // What is not one whole text separates the runs before and behind it.
    if (!isWhole && now !== undefined && own.at(-1)?.ends !== true) runs[runs.length - 1] = { ...now, ends: false };
    consumed ||= part.type !== "assertion";
  }
  return runs;
}
