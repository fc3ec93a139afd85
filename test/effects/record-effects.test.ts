/**
 * A tracer judges the records of programs: texts are generated from each option of each record, and each effect that they have is one that
 * the record predicts. `LECTERN_EFFECTS_RECORD_TEXTS` texts; `LECTERN_EFFECTS_SEED` for others than the usual ones.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCanaryTree } from "./canary-tree.ts";
import { controlProblems, controls, withControls } from "./control-texts.ts";
import { predict } from "./predicted-effects.ts";
import { recordSources, recordTexts } from "./record-texts.ts";
import { traceTexts, type TracedText } from "./tracing-box.ts";

const count = Number(process.env["LECTERN_EFFECTS_RECORD_TEXTS"] ?? 200);
const seed = Number(process.env["LECTERN_EFFECTS_SEED"] ?? 1);
const single = process.env["LECTERN_EFFECTS_TEXT"];
const SURPRISES_SHOWN_MAX = 40;
const OPTIONS_SHOWN_MAX = 400;
const OVER_PREDICTED_SHARE_MAX = 0.1;
/** Fewer say nothing. */
const OVER_PREDICTED_MIN = 10;
const BATCH_TEXTS = 1_000;

test("what a program does is not covered by what another text predicts", async () => {
  await using tree = await makeCanaryTree();
  const rows = [
    ["sort -o lf README.md", "sort lf README.md"],
    ["cat lf", "cat README.md"],
    ["mv untracked.txt t", "cp untracked.txt t"],
    ["git mv evil src/e", "git mv evil src/f"],
    ["env cat README.md", "env sort README.md"],
  ] as const;
  const { texts } = await traceTexts(
    tree,
    rows.map(([text]) => text),
  );
  const uncovered = texts.map(({ effects }, at) => {
    const [own = "", other = ""] = rows[at] ?? [];
    const missed = (text: string): number => effects.filter((effect) => !predict(text, tree).covers(effect)).length;
    return [missed(own), missed(other) > 0];
  });
  assert.deepEqual(
    uncovered,
    rows.map(() => [0, true]),
  );
});

test("each effect of a program is predicted by its record", { timeout: 10_800_000 }, async (t) => {
  await using tree = await makeCanaryTree();
  const sources = recordSources();
  const texts = single === undefined ? recordTexts(sources, count, seed) : [single];
  /** The first of each kind for a program. */
  const surprises = new Map<string, string>();
  const completed: string[] = [];
  const unseen: string[] = [];
  let [executed, open, writes, seconds] = [0, 0, 0, 0];
  const judge = ({ text, effects, exitStatus }: TracedText): void => {
    const prediction = predict(text, tree);
    if (prediction.isWithoutRecord) return;
    executed += 1;
    if (prediction.isOpen) open += 1;
    const surprise = effects.find((effect) => !prediction.covers(effect));
    if (surprise !== undefined)
      surprises.set(
        `${text.split(" ", text.startsWith("git ") ? 2 : 1).join(" ")} ${surprise.kind}`,
        `${JSON.stringify(text)}: ${surprise.kind} ${surprise.target}\n    ${surprise.line}`,
      );
    if (exitStatus !== 0) return;
    completed.push(text);
    // Behind a question for help nothing is done, and control texts remove what they make.
    if (prediction.isOpen || /--(?:help|version)\b/.test(text) || Object.hasOwn(controls, text)) return;
    writes += prediction.writes.length;
    const seen = new Set(effects.filter(({ kind }) => kind === "write").map(({ target }) => target));
    const missed = prediction.writes.filter((paths) => !paths.some((path) => seen.has(path)));
    unseen.push(...missed.map(([path]) => `${JSON.stringify(text)}: ${path}`));
  };
  for (let from = 0; from < texts.length; from += BATCH_TEXTS) {
    const traced = await traceTexts(tree, withControls(texts.slice(from, from + BATCH_TEXTS)));
    assert.deepEqual(controlProblems(traced.texts), [], "the tracer does not see what control texts do");
    assert.deepEqual(
      traced.texts.filter(({ isLate }) => isLate).map(({ text }) => text),
      [],
      "texts did not end in time",
    );
    seconds += traced.processorSeconds;
    traced.texts.forEach(judge);
  }
  const words = new Set(completed.flatMap((text) => text.split(/[ =]/)));
  const options = sources.flatMap((source) => source.options.map(({ names }) => ({ words: source.words, names })));
  const never = options.filter(({ names }) => !names.some((name) => words.has(name)));
  t.diagnostic(
    `seed ${seed}: ${executed} texts of ${sources.length} records in ${seconds.toFixed(1)} s of processor time, ${completed.length} with exit code 0`,
  );
  t.diagnostic(`${open} have an effect unknown or code; ${unseen.length} of ${writes} predicted writes were not seen`);
  const named = never.map((option) => `${option.words} ${option.names.join("|")}`).slice(0, OPTIONS_SHOWN_MAX);
  t.diagnostic(
    `${never.length} of ${options.length} options are in no text with exit code 0${texts.length < options.length ? "" : `: ${named.join(", ")}`}`,
  );
  if (single === undefined) assert.ok(completed.length > executed / 3, `${completed.length} of ${executed} completed`);
  assert.equal(
    surprises.size,
    0,
    `${surprises.size} kinds of effects were not predicted:\n${[...surprises.values()].slice(0, SURPRISES_SHOWN_MAX).join("\n")}`,
  );
  const unseenMax = Math.max(OVER_PREDICTED_MIN, writes * OVER_PREDICTED_SHARE_MAX);
  assert.ok(
    unseen.length <= unseenMax,
    `${unseen.length} of ${writes} predicted writes were not seen:\n${unseen.slice(0, SURPRISES_SHOWN_MAX).join("\n")}`,
  );
});
