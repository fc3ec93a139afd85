import { visibleText } from "../core/gate/visible-text.ts";

const PATH_CHARS_MAX = 4096;

/** The program chose the name. */
const shown = (path: string): string => visibleText(JSON.stringify(path), PATH_CHARS_MAX);

/** What a sandbox has set aside at the end of its session, and what to do with it. */
export const setAsideText = (directories: readonly string[]): string =>
  `SET ASIDE: the program put ${directories.length === 1 ? "a repository" : "repositories"} there that could run something at your next "git status": ${directories.map(shown).join(", ")}. The name of its ".git" (or "HEAD") ends in "-from-sandbox" now: read its settings and hooks, and rename it to use it`;
