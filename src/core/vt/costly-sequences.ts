/** Sequences after which an emulator has touched much of its screen. */
import { findByte } from "../bytes/find-byte.ts";
import { CSI_OPENER, ESCAPE } from "./control-bytes.ts";

/** Final bytes begin here; what is below are parameters and intermediates. */
const FINAL_MIN = 0x40;
/** Final bytes of control sequences that touch at most a row. */
const CHEAP_FINALS: ReadonlySet<number> = new Set(Array.from("mHCABDKGdfXEFr", (final) => final.charCodeAt(0)));

/**
 * Where the output at `from` has to be cut before `to`, so that at most `costlyMax` sequences begin in it that may be expensive: all but
 * moves of the cursor, colours and what erases within a row.
 */
export function endOfSequences(
  bytes: Uint8Array,
  { from, to, costlyMax }: { readonly from: number; readonly to: number; readonly costlyMax: number },
): number {
  let left = costlyMax;
  for (let at = findByte(bytes, ESCAPE, from); at !== -1 && at < to; at = findByte(bytes, ESCAPE, at + 1)) {
    if (isCheap(bytes, at, to)) continue;
    if (left === 0) return at;
    left -= 1;
  }
  return to;
}

function isCheap(bytes: Uint8Array, escape: number, to: number): boolean {
  if (bytes[escape + 1] !== CSI_OPENER) return false;
  let at = escape + 2;
  while (at < to && (bytes[at] ?? 0) < FINAL_MIN) at += 1;
  return CHEAP_FINALS.has(bytes[at] ?? 0);
}
