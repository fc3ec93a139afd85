/** Recordings as the steps that a view of the session would get. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { FrameReader } from "../src/core/screen/frame.ts";
import { Screen } from "../src/core/screen/screen.ts";
import { OscReader } from "../src/core/text/osc-reader.ts";
import type { Step } from "../src/core/views/fold.ts";

/** Something of an asciicast v2 recording. */
export type CastEvent = readonly [seconds: number, type: string, data: string];

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

const encoder = new TextEncoder();

/** Turns the events of a recording into steps, one after another. */
export class CastSteps {
  readonly #frames: FrameReader;
  readonly #osc = new OscReader();
  #offset = 0;
  #timeUs = 0;

  constructor({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    this.#frames = new FrameReader(new Screen({ columns, rows }));
  }

  start(command: readonly string[]): Step[] {
    return [{ type: "start", command, offset: 0, timeUs: 0 }];
  }

  event([seconds, type, data]: CastEvent): Step[] {
    const timeUs = Math.round(seconds * 1e6);
    if (type === "o") return this.output(encoder.encode(data), timeUs);
    this.#timeUs = timeUs;
    if (type === "i")
      return [{ type: "input", bytes: encoder.encode(data), isSecret: false, offset: this.#offset, timeUs }];
    if (type !== "r") return [];
    const [columns = 80, rows = 24] = data.split("x").map(Number);
    return this.#frames.resize(columns, rows).map((frame) => ({ type: "frame", frame }));
  }

  output(bytes: Uint8Array, timeUs: number): Step[] {
    this.#timeUs = timeUs;
    const sequences = this.#osc.feed(bytes, this.#offset);
    const { frames } = this.#frames.output(bytes, this.#offset, timeUs);
    this.#offset += bytes.length;
    const steps: Step[] = [];
    let next = 0;
    for (const frame of frames) {
      for (; next < sequences.length && (sequences[next]?.offset ?? 0) < frame.offset; next += 1)
        steps.push({ type: "osc", sequence: sequences[next]!, timeUs });
      steps.push({ type: "frame", frame });
    }
    for (const sequence of sequences.slice(next)) steps.push({ type: "osc", sequence, timeUs });
    return steps;
  }

  /** The program ends. */
  end(): Step[] {
    const timeUs = this.#timeUs + 10_000_000;
    const frames = this.#frames.settle(timeUs).map((frame): Step => ({ type: "frame", frame }));
    return [...frames, { type: "exit", code: 0, signal: null, offset: this.#offset, timeUs }];
  }
}

/** All of a recording. */
export function castSteps(cast: Cast, command: readonly string[] = ["bash"]): Step[] {
  const steps = new CastSteps(cast);
  return [...steps.start(command), ...cast.events.flatMap((event) => steps.event(event)), ...steps.end()];
}
