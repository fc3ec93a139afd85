/**
 * Executes shell texts with real bash under strace in a bubblewrap: each starts with the same tree of canaries, and what its processes
 * asked of the kernel is read into effects. Many texts share a box, and two boxes run at once.
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { boxWalls, processorSecondsIn } from "../support/shell-box.ts";
import type { CanaryTree } from "./canary-tree.ts";
import { observe, tracedCalls, type ObservedText } from "./observed-effects.ts";
import { readTrace } from "./strace-calls.ts";

export interface TracedText extends ObservedText {
  readonly text: string;
  /** It did not end in time, so its trace is not whole. */
  readonly isLate: boolean;
}

export interface TracedTexts {
  readonly texts: readonly TracedText[];
  /** Of the boxes, without the reading of their traces. */
  readonly processorSeconds: number;
}

/** For one text, whose processor time is limited to 2 s, on a busy machine. */
const TEXT_SECONDS_MAX = 60;
/** So that the traces of a box stay small. */
const BOX_TEXTS_MAX = 250;
const BOX_MS_MAX = 600_000;
/** As many as the machines of the tests have cores. */
const BOXES_AT_ONCE = 2;

/** Undefined if texts can be traced here; otherwise what is missing. */
export function tracingProblem(): string | undefined {
  const probe = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null", "/bin/true"];
  const tried = spawnSync("bwrap", [...boxWalls(), ...probe], { encoding: "utf8", timeout: 60_000 });
  if (tried.status === 0) return undefined;
  return tried.error?.message ?? `strace in bwrap: ${tried.stderr.trim()} (${tried.status ?? tried.signal})`;
}

/** Throws if a box itself fails. The order is that of the texts. */
export async function traceTexts(tree: CanaryTree, texts: readonly string[]): Promise<TracedTexts> {
  const parts = Array.from({ length: Math.ceil(texts.length / BOX_TEXTS_MAX) }, (_, at) =>
    texts.slice(at * BOX_TEXTS_MAX, (at + 1) * BOX_TEXTS_MAX),
  );
  const found = new Map<number, TracedTexts>();
  const waiting = parts.entries();
  const work = async (): Promise<void> => {
    for (const [at, part] of waiting) found.set(at, await traceInBox(tree, part));
  };
  await Promise.all(Array.from({ length: BOXES_AT_ONCE }, work));
  const results = parts.flatMap((_, at) => found.get(at) ?? []);
  return {
    texts: results.flatMap((result) => result.texts),
    processorSeconds: results.reduce((sum, result) => sum + result.processorSeconds, 0),
  };
}

const nameOf = (at: number): string => String(at).padStart(6, "0");

async function traceInBox(tree: CanaryTree, texts: readonly string[]): Promise<TracedTexts> {
  const folder = mkdtempSync(join(tmpdir(), "lectern-effects-"));
  try {
    for (const name of ["texts", "traces"]) mkdirSync(join(folder, name));
    for (const [at, text] of texts.entries()) writeFileSync(join(folder, "texts", nameOf(at)), text);
    const binds = [
      ["--ro-bind", join(folder, "texts"), "/texts"],
      ["--bind", join(folder, "traces"), "/traces"],
      ["--ro-bind", tree.folder, "/template"],
      ["--ro-bind", join(import.meta.dirname, "tracing-box.bash"), "/box.bash"],
      ["--dir", "/users"],
      ["--setenv", "TEXT_SECONDS_MAX", String(TEXT_SECONDS_MAX)],
      ["--setenv", "TRACED_CALLS", tracedCalls.join(",")],
    ];
    const errors = await runBox([...binds.flat(), "/bin/bash", "/box.bash"]);
    const traced = texts.map((text, at) => readText(tree, text, join(folder, "traces", nameOf(at))));
    return { texts: traced, processorSeconds: processorSecondsIn(errors) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Gives what the box wrote to its standard error. */
async function runBox(words: readonly string[]): Promise<string> {
  const box = spawn("bwrap", [...boxWalls(), ...words], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: BOX_MS_MAX,
    killSignal: "SIGKILL",
  });
  const ended = new Promise<string>((resolve, reject) => {
    box.once("error", reject);
    box.once("exit", (status, signal) => resolve(String(status ?? signal)));
  });
  const [status, output, errors] = await Promise.all([ended, textOf(box.stdout), textOf(box.stderr)]);
  if (!output.endsWith("end\n")) throw new Error(`The box ended early (${status}): ${output} ${errors}`);
  return errors;
}

function readText(tree: CanaryTree, text: string, file: string): TracedText {
  const trace = readTrace(readFileSync(file, "utf8"));
  if (trace.calls.length === 0) throw new Error(`nothing was traced: ${readFileSync(`${file}.err`, "utf8")}`);
  const observed = observe(trace, tree);
  return { text, ...observed, isLate: observed.exitStatus === undefined };
}
