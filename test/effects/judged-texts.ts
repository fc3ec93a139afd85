/** The verdicts of the policies about texts, by a process that has the tree of canaries where the texts have it. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { boxWalls } from "../support/shell-box.ts";
import type { CanaryTree } from "./canary-tree.ts";
import type { PolicyName } from "./policy-promises.ts";

const root = resolve(import.meta.dirname, "../..");
const JUDGE_MS_MAX = 600_000;
const VERDICT_BYTES_MAX = 50_000_000;

/** For each text the policies that allow it. */
export function judgeTexts(tree: CanaryTree, texts: readonly string[]): readonly (readonly PolicyName[])[] {
  const folder = mkdtempSync(join(tmpdir(), "lectern-judged-"));
  try {
    writeFileSync(join(folder, "texts"), JSON.stringify(texts));
    const programs = dirname(process.execPath);
    const binds = [
      ["--ro-bind", root, root],
      ["--ro-bind", programs, programs],
      ["--ro-bind", tree.folder, "/users"],
      ["--ro-bind", join(folder, "texts"), "/texts"],
    ];
    const judge = [process.execPath, join(import.meta.dirname, "verdict-process.ts"), "/texts"];
    const words = [...boxWalls(), ...binds.flat(), ...judge];
    const done = spawnSync("bwrap", words, { encoding: "utf8", timeout: JUDGE_MS_MAX, maxBuffer: VERDICT_BYTES_MAX });
    if (done.status !== 0) throw new Error(`The judge ended with ${done.status ?? done.signal}: ${done.stderr}`);
    return JSON.parse(done.stdout) as readonly (readonly PolicyName[])[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
