/** The value of a JSON text; undefined if it is not valid JSON. */
export function jsonValueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
