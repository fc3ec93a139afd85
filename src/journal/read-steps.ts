/**
 * Read algorithms for two drivers. An algorithm is a generator that yields what it wants to read next and receives
 * the bytes. `runSync` reads synchronously, for data in the page cache; `runAsync` reads on the thread pool.
 *
 * Law: the bytes of a request are valid only until the next request, because the buffer is reused.
 */
import { FrameBytes, headerBytes } from "./frame.ts";
import type { SegmentFile } from "./segment-file.ts";
import type { FramePosition, SegmentIndex } from "./segment-index.ts";

interface ReadRequest {
  readonly file: SegmentFile;
  /** In the plain form of the segment. */
  readonly position: number;
  readonly length: number;
}

/** Fewer bytes than requested are returned only at the end of the segment. */
export type ReadSteps<Result> = Generator<ReadRequest, Result, FrameBytes>;

/** One buffer for all synchronous reads of the process: they cannot overlap. */
const sharedBuffer = new Uint8Array(256 * 1024);

export function runSync<Result>(steps: ReadSteps<Result>): Result {
  try {
    let step = steps.next();
    while (step.done !== true) {
      const { file, position, length } = step.value;
      const buffer = length <= sharedBuffer.length ? sharedBuffer.subarray(0, length) : new Uint8Array(length);
      step = steps.next(new FrameBytes(buffer.subarray(0, file.readSync(position, buffer))));
    }
    return step.value;
  } finally {
    // Runs the generator's own `finally` blocks after a failed read; does nothing if it has completed.
    abandon(steps);
  }
}

/** Buffers of reads that are over: new memory for each costs more than the read. */
const spareBuffers: Uint8Array[] = [];
const SPARE_BUFFERS_MAX = 4;
const SPARE_BYTES_MAX = 512 * 1024;

export async function runAsync<Result>(steps: ReadSteps<Result>): Promise<Result> {
  let buffer = spareBuffers.pop() ?? new Uint8Array(0);
  try {
    let step = steps.next();
    while (step.done !== true) {
      const { file, position, length } = step.value;
      if (buffer.length < length) buffer = new Uint8Array(length);
      const count = await file.read(position, buffer.subarray(0, length));
      step = steps.next(new FrameBytes(buffer.subarray(0, count)));
    }
    return step.value;
  } finally {
    abandon(steps);
    if (spareBuffers.length < SPARE_BUFFERS_MAX && buffer.length <= SPARE_BYTES_MAX) spareBuffers.push(buffer);
  }
}

function abandon(steps: Generator<unknown, unknown, never>): void {
  // Only its `finally` blocks matter; the result is discarded.
  steps.return(undefined);
}

const walkBytes = 32 * 1024;

/** `found`: the frame with the wanted offset begins here; `end`: the segment ends before it; `damaged`: not a frame. */
export interface Walk extends FramePosition {
  readonly outcome: "found" | "end" | "damaged";
  /** The bytes read together with the header, often the whole frame. Valid until the next request. */
  readonly rest?: FrameBytes;
}

/**
 * Walks from header to header to the frame that contains `until`, without checking payloads: that is done before the
 * frame is used. Adds the frames on the way to the index.
 */
export function* walkHeaders(
  file: SegmentFile,
  range: { readonly start: FramePosition; readonly until: number },
  index: SegmentIndex,
): ReadSteps<Walk> {
  let { offset, position } = range.start;
  while (true) {
    const chunk = yield { file, position, length: walkBytes };
    if (chunk.bytes.length < headerBytes) return { outcome: "end", offset, position };
    let at = 0;
    while (at < chunk.bytes.length) {
      const length = chunk.frameLength(at, offset);
      if (length === 0) break;
      if (length === -1) return { outcome: "damaged", offset, position: position + at };
      index.learn({ offset, position: position + at });
      if (range.until < offset + length - headerBytes)
        return { outcome: "found", offset, position: position + at, rest: new FrameBytes(chunk.bytes.subarray(at)) };
      at += length;
      offset += length - headerBytes;
    }
    position += at;
  }
}

const scanBytes = 256 * 1024;

/** Where the complete, intact frames of a segment end, and the last of them. */
export interface Scan extends FramePosition {
  readonly last: { readonly timeUs: number; readonly type: string } | undefined;
}

/**
 * Checks every byte of every frame from `start` on and stops at the first one that is incomplete or damaged, or behind the
 * frame that contains `until`.
 */
export function* scanFrames(
  file: SegmentFile,
  start: FramePosition,
  visit: (frame: FramePosition, timeUs: number) => void,
  until = Infinity,
): ReadSteps<Scan> {
  let { offset, position } = start;
  let last: Scan["last"];
  let wanted = scanBytes;
  while (true) {
    const chunk = yield { file, position, length: wanted };
    let at = 0;
    let length = chunk.frameLength(at, offset);
    while (length > 0 && at + length <= chunk.bytes.length && chunk.isIntact(at, length)) {
      last = { timeUs: chunk.timeUs(at), type: chunk.type(at) };
      visit({ offset, position: position + at }, last.timeUs);
      at += length;
      offset += length - headerBytes;
      if (offset > until) return { offset, position: position + at, last };
      length = chunk.frameLength(at, offset);
    }
    position += at;
    const cutByBuffer = chunk.bytes.length === wanted && length >= 0 && at + Math.max(length, headerBytes) > wanted;
    if (!cutByBuffer) return { offset, position, last };
    wanted = Math.max(scanBytes, length);
  }
}
