/**
 * The budget of source lines: each floor of `src/` and the sum of all may only shrink. The numbers are in `source-lines.json`.
 *
 * Counted are the lines of `.ts` and `.tsx` without tests, blank lines and comments included. Style sheets are not: a page may look better
 * without a cut elsewhere. `src` is for the files directly in `src/`.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { test } from "node:test";
import { root } from "./documents.ts";

type Budget = Readonly<Record<string, number>>;

const FILE = "test/source-lines.json";
const CHANGELOG = "CHANGELOG.md";
/** A number may lag behind its floor by this much, so that a small cut needs no second file. */
const LAG_LINES_MAX = 100;
/** They raised it by a few lines in a rebase, which the next change of the file took back. */
const TAKEN_BACK: ReadonlySet<string> = new Set([
  "762241f1d2d4a87af3610dc8a7e445b5ae2f984c",
  "2fbf113eab82eef0a7ea355c49ec5c09b13ad14e",
]);
/** Older commits were checked when they were new. */
const HISTORY_COMMITS_MAX = 20;

/** What to do about the numbers, one line for each that is wrong. */
function problemsOf(budget: Budget, counted: Budget): string[] {
  const floors = new Set([...Object.keys(counted), ...Object.keys(budget)]);
  return [...floors].flatMap((floor) => {
    const [written, lines] = [budget[floor] ?? 0, counted[floor] ?? 0];
    const write = `write "${floor}": ${lines} in ${FILE}`;
    if (lines > written) {
      const reason = `"${floor}" has ${lines} lines, ${lines - written} more than its budget`;
      return [`${reason}: remove lines, or ${write} and a line under "### Added" of ${CHANGELOG} in the same commit`];
    }
    return lines < written - LAG_LINES_MAX ? [`"${floor}" has ${written - lines} lines fewer: ${write}`] : [];
  });
}

/** Whether a commit may change the numbers so. A floor may grow without a reason if the sum does not: lines were moved. */
const mayChange = (before: Budget, after: Budget, hasAdded: boolean): boolean =>
  hasAdded || (after["total"] ?? 0) <= (before["total"] ?? 0);

/** The lines under each "### Added". */
const addedLines = (changelog: string): Set<string> =>
  new Set(
    [...changelog.matchAll(/^### Added\n(.*?)(?=^##|$(?![\s\S]))/gms)].flatMap(([, text]) => text?.split("\n") ?? []),
  );

const git = (...words: string[]): string =>
  execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const readAt = (commit: string | undefined, file: string): string =>
  commit === undefined ? readFileSync(join(root, file), "utf8") : git("show", `${commit}:${file}`);

const budgetAt = (commit: string | undefined): Budget => JSON.parse(readAt(commit, FILE)) as Budget;

function linesOfFloors(): Budget {
  const lines: Record<string, number> = { total: 0 };
  for (const path of globSync("src/**/*.{ts,tsx}", { cwd: root })) {
    if (/\.test\.tsx?$/.test(path)) continue;
    const [, floor = "", ...inside] = path.split(sep);
    const name = inside.length > 0 ? floor : "src";
    const count = readFileSync(join(root, path), "utf8").split("\n").length - 1;
    lines[name] = (lines[name] ?? 0) + count;
    lines["total"] = (lines["total"] ?? 0) + count;
  }
  return lines;
}

test("no floor of src, and not their sum, has more lines than its budget", () => {
  assert.deepEqual(problemsOf(budgetAt(undefined), linesOfFloors()), []);
});

test("a commit that raises the budget has a new line under Added in the changelog", (context) => {
  let commits: string[];
  try {
    commits = git("log", "--no-merges", "--format=%H", `--max-count=${HISTORY_COMMITS_MAX}`, "--", FILE).split("\n");
    if (git("rev-parse", "--is-shallow-repository").trim() === "true") throw new Error("the clone is shallow");
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    context.diagnostic(`not checked: this clone has no history (${reason}); run "git fetch --unshallow"`);
    return;
  }
  const changes = [
    { before: "HEAD", after: undefined, name: "the working tree" },
    ...commits
      .filter((commit) => commit !== "" && !TAKEN_BACK.has(commit))
      .map((commit) => ({ before: `${commit}^`, after: commit, name: commit })),
  ];
  const wrong = changes.filter(({ before, after }) => {
    if (git("ls-tree", "--name-only", before, FILE) === "") return false;
    const known = addedLines(readAt(before, CHANGELOG));
    const hasAdded = [...addedLines(readAt(after, CHANGELOG))].some((line) => !known.has(line));
    return !mayChange(budgetAt(before), budgetAt(after), hasAdded);
  });
  assert.deepEqual(
    wrong.map(
      ({ name }) => `${name} raises "total": name what was added under "### Added" of ${CHANGELOG}, in the same commit`,
    ),
    [],
  );
});

test("the budget reports a floor that grows, one that shrinks and one that is not in it", () => {
  const budget = { core: 10, daemon: 90_000, total: 90_010 };
  assert.deepEqual(problemsOf(budget, { core: 10, daemon: 90_000 - LAG_LINES_MAX, total: 90_010 }), []);
  const problems = problemsOf(budget, { core: 11, daemon: 80_000, disk: 3, total: 90_010 });
  assert.deepEqual(
    problems.map((problem) => problem.split(":")[0]),
    [
      '"core" has 11 lines, 1 more than its budget',
      '"daemon" has 10000 lines fewer',
      '"disk" has 3 lines, 3 more than its budget',
    ],
  );
  assert.match(problems[1] ?? "", /: write "daemon": 80000 in test\/source-lines\.json$/);
});

test("the sum rises only with a line under Added, and lines may move between floors", () => {
  assert.equal(mayChange({ core: 1, total: 1 }, { core: 2, total: 2 }, false), false);
  assert.equal(mayChange({ core: 1, total: 1 }, { core: 2, total: 2 }, true), true);
  assert.equal(mayChange({ core: 1, disk: 2, total: 3 }, { core: 2, disk: 1, total: 3 }, false), true);
  const changelog =
    "# Changelog\n\n## Unreleased\n\n### Added\n\n- New.\n\n### Changed\n\n- Other.\n\n## 1\n\n### Added\n\n- Old.\n";
  assert.deepEqual(addedLines(changelog), new Set(["", "- New.", "- Old."]));
});
