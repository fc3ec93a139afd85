/** Bytes of a line that need no more than to be copied. */
import { C1_LEAD, CARRIAGE_RETURN, DELETE, LINE_FEED, TAB } from "../vt/control-bytes.ts";
import { isC1 } from "./c1.ts";

/** True for printable characters, line feed and tab; C2 is also the lead of the C1 controls, which are not. */
export function isCopied(bytes: Uint8Array, index: number): boolean {
  const byte = bytes[index] ?? 0;
  if (byte < 0x20) return byte === LINE_FEED || byte === TAB;
  return byte === C1_LEAD ? !isC1(bytes, index) : byte !== DELETE;
}

/** The index after the carriage returns that begin at `start`. */
export function endOfReturns(bytes: Uint8Array, start: number): number {
  let index = start;
  while (bytes[index] === CARRIAGE_RETURN) index++;
  return index;
}
