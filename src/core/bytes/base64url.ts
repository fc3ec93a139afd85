const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES: ReadonlyMap<string, number> = new Map(Array.from(ALPHABET, (character, value) => [character, value]));

/** `bytes` in base64url without padding, RFC 4648 section 5. (`Uint8Array.prototype.toBase64` is not in Node 24.) */
export function encodeBase64Url(bytes: Uint8Array): string {
  let out = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    const characters = Math.min(4, bytes.length - index + 1);
    for (let position = 0; position < characters; position++)
      out += ALPHABET.charAt((group >>> (18 - 6 * position)) & 0x3f);
  }
  return out;
}

/** The bytes of `text`; undefined if it is not base64url without padding, or has unused bits that are not zero. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined;
  const out = new Uint8Array(Math.floor((text.length * 3) / 4));
  let length = 0;
  let bits = 0;
  let bitCount = 0;
  for (const character of text) {
    const value = VALUES.get(character);
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    out[length++] = (bits >>> bitCount) & 0xff;
  }
  return (bits & ((1 << bitCount) - 1)) === 0 ? out : undefined;
}
