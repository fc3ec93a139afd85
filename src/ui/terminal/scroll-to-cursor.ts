/** Where a session is larger than its element at the smallest letters, the cursor is scrolled into view. */
import type { Terminal } from "@xterm/xterm";

export function scrollToCursor({ buffer, cols, element, rows }: Terminal): void {
  const frame = element?.parentElement;
  const screen = element?.querySelector<HTMLElement>(".xterm-screen");
  if (frame == null || screen == null) return;
  const { cursorX, cursorY } = buffer.active;
  frame.scrollLeft = placeInView(frame.scrollLeft, frame.clientWidth, edges(cursorX, cols, screen.offsetWidth));
  frame.scrollTop = placeInView(frame.scrollTop, frame.clientHeight, edges(cursorY, rows, screen.offsetHeight));
}

type Edges = readonly [start: number, end: number];

/** The edges of one of `count` cells along a side. */
const edges = (index: number, count: number, length: number): Edges => [
  (index * length) / count,
  ((index + 1) * length) / count,
];

/** The nearest scroll position at which the edges are in view. */
const placeInView = (position: number, length: number, [start, end]: Edges): number =>
  Math.min(start, Math.max(position, end - length));
