/** Terminal colours for images of the screen. */
import type { Colour } from "./screen-lines.ts";

/** Colours as `#rrggbb`. */
export interface ScreenColours {
  readonly foreground: string;
  readonly background: string;
  readonly cursor: string;
  /** The 16 named ones. */
  readonly palette: readonly string[];
}

export const darkColours: ScreenColours = {
  foreground: "#e6e1d8",
  background: "#141311",
  cursor: "#e8985a",
  palette: `
    #2a2723 #ee7b70 #8fc585 #deb35f #86b1ea #cf9bd6 #74c3c1 #d4cec3
    #8b847a #ff9a8f #abdba1 #f2cd84 #a9c9f5 #e2b9e7 #97dbd9 #f8f5ef`
    .trim()
    .split(/\s+/),
};

/**
 * `#rrggbb` of a colour that is not the default one. After the 16 named ones follow xterm's colour cube and greys.
 * `colourText(196, darkColours); // => "#ff0000"`
 */
export const colourText = (colour: Exclude<Colour, -1>, { palette }: ScreenColours): string =>
  colour < 16 ? (palette[colour] ?? "#000000") : hex(rgbOf(colour));

/** Red, green and blue as one number, for a colour after the 16 named ones: a true colour, or one of the cube and the greys. */
export function rgbOf(colour: Colour): number {
  if (colour >= 0x1000000) return colour - 0x1000000;
  if (colour >= 232) return (8 + (colour - 232) * 10) * 0x10101;
  const [red, green, blue] = [36, 6, 1].map((unit) => {
    const level = Math.floor((colour - 16) / unit) % 6;
    return level === 0 ? 0 : 55 + level * 40;
  }) as [number, number, number]; // three units give three levels
  return red * 0x10000 + green * 0x100 + blue;
}

/** `share` of one colour, the rest of the other; both as `#rrggbb`. */
export function mix(one: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [first, second] = [one, other].map((text) => Number.parseInt(text.slice(at, at + 2), 16)) as [number, number];
    return Math.round(first * share + second * (1 - share));
  });
  return hex(parts.reduce((sum, part) => sum * 0x100 + part, 0));
}

const hex = (rgb: number): string => `#${rgb.toString(16).padStart(6, "0")}`;
