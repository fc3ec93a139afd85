/** Splits a search snippet, in which matches are between U+0002 and U+0003. */

export interface SnippetPiece {
  readonly text: string;
  readonly isMatch: boolean;
}

export function snippetPieces(snippet: string): SnippetPiece[] {
  return snippet
    .split(/\u0002([^\u0003]*)\u0003/)
    .map((text, index) => ({ text: text.replaceAll(/[\u0002\u0003]/g, ""), isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
