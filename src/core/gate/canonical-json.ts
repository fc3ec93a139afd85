/**
 * One text for one JSON value, whatever the order of its keys: RFC 8785 (JSON Canonicalization Scheme).
 * What JSON cannot say (undefined, NaN, a function) is a programmer's mistake and throws.
 */

const depthMax = 1_000;

/**
 * The canonical text of a JSON value: keys sorted by UTF-16 code units, no white space, numbers as ECMAScript writes them.
 * Throws `TypeError` for what is not JSON and `RangeError` beyond a depth of 1,000.
 *
 * @example
 * ```ts
 * canonicalJson({ b: 1, a: [true, null] }); // '{"a":[true,null],"b":1}'
 * ```
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > depthMax) throw new RangeError(`Cannot write JSON deeper than ${depthMax} levels`);
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
  if (typeof value === "object") return writeObject(value, depth);
  throw new TypeError(`Cannot write "${typeof value}" as JSON`);
}

function writeObject(value: object, depth: number): string {
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, member]);
  const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${write(member, depth + 1)}`).join(",")}}`;
}
