/** A font out of its packing, WOFF 1.0 (w3.org/TR/WOFF): the rasterizer would unpack the WOFF2 form itself, in WebAssembly and three times as slowly. */
import { inflateSync } from "node:zlib";

const HEADER_BYTES = 44;
const ENTRY_BYTES = 20;
const FONT_HEADER_BYTES = 12;
const FONT_ENTRY_BYTES = 16;
/** Of a font of ours; what unpacks to more is none. */
const TABLE_BYTES_MAX = 16 * 1024 * 1024;

/** The same font as TrueType or OpenType. Throws a `RangeError` for what is no WOFF. */
export function unpackWoff(packed: Buffer): Buffer {
  if (packed.toString("latin1", 0, 4) !== "wOFF") throw new RangeError("Cannot unpack a font: it is no WOFF");
  const count = packed.readUInt16BE(12);
  const directory = Buffer.alloc(FONT_HEADER_BYTES + count * FONT_ENTRY_BYTES);
  packed.copy(directory, 0, 4, 8);
  directory.writeUInt16BE(count, 4);
  const parts: Uint8Array[] = [directory];
  let offset = directory.length;
  for (let index = 0; index < count; index += 1) {
    const from = HEADER_BYTES + index * ENTRY_BYTES;
    const to = FONT_HEADER_BYTES + index * FONT_ENTRY_BYTES;
    const table = tableAt(packed, from);
    // Tag and checksum as they are, then where the table stands now, on a boundary of four bytes.
    packed.copy(directory, to, from, from + 4);
    packed.copy(directory, to + 4, from + 16, from + 20);
    directory.writeUInt32BE(offset, to + 8);
    directory.writeUInt32BE(table.length, to + 12);
    const padding = Buffer.alloc((4 - (table.length % 4)) % 4);
    parts.push(table, padding);
    offset += table.length + padding.length;
  }
  return Buffer.concat(parts);
}

function tableAt(packed: Buffer, entry: number): Buffer {
  const offset = packed.readUInt32BE(entry + 4);
  const packedBytes = packed.readUInt32BE(entry + 8);
  const bytes = packed.readUInt32BE(entry + 12);
  const table = packed.subarray(offset, offset + packedBytes);
  return packedBytes < bytes ? inflateSync(table, { maxOutputLength: TABLE_BYTES_MAX }) : table;
}
