/** The JSON of an answer in pieces: as one text, the 16 MiB of a page of logs held the event loop for a tenth of a second. */

/** So many characters of a text take some 2 ms. */
const PIECE_CHARS = 262_144;

/** Whether a document has a text that is worth pieces. */
export const isLong = (document: unknown): document is object =>
  typeof document === "object" && document !== null && Object.values(document).some((value) => isLongText(value));

const isLongText = (value: unknown): value is string => typeof value === "string" && value.length > PIECE_CHARS;

/** Together the same as `JSON.stringify`, of a document that has no `toJSON`. */
export function* jsonPieces(document: object): Generator<string> {
  let lead = "{";
  for (const [key, value] of Object.entries(document) as [string, unknown][]) {
    if (value === undefined) continue;
    yield `${lead}${JSON.stringify(key)}:`;
    lead = ",";
    if (isLongText(value)) yield* textPieces(value);
    else yield JSON.stringify(value);
  }
  yield lead === "{" ? "{}" : "}";
}

function* textPieces(text: string): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length;) {
    let to = Math.min(from + PIECE_CHARS, text.length);
    // A character of two units is not cut: each half would be written as an escape.
    if ((text.codePointAt(to - 1) ?? 0) > 0xff_ff) to += 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}
