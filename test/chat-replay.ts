/** Recordings as the steps that the chat fold gets. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Step } from "../src/core/observe/step.ts";
import { stepsOf, type CastEvent } from "./frames.ts";

/** An asciicast v2 recording. */
export interface Cast {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}

export function readCast(file: string): Cast {
  const raw = readFileSync(file);
  const [head = "", ...lines] = (file.endsWith(".gz") ? gunzipSync(raw) : raw).toString("utf8").trim().split("\n");
  const { width, height } = JSON.parse(head) as { width: number; height: number };
  return { columns: width, rows: height, events: lines.map((line) => JSON.parse(line) as CastEvent) };
}

/** All of a recording of a session of bash, to its end; records of output are cut at the offsets `cutsAt` too. */
export function castSteps({ events, ...size }: Cast, cutsAt: readonly number[] = []): Step[] {
  const start: Step = { type: "start", command: ["bash"], offset: 0, timeUs: 0 };
  const steps = [start, ...stepsOf(events, { ...size, cutsAt })];
  const timeUs = Math.round((events.at(-1)?.[0] ?? 0) * 1e6) + 10_000_000;
  return [...steps, { type: "exit", code: 0, signal: null, offset: Number.MAX_SAFE_INTEGER, timeUs }];
}

/** The first `bytes` of output, and what was typed and resized meanwhile. */
export function firstBytes(cast: Cast, bytes: number): Cast {
  let size = 0;
  const end = cast.events.findIndex(([, type, data]) => {
    if (type === "o") size += Buffer.byteLength(data);
    return size > bytes;
  });
  return { ...cast, events: end === -1 ? cast.events : cast.events.slice(0, end) };
}
