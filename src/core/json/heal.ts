import { type HealResult, type JsonLimits, JsonReader } from "./json-reader.ts";

/**
 * Closes a truncated JSON text so that it parses, and says what it did.
 *
 * Nothing is invented: the result is a prefix of the text, then at most one quote, then closing brackets. A string that
 * was cut is closed and named; half a number, literal or key, half an escape and half a surrogate pair are dropped; a
 * number inside of a container counts as half as long as nothing follows it. Text that no continuation makes JSON is
 * refused. A healed value must never be executed without a person's decision.
 *
 * @example
 * ```ts
 * heal('{"command":"ls -l","timeout":1');
 * // json: '{"command":"ls -l"}', dropped: { kind: "number", path: "/timeout" }
 * ```
 */
export function heal(text: string, options: JsonLimits & { readonly numberIsWhole?: boolean } = {}): HealResult {
  const reader = new JsonReader(options);
  reader.feed(text);
  return reader.end({ numberIsWhole: options.numberIsWhole === true });
}
