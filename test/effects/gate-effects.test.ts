/**
 * A tracer judges the gate: real bash executes generated texts under strace in a bubblewrap, and what a policy allows has no effect that the
 * policy promises not to allow. `LECTERN_EFFECTS_TEXTS` texts, `LECTERN_EFFECTS_SEED` for others than the usual ones, and
 * `LECTERN_EFFECTS_TEXT` for one text alone: it prints what it did and which policies allow it.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { makeCanaryTree, type CanaryTree } from "./canary-tree.ts";
import { controlProblems, controls, shortForms, withControls } from "./control-texts.ts";
import { commandSources, generateTexts } from "./generated-commands.ts";
import { judgeTexts } from "./judged-texts.ts";
import { breachOf, type PolicyName } from "./policy-promises.ts";
import { predict } from "./predicted-effects.ts";
import { traceTexts, tracingProblem, type TracedText } from "./tracing-box.ts";

const count = Number(process.env["LECTERN_EFFECTS_TEXTS"] ?? 400);
const seed = Number(process.env["LECTERN_EFFECTS_SEED"] ?? 1);
const single = process.env["LECTERN_EFFECTS_TEXT"];
/** Traces that are in memory at a time. */
const BATCH_TEXTS = 1_000;
const BREACHES_SHOWN_MAX = 20;

interface JudgedText extends TracedText {
  readonly policies: readonly PolicyName[];
}

/** How many texts a policy allows, and of how many the records do not say all that they do. */
interface AllowedTexts {
  readonly count: number;
  readonly open: number;
}

interface Hunt {
  readonly breaches: readonly string[];
  readonly executed: number;
  /** Those that ended with exit code 0. */
  readonly completed: number;
  readonly allowed: Readonly<Partial<Record<PolicyName, AllowedTexts>>>;
  readonly processorSeconds: number;
}

/** Judges and executes texts; throws for a tracer that does not see everything. */
async function judgeAndTrace(tree: CanaryTree, texts: readonly string[]): Promise<[readonly JudgedText[], number]> {
  const policies = new Map(judgeTexts(tree, texts).map((allowedBy, at) => [texts[at] ?? "", allowedBy]));
  const allowed = texts.filter((text) => policies.get(text)?.length !== 0);
  const { texts: traced, processorSeconds } = await traceTexts(tree, withControls(allowed));
  const late = traced.filter(({ isLate }) => isLate).map(({ text }) => text);
  assert.deepEqual(late, [], "texts did not end in time, so their traces are not whole");
  assert.deepEqual(controlProblems(traced), [], "the tracer does not see what control texts do");
  const hidden = traced.filter(({ effects }) => effects.some(({ kind }) => kind === "hidden"));
  assert.deepEqual(
    hidden.map(({ text }) => text),
    [],
    "io_uring hides from each tracer which files a program opens",
  );
  return [traced.map((result) => ({ ...result, policies: policies.get(result.text) ?? [] })), processorSeconds];
}

/** One line for each class of a breach in a text. */
function breachesOf({ text, effects, policies }: JudgedText): readonly string[] {
  const found = policies.flatMap((policy) =>
    effects.flatMap((effect) => {
      const breach = breachOf(policy, effect, text);
      return breach === undefined ? [] : [[`${policy} ${breach}`, effect.line] as const];
    }),
  );
  return [...new Map(found.toReversed())].map(
    ([breach, line]) =>
      `${breach}: ${JSON.stringify(text)}\n    ${line}\n    LECTERN_EFFECTS_TEXT=${JSON.stringify(text)} npm test -- test/effects/gate-effects.test.ts`,
  );
}

async function hunt(tree: CanaryTree): Promise<Hunt> {
  const texts = [...new Set(generateTexts(commandSources(), count, seed))];
  const breaches: string[] = [];
  const allowed: Partial<Record<PolicyName, AllowedTexts>> = {};
  let [executed, completed, processorSeconds] = [0, 0, 0];
  for (let from = 0; from < texts.length; from += BATCH_TEXTS) {
    const [results, seconds] = await judgeAndTrace(tree, texts.slice(from, from + BATCH_TEXTS));
    processorSeconds += seconds;
    executed += results.length;
    completed += results.filter(({ exitStatus }) => exitStatus === 0).length;
    for (const { policies, text } of results) {
      const { isOpen, isWithoutRecord } = predict(text, tree);
      for (const policy of policies) {
        const { count: known, open } = allowed[policy] ?? { count: 0, open: 0 };
        allowed[policy] = { count: known + 1, open: open + (isOpen || isWithoutRecord ? 1 : 0) };
      }
    }
    breaches.push(...results.flatMap(breachesOf));
  }
  return { breaches, executed, completed, allowed, processorSeconds };
}

async function showOne(context: TestContext, tree: CanaryTree, text: string): Promise<void> {
  const [results] = await judgeAndTrace(tree, [text]);
  const shown = results.find((result) => result.text === text);
  assert.ok(shown !== undefined, "no policy allows the text, so it was not executed");
  context.diagnostic(`exit ${shown.exitStatus}, allowed by ${shown.policies.join(", ")}`);
  for (const line of shortForms(shown.effects)) context.diagnostic(line);
  assert.deepEqual(breachesOf(shown), []);
}

test("strace works in bubblewrap", () => {
  assert.equal(tracingProblem(), undefined, "install strace and bubblewrap, and allow user namespaces and ptrace");
});

test("each effect of the control texts is seen, and no other", async () => {
  await using tree = await makeCanaryTree();
  const { texts } = await traceTexts(tree, Object.keys(controls));
  assert.deepEqual(Object.fromEntries(texts.map(({ text, effects }) => [text, shortForms(effects)])), controls);
});

test(
  "no text that a policy allows has an effect that the policy does not allow",
  { timeout: 10_800_000 },
  async (t) => {
    await using tree = await makeCanaryTree();
    if (single !== undefined) {
      await showOne(t, tree, single);
      return;
    }
    const { breaches, executed, completed, allowed, processorSeconds } = await hunt(tree);
    t.diagnostic(
      `seed ${seed}: ${count} texts, ${executed} executed in ${processorSeconds.toFixed(1)} s of processor time, ${completed} with exit code 0`,
    );
    for (const [policy, texts] of Object.entries(allowed))
      t.diagnostic(`${policy} allows ${texts.count}, of which ${texts.open} run code or a program without a record`);
    assert.equal(
      breaches.length,
      0,
      `${breaches.length} breaches:\n${breaches.slice(0, BREACHES_SHOWN_MAX).join("\n")}`,
    );
    assert.ok(
      executed > count / 2 && completed > executed / 3,
      `${executed} of ${count} executed, ${completed} completed`,
    );
  },
);
