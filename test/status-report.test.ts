/** What `npm run report:status` measures, with a floor for each recording of the fixtures. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { measureStatus, readTruth } from "./status-truth.ts";
import { eachNth } from "./support/searches.ts";

/** Continue shows a question on for 0.4 s when Shift+Tab has answered it: the answer is found too late. */
const unansweredMax: Record<string, number> = { "continue-asks-100x30": 1 };

/** Shares of the time of the recording; the others stay below `wrongMax` and `unknownMax`. */
const exceptions: Record<string, { readonly wrong: number; readonly unknown: number }> = {
  // Ctrl-C leaves Cline's screen and hangs; bash is back two seconds before the driver sees it.
  "cline-faults-80x24": { wrong: 0.045, unknown: 0.025 },
  "cline-events-80x24": { wrong: 0.01, unknown: 0.025 },
  // The box of the second agent stands there before the driver notes it.
  "claude-two-80x24": { wrong: 0.018, unknown: 0.01 },
};
const wrongMax = 0.01;
const unknownMax = 0.01;

/** The long ones of each agent and what differs from them; the report covers all. */
const runs = /-(?:(?:main|faults|two)-80x24|(?:asks|breaks|reads|mimic|chains|stops)-\d+x\d+)\.json$/;
const folder = join(import.meta.dirname, "fixtures", "recordings");
const names = readdirSync(folder)
  .filter((file) => runs.test(file))
  .map((file) => file.replace(/\.json$/, ""))
  .filter((name) => readTruth(name)?.states !== undefined);
/** What is always measured: the longest run of each agent, its questions, and what has an exception. */
const isFirst = (name: string): boolean => /-(?:main|asks)-/.test(name) || name in exceptions;
const others = names.filter((name) => !isFirst(name));

for (const name of [...names.filter(isFirst), ...eachNth(others, 4)]) {
  test(`${name}: no dialog is taken for waiting, none is missed or invented, the state is right`, () => {
    const figures = measureStatus(name);
    const { wrong, unknown } = exceptions[name] ?? { wrong: wrongMax, unknown: unknownMax };
    assert.equal(figures.missedBlocked, 0);
    assert.ok(
      figures.wrong <= wrong * figures.seconds,
      `wrong for ${figures.wrong.toFixed(2)} s:\n${figures.pieces.join("\n")}`,
    );
    assert.ok(figures.unknown <= unknown * figures.seconds, `unknown for ${figures.unknown.toFixed(2)} s`);
    const { truth, found, missed, invented, rightAnswers } = figures.approvals;
    const unanswered = unansweredMax[name] ?? 0;
    assert.deepEqual(
      { found, missed, invented, rightAnswers },
      { found: truth - unanswered, missed: unanswered, invented: unanswered, rightAnswers: truth - unanswered },
    );
  });
}

test("there are recordings of nine agents with ground truth", () => {
  const agents = new Set(names.map((name) => name.split("-")[0]));
  assert.deepEqual(
    [...agents].toSorted((one, two) => (one ?? "").localeCompare(two ?? "")),
    ["claude", "cline", "codex", "continue", "copilot", "gemini", "opencode", "pi", "qwen"],
  );
  assert.ok(names.every((name) => readTruth(name) !== null));
});
