/**
 * The attributes of a start tag, from the text between its name and `>`: `name="A" nonce='x' bare=1`. The first of two alike counts.
 * Undefined where the text is no list of attributes.
 * `parseAttributes(' name="TASK_COMPLETE"'); // { name: "TASK_COMPLETE" }`
 */
export function parseAttributes(text: string): Readonly<Record<string, string>> | undefined {
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>;
  const pattern = /\s+([A-Za-z_][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/y;
  let end = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [, name = "", double, single, bare] = match;
    attributes[name] ??= double ?? single ?? bare ?? "";
    end = pattern.lastIndex;
  }
  return text.slice(end).trim() === "" ? { ...attributes } : undefined;
}
