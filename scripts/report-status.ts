/** Prints the confusion matrix of status and approvals over recordings with ground truth: `npm run report:status [DIRECTORY] [--pieces]`. */
import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { STATUS_STATES } from "../src/core/status/status.ts";
import { emptyMatrix, measureStatus, readTruth, TRUE_STATES, type StatusFigures } from "../test/status-truth.ts";

const words = process.argv.slice(2);
const folder = resolve(
  words.find((word) => !word.startsWith("--")) ?? join(import.meta.dirname, "../test/fixtures/recordings"),
);
const names = [...new Set(readdirSync(folder).filter((file) => /\.cast(?:\.gz)?$/.test(file)))]
  .map((file) => join(folder, file.replace(/\.cast(?:\.gz)?$/, "")))
  .filter((name) => readTruth(name)?.states !== undefined)
  .toSorted((one, two) => one.localeCompare(two));

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(whole, 1e-9)).toFixed(2)} %`;
const sum = (all: readonly StatusFigures[], value: (figures: StatusFigures) => number): number =>
  all.reduce((total, figures) => total + value(figures), 0);

const all = names.map((name) => measureStatus(name));
console.log(
  "recording                        seconds   wrong   unknown  missed-blocked  approvals found/missed/invented/right-answer",
);
for (const figures of all) {
  const { approvals } = figures;
  console.log(
    [
      (figures.name.split("/").at(-1) ?? "").padEnd(32),
      figures.seconds.toFixed(1).padStart(7),
      percent(figures.wrong, figures.seconds).padStart(8),
      percent(figures.unknown, figures.seconds).padStart(8),
      figures.missedBlocked.toFixed(2).padStart(12),
      `   ${approvals.found}/${approvals.missed}/${approvals.invented}/${approvals.rightAnswers} of ${approvals.truth}`,
    ].join(" "),
  );
  if (words.includes("--pieces")) for (const piece of figures.pieces) console.log(`    ${piece}`);
}

const seconds = sum(all, (figures) => figures.seconds);
console.log(`\nseconds       ${STATUS_STATES.map((state) => state.padStart(9)).join("")}`);
for (const truth of TRUE_STATES) {
  const row = emptyMatrix()[truth];
  for (const state of STATUS_STATES) row[state] = sum(all, ({ matrix }) => matrix[truth][state]);
  console.log(truth.padEnd(13), STATUS_STATES.map((state) => row[state].toFixed(1).padStart(9)).join(""));
}
const lagsText = (given: readonly number[]): string => {
  const lags = given.toSorted((one, two) => one - two);
  const at = (share: number): string => (lags[Math.floor(share * (lags.length - 1))] ?? 0).toFixed(0);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, max ${at(1)} (${lags.length} turns)`;
};
console.log(
  `\nwrong ${percent(
    sum(all, ({ wrong }) => wrong),
    seconds,
  )}, unknown ${percent(
    sum(all, ({ unknown }) => unknown),
    seconds,
  )} of ${seconds.toFixed(0)} s`,
);
console.log(`waiting or idle while blocked: ${sum(all, ({ missedBlocked }) => missedBlocked).toFixed(2)} s`);
console.log(
  `approvals: ${sum(all, ({ approvals }) => approvals.found)} of ${sum(all, ({ approvals }) => approvals.truth)} found, ` +
    `${sum(all, ({ approvals }) => approvals.missed)} missed, ${sum(all, ({ approvals }) => approvals.invented)} invented, ` +
    `${sum(all, ({ approvals }) => approvals.rightAnswers)} with the right answer`,
);
console.log(`last byte of the model to waiting, ms: ${lagsText(all.flatMap(({ waitingLagMs }) => waitingLagMs))}`);
console.log(`last byte of the agent to waiting, ms: ${lagsText(all.flatMap(({ silentLagMs }) => silentLagMs))}`);
