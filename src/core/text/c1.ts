import { isSecondByte, sequenceLength } from "../bytes/utf8.ts";
import { C1_LEAD, isC1Second } from "../vt/control-bytes.ts";

/** True if the byte C2 at `lead` starts a C1 control, U+0080 to U+009F. */
export const isC1 = (bytes: Uint8Array, lead: number): boolean => isC1Second(bytes[lead + 1]);

/** The end of the bytes beyond ASCII that begin at `start` and hold no C1 control. */
export function endOfWideText(bytes: Uint8Array, start: number): number {
  let index = start;
  while ((bytes[index] ?? 0) >= 0x80 && !(bytes[index] === C1_LEAD && isC1(bytes, index))) index++;
  return index;
}

/** `bytes` with each raw byte 0x80 to 0x9F outside of UTF-8 sequences replaced by the UTF-8 form of the C1 control that it stands for. */
export function widenRawC1(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(bytes.length * 2);
  let length = 0;
  let sequenceEnd = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte >= 0xc0 && isSecondByte(byte, bytes[index + 1] ?? 0)) sequenceEnd = index + sequenceLength(byte);
    else if (byte < 0x80 || byte >= 0xc0) sequenceEnd = index;
    else if (index >= sequenceEnd && byte <= 0x9f) out[length++] = C1_LEAD;
    out[length++] = byte;
  }
  return out.subarray(0, length);
}
