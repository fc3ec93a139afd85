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

/** Brackets in strings open nothing. By hand: a regular expression would run out of stack in a string of megabytes. */
function isDeep(text: string): boolean {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') isString = !isString;
    else if (isString) at += character === "\\" ? 1 : 0;
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}
