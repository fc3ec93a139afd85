/** Text by what a person takes for one character. Source: UAX #29, extended grapheme clusters. */
let segmenter: Intl.Segmenter | undefined;

/** The segmenter is made with the first text: that takes 20 ms, more than most commands do. */
export function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}
