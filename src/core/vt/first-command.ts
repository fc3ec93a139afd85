/** Where the operating system commands (OSC) of a chunk begin, found without reading the sequences before them. */
import { findByte } from "../bytes/find-byte.ts";
import { incompleteTailLength } from "../bytes/utf8.ts";
import { C1_LEAD, CANCEL, DELETE, ESCAPE, OSC_OPENER, SUBSTITUTE, isC1Second } from "./control-bytes.ts";

/**
 * Where a reader of commands has to start in a chunk that begins outside of a sequence, so that a flood of colours is not read sequence by
 * sequence: at the first `ESC ]`, which begins a command whatever is before it and also with controls in between; without one at the last
 * ESC, which may be that of a sequence that the next chunk ends. A chunk with C1 controls is read as a whole.
 */
export function firstCommand(chunk: Uint8Array): number {
  if (hasC1(chunk)) return 0;
  if (findByte(chunk, ESCAPE, 0) === -1) return chunk.length - incompleteTailLength(chunk);
  for (let at = findByte(chunk, OSC_OPENER, 1); at !== -1; at = findByte(chunk, OSC_OPENER, at + 1)) {
    let lead = at - 1;
    while (lead > 0 && isExecutedWithin(chunk[lead])) lead -= 1;
    if (chunk[lead] === ESCAPE) return lead;
  }
  return chunk.lastIndexOf(ESCAPE);
}

/** Controls between ESC and the next byte of a sequence do what they do, and the sequence goes on. */
const isExecutedWithin = (byte = 0): boolean =>
  byte === DELETE || (byte < 0x20 && byte !== ESCAPE && byte !== CANCEL && byte !== SUBSTITUTE);

function hasC1(chunk: Uint8Array): boolean {
  for (let at = findByte(chunk, C1_LEAD, 0); at !== -1; at = findByte(chunk, C1_LEAD, at + 1)) {
    if (isC1Second(chunk[at + 1])) return true;
  }
  return false;
}
