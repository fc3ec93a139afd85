const depthMax = 1_000;

/**
 * The canonical text of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers as in ECMAScript.
 * Throws `TypeError` for a value that is not JSON (undefined, NaN, a function) and `RangeError` beyond a depth of 1,000.
 * `canonicalJson({ b: 1, a: [true, null] }); // '{"a":[true,null],"b":1}'`
 */
export const canonicalJson = (value: unknown): string => write(value, 0);

function write(value: unknown, depth: number): string {
  if (depth > depthMax) throw new RangeError(`Cannot write JSON deeper than ${depthMax} levels`);
  if (value === null || typeof value === "boolean" || typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(",")}]`;
  if (typeof value === "object") return writeObject(value, depth);
  throw new TypeError(`Cannot write "${typeof value}" as JSON`);
}

function writeObject(value: object, depth: number): string {
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  const sorted = members.toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `{${sorted.map(([key, member]) => `${JSON.stringify(key)}:${write(member, depth + 1)}`).join(",")}}`;
}
