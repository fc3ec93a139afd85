/** What a sandbox has set aside at the end of its session, and what to do with it. */
export const setAsideText = (directories: readonly string[]): string =>
  `SET ASIDE: the program put ${directories.length === 1 ? "a repository" : "repositories"} there that could run something at your next "git status": ${directories.join(", ")}. Its settings and hooks are in ".git-from-sandbox": read them, and rename it to ".git" to use it`;
