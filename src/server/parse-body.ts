/**
 * The one place where a request's JSON becomes values. `JSON.parse` does the work, behind a linear scan that refuses what it
 * would get wrong or what would cost too much:
 * - deep nesting, before anything recursive sees it;
 * - keys without number: a schema that checks 60,000 of them holds the event loop for a third of a second;
 * - the key `__proto__`;
 * - escaped keys: V8 in Node 24 and 26 can return another key for one (nodejs/node#63785). Values are not affected.
 */
import { LecternError } from "../core/errors.ts";

/** No input of the operation table is deeper than 3. */
const DEPTH_MAX = 64;
/** The widest input that is meant is 64 schemas of events. */
const KEYS_MAX = 8192;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Throws `MALFORMED` for what is no JSON in UTF-8, and `INVALID_INPUT` for JSON that is refused. An empty body is `{}`. */
export function parseBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return {};
  const text = textOfBody(bytes);
  refuseUnsafe(text);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new LecternError("MALFORMED", "Cannot read the body: it is not valid JSON", { cause });
  }
}

/** Throws `MALFORMED` for what is not UTF-8: replaced bytes would be another command or prompt. */
export function textOfBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new LecternError("MALFORMED", "Cannot read the body: it is not UTF-8", { cause });
  }
}

function refuseUnsafe(text: string): void {
  let depth = 0;
  let keys = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === '"') {
      const end = endOfString(text, index);
      if (text[skipSpace(text, end)] === ":") {
        refuseKey(text.slice(index + 1, end - 1));
        keys += 1;
        if (keys > KEYS_MAX)
          throw new LecternError("INVALID_INPUT", `Cannot read the body: it has more than ${KEYS_MAX} keys`);
      }
      index = end - 1;
    } else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > DEPTH_MAX)
        throw new LecternError("INVALID_INPUT", `Cannot read the body: it is nested deeper than ${DEPTH_MAX} levels`);
    } else if (character === "}" || character === "]") {
      depth -= 1;
    }
  }
}

function refuseKey(raw: string): void {
  if (raw === "__proto__")
    throw new LecternError("INVALID_INPUT", 'Cannot read the body: the key "__proto__" is refused');
  if (raw.includes("\\"))
    throw new LecternError("INVALID_INPUT", "Cannot read the body: write its keys without backslash escapes");
}

/** Index behind the closing quote of the string that opens at `start`; the length of the text where it never closes. */
function endOfString(text: string, start: number): number {
  for (let close = text.indexOf('"', start + 1); close !== -1; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return close + 1;
  }
  return text.length;
}

function skipSpace(text: string, start: number): number {
  let index = start;
  while (text[index] === " " || text[index] === "\n" || text[index] === "\r" || text[index] === "\t") index += 1;
  return index;
}
