/** Table of the reflected polynomial 0xEDB88320 (ISO-HDLC, as in zlib, PNG and Ethernet). */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/**
 * CRC-32 of `bytes` as an unsigned number, the same as `zlib.crc32`.
 * `crc32(new TextEncoder().encode("123456789")); // 0xcbf43926`
 */
export function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (TABLE[(value ^ byte) & 0xff] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}
