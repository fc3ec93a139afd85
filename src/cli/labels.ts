/** Labels on the command line. */

/** `KEY=VALUE`; undefined where there is no key or no `=`. The value may hold more of them. */
export function parseLabel(text: string): readonly [string, string] | undefined {
  const at = text.indexOf("=");
  return at < 1 ? undefined : [text.slice(0, at), text.slice(at + 1)];
}
