/**
 * Generated shell texts are judged, and real bash executes those that a policy allows in a bubblewrap with canaries: none may run `rm`, read
 * a secret or write outside of the project. `LECTERN_FUZZ_RUNS` texts (2,000; 20,000 in `npm run test:long`), `LECTERN_FUZZ_SEED` for others than
 * the usual ones.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decide, type Verdict } from "../src/core/gate/decide.ts";
import type { Policy } from "../src/core/gate/policy.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";
import { corpusContext } from "./shell-corpus.ts";
import { boxProblem, runInBox, type BoxReport, type Canary } from "./support/shell-box.ts";
import { generatedPrograms } from "./support/shell-programs.ts";

/**
 * What the policies of the corpus leave free on purpose: a worktree beside the project, `rm` of build output and below /tmp, any file of the
 * project as a script, and package managers, which write to the system.
 */
const further = {
  "allow-list": `  - { id: worktrees, effect: deny, command: git worktree **, paths: { outside: [., /tmp] } }
  - { id: deletes, effect: deny, command: rm ** }\n`,
  "deny-list": `  - { id: packages, effect: deny, command: [dpkg **, apt **, apt-get **, rpm **, dnf **, apk **] }
  - { id: worktrees, effect: deny, command: git worktree **, paths: { outside: [., /tmp] } }
  - { id: scripts, effect: ask, command: ["bash *", "sh *", ". *", "source *", "./*"] }\n`,
};

function policyOf(file: string, rules = ""): Policy {
  const checked = checkPolicyText(readFileSync(join(import.meta.dirname, file), "utf8") + rules);
  assert.ok(checked.ok, JSON.stringify(checked));
  return checked.policy;
}

/** The one that allows most is the first. */
const policies = {
  "deny-list": policyOf("fixtures/shell/deny-list.yaml", further["deny-list"]),
  "allow-list": policyOf("fixtures/shell/allow-list.yaml", further["allow-list"]),
  coding: policyOf("../policies/coding.yaml"),
};
type PolicyName = keyof typeof policies;
const policyNames = ["deny-list", "allow-list", "coding"] as const;

/** What the judge of a test forgives: a verdict that it takes for an allow. */
type Hole = (verdict: Verdict) => boolean;

const noHole: Hole = () => false;

function allowedBy(text: string, hole: Hole): readonly PolicyName[] {
  const call = { name: "bash", arguments: { command: text }, finish: "tool_calls" } as const;
  const names: PolicyName[] = [];
  for (const name of policyNames) {
    const { verdicts } = decide(policies[name], call, corpusContext);
    const against = verdicts.filter((verdict) => verdict.effect !== "allow" && !hole(verdict));
    if (against.length === 0) names.push(name);
    // What cannot be read is allowed by none.
    if (against.some(({ rule, source }) => source === "opaque" && rule === null)) break;
  }
  return names;
}

interface Allowed {
  readonly text: string;
  readonly policies: readonly PolicyName[];
}

interface Hit extends Allowed {
  readonly canary: Canary;
}

interface Hunt {
  readonly hits: readonly Hit[];
  readonly executed: number;
  readonly late: number;
  readonly processorSeconds: number;
}

const textsOfBox = 250;
/** As many as the machines of the tests have cores. */
const boxesAtOnce = 2;

/** Executes the texts in several boxes. */
async function execute(rows: readonly Allowed[]): Promise<Hunt> {
  const reports: BoxReport[] = [];
  const hits: Hit[] = [];
  const starts = Array.from({ length: Math.ceil(rows.length / textsOfBox) }, (_, at) => at * textsOfBox).values();
  const work = async (): Promise<void> => {
    for (const from of starts) {
      const part = rows.slice(from, from + textsOfBox);
      const report = await runInBox(part.map(({ text }) => text));
      reports.push(report);
      for (const canary of ["run", "read", "write"] as const)
        hits.push(...report.harmed[canary].flatMap((at) => part.slice(at, at + 1)).map((row) => ({ canary, ...row })));
    }
  };
  await Promise.all(Array.from({ length: boxesAtOnce }, work));
  const sum = (of: (report: BoxReport) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const processorSeconds = sum((report) => report.processorSeconds);
  return { hits, executed: rows.length, late: sum((report) => report.late), processorSeconds };
}

/** Judges `count` texts and executes what is allowed. */
function huntFor(count: number, seed: number, hole: Hole): Promise<Hunt> {
  const judged = [...new Set(generatedPrograms(count, seed))].map((text) => ({
    text,
    policies: allowedBy(text, hole),
  }));
  return execute(judged.filter((row) => row.policies.length > 0));
}

const shrinkRoundsMax = 12;

/** Leaves out tokens as long as the text is allowed and does the same harm. */
async function shrunk(hit: Hit, hole: Hole): Promise<Hit> {
  let smallest = hit;
  for (let round = 0; round < shrinkRoundsMax; round += 1) {
    const tokens = smallest.text.match(/\s+|[\w./~-]+|./gs) ?? [];
    const shorter = [4, 2, 1].flatMap((length) => tokens.map((_, at) => tokens.toSpliced(at, length).join("")));
    const rows = [...new Set(shorter)].map((text) => ({ text, policies: allowedBy(text, hole) }));
    const { hits } = await execute(rows.filter((row) => row.policies.length > 0));
    const same = hits.filter(({ canary }) => canary === hit.canary);
    const next = same.toSorted((left, right) => left.text.length - right.text.length)[0];
    if (next === undefined) break;
    smallest = next;
  }
  return smallest;
}

const hitsShown = 5;

test("bubblewrap starts the box", () => {
  assert.equal(boxProblem(), undefined, "install bubblewrap, and allow user namespaces");
});

test("each canary is seen, also the one of a text that runs in the background", async () => {
  const texts = [
    "rm x",
    "cat ~/.ssh/id_rsa",
    "grep -r . ..",
    "echo x >~/out",
    "git config core.pager y",
    "ls; exit 1",
    "echo >(rm x)",
    "echo x >y; kill -9 $$ 1",
    "cat y",
  ];
  // What is left running here ends by itself, however busy the machine is.
  const { harmed, late } = await runInBox(texts, { textSecondsMax: 60, clearTurnsMax: 1200 });
  assert.deepEqual({ harmed, late }, { harmed: { run: [0, 6], read: [1, 2], write: [3, 4] }, late: 0 });
});

test("no text that a policy allows does harm in real bash", { timeout: 3_600_000 }, async (context) => {
  const count = Number(process.env["LECTERN_FUZZ_RUNS"] ?? 2000);
  const seed = Number(process.env["LECTERN_FUZZ_SEED"] ?? 15);
  const before = process.cpuUsage();
  const { executed, hits, late, processorSeconds } = await huntFor(count, seed, noHole);
  const { system, user } = process.cpuUsage(before);
  const seconds = `${((system + user) / 1e6).toFixed(1)} s to judge, ${processorSeconds.toFixed(1)} s to execute`;
  context.diagnostic(`seed ${seed}: ${count} texts, ${executed} allowed and executed, ${late} late; ${seconds}`);
  for (const hit of hits) context.diagnostic(JSON.stringify(hit));
  const smallest: Hit[] = [];
  for (const hit of hits.slice(0, hitsShown)) smallest.push(await shrunk(hit, noHole));
  assert.deepEqual(smallest, [], `LECTERN_FUZZ_SEED=${seed}: ${hits.length} texts did harm`);
  assert.ok(executed > count / 50, `${executed} of ${count} executed`);
});

test("a hole in the judge is found and shrunk", { timeout: 1_800_000 }, async () => {
  const hole: Hole = (verdict) => verdict.source === "opaque" && verdict.evidence.includes("${!");
  const { hits } = await huntFor(2_000, 15, hole);
  const [first] = hits;
  assert.ok(first !== undefined);
  const { text } = await shrunk(first, hole);
  assert.ok(text.includes("${!") && text.length <= first.text.length, text);
});
