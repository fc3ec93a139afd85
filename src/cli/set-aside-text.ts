import { visibleText } from "../core/gate/visible-text.ts";

const PATH_CHARS_MAX = 4096;

/** The program chose the name. */
const shown = (path: string): string => visibleText(JSON.stringify(path), PATH_CHARS_MAX);

/** What a sandbox has set aside at the end of its session, and what to do with it. */
export const setAsideText = (paths: readonly string[]): string =>
  `SET ASIDE: the program put there what could run something at your next command: ${paths.map(shown).join(", ")}. Its name (that of the ".git" or "HEAD" of a repository) ends in "-from-sandbox" now: read it, and rename it to use it`;
