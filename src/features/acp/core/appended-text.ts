/** What a message has gained, for clients that can only append. */

const NO_LETTER = /[^\p{L}\p{N}]/gu;
const lettersOf = (text: string): string => text.replace(NO_LETTER, "");

/**
 * The part of `now` that follows what was sent; null if `now` is another text. Markup and blanks do not count: a better source of a
 * message, such as the record of its agent, gives back the markup that a screen does not show.
 */
export function appendedText(sent: string, now: string): string | null {
  if (now.startsWith(sent)) return now.slice(sent.length);
  const known = lettersOf(sent);
  const letters = lettersOf(now);
  if (!letters.startsWith(known)) return null;
  if (letters.length === known.length) return "";
  return now.slice(placeAfter(now, known.length));
}

/** The place in a text after so many code units of its letters. */
function placeAfter(text: string, count: number): number {
  let left = count;
  let place = 0;
  for (const character of text) {
    if (left <= 0) break;
    left -= lettersOf(character).length;
    place += character.length;
  }
  return place;
}
