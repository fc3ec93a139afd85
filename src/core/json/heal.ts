import { type HealResult, type JsonLimits, JsonReader } from "./json-reader.ts";

/**
 * Closes a truncated JSON text so that it parses, and reports what it dropped.
 *
 * Nothing is invented: the result is a prefix of the text, then at most one quote, then closing brackets. A truncated string is closed and
 * named; an incomplete number, literal, key, escape or surrogate pair is dropped; a number inside of a container is incomplete until
 * something follows it. A text that no continuation makes valid is refused. Never execute a healed value without the decision of a person.
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
