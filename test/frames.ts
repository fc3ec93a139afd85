/** Screens as text for tests of what is read off them, and recordings as the steps that views are folded over. */
import { FrameReader, type Frame } from "../src/core/screen/frame.ts";
import { Screen } from "../src/core/screen/screen.ts";
import { OscReader, type OscSequence } from "../src/core/text/osc-reader.ts";
import type { Step } from "../src/core/observe/step.ts";

export interface FrameOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly isAlternate?: boolean;
  readonly title?: string;
  readonly timeUs?: number;
  readonly isCursorHidden?: boolean;
}

/** A frame that shows `text`; `|` is the cursor where there is exactly one, else it stands behind the text. Long lines are wrapped. */
export function frameOf(text: string, options: FrameOptions = {}): Frame {
  const { columns = 80, rows = 24, isAlternate = false, title = "", timeUs = 0, isCursorHidden = false } = options;
  const [before = "", after, ...more] = text.split("|");
  const hasCursor = after !== undefined && more.length === 0;
  const written = hasCursor ? `${before}\u001B7${after}\u001B8` : text;
  const screen = new Screen({ columns, rows });
  const reader = new FrameReader(screen);
  const modes = `${isAlternate ? "\u001B[?1049h" : ""}${isCursorHidden ? "\u001B[?25l" : ""}\u001B]2;${title}\u0007`;
  reader.output(new TextEncoder().encode(modes + written.replaceAll("\n", "\r\n")), 0, timeUs);
  const [frame] = reader.settle(timeUs + 1_000_000);
  if (frame === undefined) throw new Error("No frame: nothing was written");
  return frame;
}

/** `[seconds, type, data]` of an asciicast v2. */
export type CastEvent = readonly [time: number, type: string, data: string];

export interface StepsOptions {
  readonly columns: number;
  readonly rows: number;
  /** Offsets at which records of output are cut in pieces. */
  readonly cutsAt?: readonly number[];
  /** Of the marks of its shell. Default null. */
  readonly markNonce?: string | null;
}

/** A recording as steps, as the daemon makes them: in the order of offsets, sequences in front of the frame that shows them. */
export function* stepsOf(events: Iterable<CastEvent>, options: StepsOptions): Generator<Step> {
  const { markNonce = null } = options;
  const reader = new FrameReader(new Screen(options), { markNonce });
  const oscReader = new OscReader();
  const cutsAt = (options.cutsAt ?? []).toSorted((one, two) => one - two);
  let held: OscSequence[] = [];
  let offset = 0;
  let timeUs = 0;
  function* flush(frames: readonly Frame[]): Generator<Step> {
    for (const frame of frames) {
      yield* sequencesUntil(frame.offset);
      yield { type: "frame", frame };
    }
  }
  function* sequencesUntil(end: number): Generator<Step> {
    const ready = held.filter((sequence) => sequence.end <= end);
    held = held.filter((sequence) => sequence.end > end);
    for (const sequence of ready) yield { type: "osc", sequence, timeUs };
  }
  for (const [seconds, type, data] of events) {
    const now = Math.round(seconds * 1e6);
    yield* flush(reader.settle(now));
    yield* sequencesUntil(offset);
    timeUs = now;
    if (type === "o") {
      const bytes = new TextEncoder().encode(data);
      for (const part of partsOf(bytes, offset, cutsAt)) {
        held.push(...oscReader.feed(part, offset));
        const { frames } = reader.output(part, offset, timeUs);
        offset += part.length;
        yield* flush(frames);
      }
      yield* sequencesUntil(offset);
    } else if (type === "i") {
      yield { type: "input", bytes: new TextEncoder().encode(data), isSecret: false, offset, timeUs };
    } else if (type === "r") {
      const [columns = 80, rows = 24] = data.split("x").map(Number);
      yield* flush(reader.resize(columns, rows));
    }
  }
  yield* flush(reader.settle(timeUs + 60_000_000));
  yield* sequencesUntil(offset);
}

/** `bytes`, which begin at `offset`, cut at offsets. */
export function partsOf(bytes: Uint8Array, offset: number, cutsAt: readonly number[]): Uint8Array[] {
  const inside = cutsAt.map((cut) => cut - offset).filter((cut) => cut > 0 && cut < bytes.length);
  const edges = [0, ...inside, bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}
