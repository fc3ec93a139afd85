/**
 * Finds the intact frames behind damage.
 *
 * Law: a frame is only looked for where its offset fits its position. Between two frames that are known, each frame takes a header
 * and as many bytes as offsets, so the difference of both distances is a whole number of headers. The output of a program can
 * contain bytes that look like frames; those are not taken for records, because
 * - the length field of the damaged frame leads past its payload, if the frame behind it confirms the length;
 * - otherwise a frame counts if it fits what is known before and behind it, and a frame whose successors lead to something known
 *   is preferred. What remains is in docs/decisions/journal.md.
 */
import { headerBytes, magicText, payloadBytesMax, type FrameBytes } from "./frame.ts";
import { scanFrames, type ReadSteps, type Scan } from "./read-steps.ts";
import type { SegmentFile } from "./segment-file.ts";
import type { FramePosition } from "./segment-index.ts";

/** What is known of a segment besides its bytes. */
export interface Landmarks {
  /** The entries of its index file. */
  readonly entries: readonly FramePosition[];
  /** Where the next segment begins; undefined for the last one. */
  readonly nextBase: number | undefined;
}

/** A part of a segment without an intact frame. */
export interface DamagedPart {
  /** The missing offsets. */
  readonly from: number;
  readonly to: number;
  /** Where the part is in the plain form of the segment, and its length there. */
  readonly position: number;
  readonly bytes: number;
}

/** `offset` and `position`: behind the last intact frame. */
export interface Survey extends Scan {
  readonly damaged: readonly DamagedPart[];
}

/** Checks every frame of a segment, also those behind damage. */
export function* surveySegment(
  file: SegmentFile,
  landmarks: Landmarks,
  visit: (frame: FramePosition, timeUs: number) => void,
): ReadSteps<Survey> {
  const damaged: DamagedPart[] = [];
  let start: FramePosition = { offset: file.base, position: 0 };
  let last: Scan["last"];
  while (true) {
    const scan = yield* scanFrames(file, start, visit);
    last = scan.last ?? last;
    const next = yield* passDamage(file, scan, landmarks);
    if (next === undefined) return { ...scan, last, damaged };
    const { offset, position } = scan;
    damaged.push({ from: offset, to: next.offset, position, bytes: next.position - position });
    start = next;
  }
}

/** The intact frame that contains `until`, or the first one behind it; undefined if the segment has none. Trusts nothing unchecked. */
export function* seekIntact(
  file: SegmentFile,
  until: number,
  landmarks: Landmarks,
): ReadSteps<FramePosition | undefined> {
  let start = yield* intactBefore(file, until, landmarks.entries);
  while (true) {
    let holding = start;
    const scan = yield* scanFrames(file, start, (frame) => (holding = frame), until);
    if (scan.offset > until) return holding;
    const next = yield* passDamage(file, scan, landmarks);
    if (next === undefined || next.offset > until) return next;
    start = next;
  }
}

/** The first intact frame behind a place where none begins; undefined if the segment has none. */
export function* passDamage(
  file: SegmentFile,
  damage: FramePosition,
  landmarks: Landmarks,
): ReadSteps<FramePosition | undefined> {
  const { size } = file;
  let { offset, position } = damage;
  while (position + headerBytes < size) {
    const header = yield { file, position, length: headerBytes };
    const length = header.claimedLength(0);
    const next = { offset: offset + length - headerBytes, position: position + length };
    const isTorn = next.position > size && header.frameLength(0, offset) > 0;
    if (next.position === size) return undefined;
    const state = length === 0 || next.position > size ? "none" : yield* stateAt(file, next);
    if (state === "intact") return next;
    if (state === "none") return yield* search(file, { offset, position, isTorn }, landmarks);
    ({ offset, position } = next);
  }
  return undefined;
}

/** `damaged`: there is the header of a frame with this offset, and the frame does not fit its checksum. */
function* stateAt(file: SegmentFile, { offset, position }: FramePosition): ReadSteps<"intact" | "damaged" | "none"> {
  let chunk = yield { file, position, length: frameGuessBytes };
  const length = chunk.frameLength(0, offset);
  if (length <= 0) return "none";
  if (length > chunk.bytes.length) chunk = yield { file, position, length };
  return length <= chunk.bytes.length && chunk.isIntact(0, length) ? "intact" : "damaged";
}

const frameGuessBytes = 8 * 1024;

function* intactBefore(file: SegmentFile, until: number, entries: readonly FramePosition[]): ReadSteps<FramePosition> {
  for (const entry of entries.toReversed()) {
    if (entry.offset <= until && (yield* stateAt(file, entry)) === "intact") return entry;
  }
  return { offset: file.base, position: 0 };
}

/** Longer than any record of output with its header, so a program cannot have written a sequence of frames of this length. */
const chainBytesMax = 300 * 1024;
const windowStepBytes = payloadBytesMax + headerBytes;

interface Broken extends FramePosition {
  /** The frame has its header and would end behind the end of the file: it was never written whole. */
  readonly isTorn: boolean;
}

/** Searches the bytes up to the next frame that the index names, or up to the end of the segment. */
function* search(file: SegmentFile, broken: Broken, landmarks: Landmarks): ReadSteps<FramePosition | undefined> {
  const { size } = file;
  const entry = yield* intactBehind(file, broken, landmarks.entries);
  const end = { offset: landmarks.nextBase ?? -1, position: size };
  const known = entry ?? (framesBetween(broken, end) > 0 ? end : undefined);
  const limit = known?.position ?? size;
  for (let start = broken.position; start < limit; start += windowStepBytes) {
    const window = yield { file, position: start, length: Math.min(limit - start, 2 * windowStepBytes) };
    const found = findFrame(window, { start, broken, known });
    if (found !== undefined) return found;
  }
  return entry;
}

function* intactBehind(
  file: SegmentFile,
  broken: FramePosition,
  entries: readonly FramePosition[],
): ReadSteps<FramePosition | undefined> {
  for (const entry of entries) {
    if (framesBetween(broken, entry) > 0 && (yield* stateAt(file, entry)) === "intact") return entry;
  }
  return undefined;
}

/** How many frames lie between two places where frames begin; 0 if the offsets do not fit the positions. */
function framesBetween(first: FramePosition, second: FramePosition): number {
  const offsets = second.offset - first.offset;
  const frames = (second.position - first.position - offsets) / headerBytes;
  // The payload of a frame has at least one byte.
  return Number.isInteger(frames) && frames >= 1 && offsets >= frames ? frames : 0;
}

interface SearchPlace {
  /** Position of the window. */
  readonly start: number;
  readonly broken: Broken;
  /** A place behind the damage where a frame begins or the segment ends. */
  readonly known: FramePosition | undefined;
}

/** Checksums over so many bytes per window: bytes that look like headers of long frames must not keep the reader busy. */
const checkedBytesMax = 256 * 1024 * 1024;

/** The first intact frame in the window. */
function findFrame(window: FrameBytes, { start, broken, known }: SearchPlace): FramePosition | undefined {
  const { buffer, byteOffset, length: windowBytes } = window.bytes;
  const bytes = Buffer.from(buffer, byteOffset, windowBytes);
  /** They fit, but what follows them is damaged as well. */
  const unconfirmed: FramePosition[] = [];
  const isTorn = broken.isTorn && known === undefined;
  let checkedBytes = 0;
  for (let at = 0; checkedBytes < checkedBytesMax;) {
    at = bytes.indexOf(magicText, at + 1, "latin1");
    if (at === -1 || at + headerBytes > windowBytes) break;
    const place = { offset: window.offset(at), position: start + at };
    const length = window.frameLength(at, place.offset);
    const frames = framesBetween(broken, place);
    const fits = frames > 0 && (known === undefined || framesBetween(place, known) > 0);
    if (!fits || length <= 0 || at + length > windowBytes) continue;
    checkedBytes += length;
    if (!window.isIntact(at, length)) continue;
    const isConfirmed = leadsOn(window, { at, offset: place.offset, start }, known);
    // What was never written whole may contain anything: only the frame directly behind it counts, if it leads to the end.
    if (isTorn && !(isConfirmed && frames === 1)) continue;
    if (isConfirmed) return unconfirmed.find((earlier) => framesBetween(earlier, place) > 0) ?? place;
    unconfirmed.push(place);
  }
  return unconfirmed[0];
}

/** Whether headers follow each other from a frame to what is known, to the end of the file, or so far that no program wrote them. */
function leadsOn(
  window: FrameBytes,
  from: { readonly at: number; readonly offset: number; readonly start: number },
  known: FramePosition | undefined,
): boolean {
  let { at, offset } = from;
  const goal = known === undefined ? window.bytes.length : known.position - from.start;
  while (at < goal && at - from.at <= chainBytesMax) {
    const length = window.frameLength(at, offset);
    if (length <= 0) return false;
    at += length;
    offset += length - headerBytes;
  }
  return at === goal ? known === undefined || offset === known.offset : at < goal;
}
