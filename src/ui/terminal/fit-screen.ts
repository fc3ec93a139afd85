/** Reduces the font size of a terminal so that all columns and rows fit in an element. */
import type { Terminal } from "@xterm/xterm";
import { TERMINAL_FONT_SIZE } from "./theme.ts";

const FONT_SIZE_MIN = 4;
/** Size of a cell relative to the font size, for the font and line height of the page. */
const CELL = { width: 0.6, height: 1.32 * 1.15 };

export function fitScreen(terminal: Terminal, element: HTMLElement): void {
  const { clientWidth, clientHeight } = element;
  if (clientWidth === 0 || clientHeight === 0) return;
  // Leave room for the scroll bar.
  const byWidth = (clientWidth - 16) / terminal.cols / CELL.width;
  const byHeight = clientHeight / terminal.rows / CELL.height;
  const size = Math.min(TERMINAL_FONT_SIZE, Math.max(FONT_SIZE_MIN, Math.floor(Math.min(byWidth, byHeight) * 2) / 2));
  if (terminal.options.fontSize !== size) terminal.options.fontSize = size;
}
