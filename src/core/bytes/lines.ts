const lineFeed = 0x0a;

/**
 * The last `count` lines, as `tail -n` counts them: a line ends with its line feed, and bytes after the last line
 * feed are a line too. The result is a view into `bytes`, not a copy.
 *
 * @example
 * ```ts
 * lastLines(new TextEncoder().encode("a\nb\nc\n"), 2); // the bytes of "b\nc\n"
 * ```
 */
export function lastLines(bytes: Uint8Array, count: number): Uint8Array {
  if (count <= 0) return bytes.subarray(bytes.length);
  let at = bytes.at(-1) === lineFeed ? bytes.length - 1 : bytes.length;
  for (let line = 0; line < count; line += 1) {
    if (at === 0) return bytes;
    at = bytes.lastIndexOf(lineFeed, at - 1);
    if (at === -1) return bytes;
  }
  return bytes.subarray(at + 1);
}
