/** A screen has no marks of code: what stands indented in a text read from it is code, and keeps its columns. Pure. */

export interface ScreenPart {
  readonly kind: "markdown" | "code";
  readonly text: string;
}

const LIST_ITEM = /^\s*(?:[-*+•◦▪‣·]|\d{1,3}[.)])\s/;
const BULLET = /^(\s*)[•◦▪‣·](?=\s)/gm;
const INDENTED = /^(?: {2}|\t)/m;

/** The parts of a text in its order, without the empty lines between them. */
export function screenParts(text: string): ScreenPart[] {
  // The agent shows the marks of its code.
  if (text.includes("```")) return [{ kind: "markdown", text }];
  const parts: ScreenPart[] = [];
  let isList = false;
  for (const paragraph of text.split(/\n(?=[^\S\n]*\n)/)) {
    const lines = paragraph.replace(/^(?:[^\S\n]*\n)+/, "");
    isList = LIST_ITEM.test(lines) || (isList && INDENTED.test(lines.slice(0, 2)));
    const kind = !isList && INDENTED.test(lines) ? "code" : "markdown";
    const last = parts.at(-1);
    const between = "\n".repeat(paragraph.length === lines.length ? 1 : 2);
    if (last?.kind === kind) parts[parts.length - 1] = { kind, text: last.text + between + lines };
    else parts.push({ kind, text: lines });
  }
  return parts
    .filter((part) => part.text.trim() !== "")
    .map((part) => (part.kind === "code" ? part : { ...part, text: part.text.replaceAll(BULLET, "$1-") }));
}
