/** Line drawings on a grid of 16 by 16, in the colour of the text. Hidden from screen readers, so a control needs a label as well. */
import type { ReactElement } from "react";

const paths = {
  plus: "M8 3v10M3 8h10",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",
  list: "M3 4h10M3 8h10M3 12h6",
  grid: "M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z",
  close: "M4 4l8 8M12 4l-8 8",
  back: "M10 3 5 8l5 5",
  forward: "M6 3l5 5-5 5",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  play: "M5 3v10l8-5z",
  pause: "M5 3v10M11 3v10",
  download: "M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10",
  bell: "M4 11V7a4 4 0 0 1 8 0v4l1 1.5H3zM6.7 14.5h2.6",
  mute: "M4 11V7a4 4 0 0 1 6.5-3.1M12 7.5V11l1 1.5H5M2.5 2.5l11 11",
  up: "M4 10l4-4 4 4",
  down: "M4 6l4 4 4-4",
  check: "M3 8.5 6.5 12 13 4.5",
  warn: "M8 2 14.5 13.5h-13zM8 6.5v3.2M8 11.7h.01",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  tool: "M10.5 2.5a3 3 0 0 0-3.8 3.8L2.5 10.5l3 3 4.2-4.2a3 3 0 0 0 3.8-3.8L11.5 7.5 9 7l-.5-2.5z",
  clip: "M13 7.5 8 12.5a3 3 0 0 1-4.3-4.3l5.4-5.4a2 2 0 0 1 2.9 2.9L6.6 11a1 1 0 0 1-1.4-1.4L9.8 5",
  send: "M8 13V3M3.5 7.5 8 3l4.5 4.5",
  eye: "M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  jump: "M6 3H3v10h10v-3M9 3h4v4M13 3 7.5 8.5",
  undo: "M5.5 2.5 2.5 5.5l3 3M2.5 5.5h7a4 4 0 0 1 0 8H6",
  link: "M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.7 7.2",
  theme: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
