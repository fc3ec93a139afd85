/** Makes the letters of a terminal so small that all of its columns and rows fit into an element; never larger than usual. */
import type { Terminal } from "@xterm/xterm";
import { TERMINAL_FONT_SIZE } from "./theme.ts";

const FONT_SIZE_MIN = 4;
/** Of the letter's size, as the font of the page has it with its line height. */
const CELL = { width: 0.6, height: 1.32 * 1.15 };

export function fitScreen(terminal: Terminal, element: HTMLElement): void {
  const { clientWidth, clientHeight } = element;
  if (clientWidth === 0 || clientHeight === 0) return;
  // The scroll bar takes its part.
  const byWidth = (clientWidth - 16) / terminal.cols / CELL.width;
  const byHeight = clientHeight / terminal.rows / CELL.height;
  const size = Math.min(TERMINAL_FONT_SIZE, Math.max(FONT_SIZE_MIN, Math.floor(Math.min(byWidth, byHeight) * 2) / 2));
  if (terminal.options.fontSize !== size) terminal.options.fontSize = size;
}
