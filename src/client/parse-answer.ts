/** JSON of a daemon, which may be on a machine that sends anything. */

/** Smaller texts cannot do harm, and are nearly all. */
const UNCHECKED_CHARS_MAX = 1_048_576;
/** `JSON.parse` takes 80 bytes for each bracket that is open: 5 GB for 64 MiB of them. */
const DEPTH_MAX = 1000;

/** Throws `SyntaxError` for what is not valid JSON, and for a long text that is deeper than 1,000 levels. */
export function parseAnswer(text: string): unknown {
  if (text.length > UNCHECKED_CHARS_MAX && isDeep(text)) throw new SyntaxError(`More than ${DEPTH_MAX} levels`);
  return JSON.parse(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Brackets in strings open nothing. By hand: a regular expression would run out of stack in a string of megabytes. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    // "[" and "{", "]" and "}" differ by one bit.
    else if ((code | 0x20) === 0x7b) depth += 1;
    else if ((code | 0x20) === 0x7d) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

/** The place of the quote that ends a string; the end of the text without one. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text.charCodeAt(before - 1) === BACKSLASH && before > start) before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  return text.length;
}
