/** Gives a terminal the letters with which its columns and rows fill an element. */
import type { Terminal } from "@xterm/xterm";
import { TERMINAL_FONT_SIZE } from "./theme.ts";

const FONT_SIZE_MAX = 32;
const FONT_SIZE_STEP = 0.25;
/** Letters that would grow by less keep their normal size. */
const GROWTH_MIN = 1.1;
/** As the fit addon leaves it free. */
const SCROLL_BAR_PX = 14;

/** `minimum` is the size of the smallest letters; what they do not make fit is scrolled or cut by the element. */
export function fitScreen(terminal: Terminal, { clientWidth, clientHeight }: HTMLElement, minimum: number): void {
  const screen = terminal.element?.querySelector<HTMLElement>(".xterm-screen");
  const width = clientWidth - SCROLL_BAR_PX;
  if (screen == null || width <= 0 || clientHeight === 0) return;
  const shareOf = (fontSize: number): number => {
    if (terminal.options.fontSize !== fontSize) terminal.options.fontSize = fontSize;
    return Math.min(width / screen.offsetWidth, clientHeight / screen.offsetHeight);
  };
  const share = shareOf(TERMINAL_FONT_SIZE);
  if (share >= 1 && share < GROWTH_MIN) return;
  const steps = Math.floor((TERMINAL_FONT_SIZE * share) / FONT_SIZE_STEP);
  let size = Math.max(minimum, Math.min(FONT_SIZE_MAX, steps * FONT_SIZE_STEP));
  // Cells are whole pixels of the screen, so they do not grow as evenly as letters.
  while (shareOf(size) < 1 && size > minimum) size -= FONT_SIZE_STEP;
}
