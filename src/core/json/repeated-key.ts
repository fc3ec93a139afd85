import { endOfString, isKeyEnd } from "./parse-json.ts";

/**
 * The first key that an object of a JSON text has twice; undefined where there is none. Parsers disagree about such an object: most
 * take the last value, some the first, some merge the two. The text must be valid JSON.
 *
 * @example
 * ```ts
 * repeatedKey('{"a":{"b":1,"b":2}}'); // "b"
 * ```
 */
export function repeatedKey(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 34) {
      const end = endOfString(text, index + 1);
      if (end === -1) return undefined;
      if (isKeyEnd(text, end)) {
        const key = keyOf(text.slice(index, end + 1));
        const keys = open.pop() ?? new Set();
        if (keys.has(key)) return key;
        open.push(keys.add(key));
      }
      index = end;
    } else if (unit === 123 || unit === 91) open.push(undefined);
    else if (unit === 125 || unit === 93) open.pop();
  }
  return undefined;
}

/** Values are right on engines that confuse keys with escapes. */
const keyOf = (quoted: string): string =>
  quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
