/** Lines that name keys, below the options of many programs: `Esc to cancel`, `↑↓ navigate • ⏎ select`. */

const HINT =
  /(?:\b(?:esc|enter|return|tab|space|ctrl[+-]\w|arrows?)\b|↑\s?\/?\s?↓|[⇆⏎]).*\b(?:cancel|confirm|select|submit|continue|exit|go back|choose|move|navigate|toggle|amend)\b|\(use (?:the )?(?:arrow keys|enter)/iu;
const LEAVING = /\besc(?:ape)?\b[^·|•]{0,12}\b(?:cancel|exit|go back|back|close|reject|stop)\b/i;
/** What libraries write behind a question: `(Use arrow keys)`, `›`, `…`, `- Use arrow-keys. Return to submit.` */
const BEHIND_QUESTION =
  /\s*(?:\((?:use|press)\b[^()]*\)?|[›‣…]|- (?:use (?:the )?arrow[- ]keys\b|this option is disabled).*)$/iu;
const SPACE_TICKS = /\bspace(?:bar)?\b.{0,12}\b(?:select|toggle|check|tick|mark)/iu;
const ENTER_TICKS = /(?:\b(?:enter|return)\b|⏎)[^•·|,;]{0,12}\b(?:select|toggle|check|tick|mark)/iu;
const OTHER_SUBMITS =
  /\b(?:tab|esc(?:ape)?|ctrl[+-]\w)\b[^•·|,;]{0,12}\b(?:submit|confirm|accept|done|finish|save)\b/iu;

/** `isKeyHint("↑/↓ Navigate · enter Confirm"); // true` */
export const isKeyHint = (text: string): boolean => HINT.test(text);

export const saysEscapeLeaves = (text: string): boolean => LEAVING.test(text);

/** Space ticks one of several choices, and no other key than Enter submits them. */
export const ticksBySpace = (text: string): boolean =>
  SPACE_TICKS.test(text) && !ENTER_TICKS.test(text) && !OTHER_SUBMITS.test(text);

/**
 * A question without the keys that are named behind it.
 * `withoutKeyHints("? Pick a color › - Use arrow-keys. Return to submit."); // "? Pick a color"`
 */
export function withoutKeyHints(text: string): string {
  let shorter = text.trim();
  for (;;) {
    const next = shorter.replace(BEHIND_QUESTION, "");
    if (next === shorter) return shorter;
    shorter = next;
  }
}
