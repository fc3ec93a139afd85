/** Comments on lines of a diff, as one prompt for the agent that has written it. */

export interface LineComment {
  readonly path: string;
  /** Of the new file; of the old one if the line was removed. */
  readonly line: number;
  readonly isRemoved: boolean;
  /** The line, which the agent may have moved meanwhile. */
  readonly code: string;
  readonly text: string;
}

/** Of a longer line its beginning is quoted. */
const CODE_CHARS_MAX = 200;

/** In the order of the files and lines. */
export function reviewPrompt(comments: readonly LineComment[]): string {
  const ordered = comments.toSorted((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1));
  const parts = ordered.map(({ code, isRemoved, line, path, text }) => {
    const removed = isRemoved ? " (removed)" : "";
    return `${path}:${line}${removed}\n> ${code.trim().slice(0, CODE_CHARS_MAX)}\n${text.trim()}`;
  });
  return ["Review comments on your changes. Please address each of them:", ...parts].join("\n\n");
}

/** What an agent is asked for if its branch does not merge into `into`. */
export const conflictPrompt = (into: string): string =>
  `Merge the branch ${into} into your branch, resolve the conflicts so that what both sides intend is kept, and commit the merge.`;
