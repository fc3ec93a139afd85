import { endOfString, isKeyEnd } from "./parse-json.ts";

/**
 * The first key that an object of a JSON text has twice; undefined where there is none. Parsers disagree about such an object: most
 * take the last value, some the first, some merge the two. The text must be valid JSON; with its `value`, most texts need no closer look.
 * `repeatedKey('{"a":{"b":1,"b":2}}'); // "b"`
 */
export function repeatedKey(text: string, value?: unknown): string | undefined {
  // Each key has a colon behind it. With as many keys in the value as there are colons, no key was lost to another one.
  if (value !== undefined && keysIn(value) === colonsIn(text)) return undefined;
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

function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) count += 1;
  return count;
}

/** Recursive: the parser has limited the depth. */
function keysIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) for (const item of value) count += keysIn(item);
  else {
    const object = value as Readonly<Record<string, unknown>>;
    for (const key of Object.keys(object)) count += 1 + keysIn(object[key]);
  }
  return count;
}

/** Values are right on engines that confuse keys with escapes. */
const keyOf = (quoted: string): string =>
  quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
