import { LecternError } from "../errors.ts";
import { depthDefault, type JsonLimits, JsonReader, textCharsDefault } from "./json-reader.ts";

const quote = 34;
const colon = 58;
const backslash = 92;

/**
 * Parses strict JSON. Like JSON.parse, and in addition: keys are right on engines where JSON.parse confuses keys with
 * escapes (nodejs/node#63785), depth and size are limited, and the error has the offset. `__proto__` is an ordinary own
 * key.
 *
 * JSON.parse is used wherever it is reliable: if no key contains an escape.
 *
 * @throws LecternError `MALFORMED` with `details.reason` and `details.at`, `TOO_LARGE` beyond a limit
 * @example
 * ```ts
 * parseJson('{"a":[1,2]}'); // { a: [1, 2] }
 * ```
 */
export function parseJson(text: string, limits: JsonLimits = {}): unknown {
  const depthMax = limits.depthMax ?? depthDefault;
  const sizeFits = text.length <= (limits.textCharsMax ?? textCharsDefault);
  // A valid text deeper than the limit has as many closing brackets as opening ones: a short one cannot be too deep.
  const isShort = text.length <= 2 * depthMax;
  const mayParse = sizeFits && (isShort ? !hasEscapedKey(text) : isPlain(text, depthMax));
  if (!mayParse) return readStrictly(text, limits);
  try {
    return JSON.parse(text);
  } catch {
    return readStrictly(text, limits);
  }
}

function readStrictly(text: string, limits: JsonLimits): unknown {
  const reader = new JsonReader(limits);
  reader.feed(text);
  const result = reader.end();
  if (result.ok && result.complete) return result.value;
  const reason = result.ok ? "incomplete" : result.reason;
  const at = result.ok ? text.length : result.at;
  const code = reason === "depth" || reason === "size" ? "TOO_LARGE" : "MALFORMED";
  throw new LecternError(code, `Cannot parse JSON: ${reason} at offset ${at}`, { details: { reason, at } });
}

/** True if a string with an escape is followed by a colon. Linear: each character is passed once. */
function hasEscapedKey(text: string): boolean {
  let escape = text.indexOf("\\");
  if (escape === -1) return false;
  // An escape without a colon after it is not in a key: this fast check covers most deltas of models.
  const lastColon = text.lastIndexOf(":");
  while (escape !== -1 && escape < lastColon) {
    const end = endOfString(text, escape + 2);
    if (end === -1) return false; // Invalid JSON, which JSON.parse reports.
    if (isKeyEnd(text, end)) return true;
    escape = text.indexOf("\\", end + 1);
  }
  return false;
}

/** So many characters of a string are checked one by one before searches, which cost a call each, are cheaper. */
const nearChars = 64;

/** Index of the quote that closes the string whose content continues at `from`; -1 if there is none. */
export function endOfString(text: string, from: number): number {
  let start = from;
  for (const near = Math.min(text.length, from + nearChars); start < near; start += 1) {
    const unit = text.charCodeAt(start);
    if (unit === quote) return start;
    if (unit === backslash) start += 1;
  }
  let end = text.indexOf('"', start);
  while (end !== -1) {
    let escapes = end;
    while (escapes > start && text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((end - escapes) % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** True if the text is not too deep and no key contains an escape, or if it is invalid JSON, which JSON.parse reports. */
function isPlain(text: string, depthMax: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === quote) {
      const end = endOfString(text, index + 1);
      if (end === -1) return true;
      if (isKeyEnd(text, end) && text.slice(index, end).includes("\\")) return false;
      index = end;
    } else if (unit === 123 || unit === 91) {
      depth += 1;
      if (depth > depthMax) return false;
    } else if (unit === 125 || unit === 93) depth -= 1;
  }
  return true;
}

/** True if a colon follows the string that the quote at `end` closes. */
export function isKeyEnd(text: string, end: number): boolean {
  let after = end + 1;
  let unit = text.charCodeAt(after);
  while (isSpace(unit)) unit = text.charCodeAt((after += 1));
  return unit === colon;
}

const isSpace = (unit: number): boolean => unit === 32 || unit === 10 || unit === 13 || unit === 9;
