import { parsed } from "../parts/parsed.ts";

/**
 * What a question is about, as it is read best: the one text of an object of one text, an object with its lines, anything else as it
 * is. All of it is shown.
 */
export function readableDetails(details: string): string {
  const value = parsed(details);
  if (typeof value !== "object" || value === null) return details;
  const [first, ...others] = Object.entries(value);
  if (first === undefined) return details;
  return others.length === 0 && typeof first[1] === "string"
    ? `${first[0]}: ${first[1]}`
    : JSON.stringify(value, null, 2);
}
