import { jsonValueOf } from "../../core/json/json-value.ts";

/**
 * The details of a question in readable form: `key: text` for an object with a single text, indented JSON for another object, and
 * the unchanged text otherwise. Nothing is omitted.
 */
export function readableDetails(details: string): string {
  const value = jsonValueOf(details);
  if (typeof value !== "object" || value === null) return details;
  const [first, ...others] = Object.entries(value);
  if (first === undefined) return details;
  return others.length === 0 && typeof first[1] === "string"
    ? `${first[0]}: ${first[1]}`
    : JSON.stringify(value, null, 2);
}
