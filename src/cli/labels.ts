/** Labels on the command line. */

/** Parses `KEY=VALUE`, where the value may contain `=`; undefined without a key or `=`. */
export function parseLabel(text: string): readonly [string, string] | undefined {
  const at = text.indexOf("=");
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}
