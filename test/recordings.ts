/** Reads the recordings of `test/fixtures/recordings` for tests and benchmarks. */
import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Step } from "../src/core/observe/step.ts";
import { stepsOf, type CastEvent } from "./frames.ts";

const folder = join(import.meta.dirname, "fixtures", "recordings");

export interface Recording {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}

/** An asciicast v2 by its name without ending, or by its path. */
export function readRecording(name: string): Recording {
  const base = isAbsolute(name) ? name : join(folder, name);
  const path = [base, `${base}.cast`, `${base}.cast.gz`].find((candidate) => existsSync(candidate));
  if (path === undefined) throw new Error(`No recording "${name}"`);
  const file = readFileSync(path);
  const [head = "", ...lines] = (path.endsWith(".gz") ? gunzipSync(file) : file).toString("utf8").trim().split("\n");
  const { width, height } = JSON.parse(head) as { width: number; height: number };
  return { columns: width, rows: height, events: lines.map((line) => JSON.parse(line) as CastEvent) };
}

/** A recording as the steps that views are folded over. */
export function recordedSteps(name: string): Generator<Step> {
  const { columns, rows, events } = readRecording(name);
  return stepsOf(events, { columns, rows });
}

/** Everything that the program of an asciicast v2 recording wrote. */
export function recordedOutput(name: string): Uint8Array {
  const file = readFileSync(join(folder, name));
  const lines = (name.endsWith(".gz") ? gunzipSync(file) : file).toString("utf8").trim().split("\n").slice(1);
  const pieces = lines
    .map((line) => JSON.parse(line) as [number, string, string])
    .filter(([, kind]) => kind === "o")
    .map(([, , data]) => data);
  return new Uint8Array(Buffer.from(pieces.join("")));
}
