/** What colours say in the screens of agents. Themes differ, and so does what an agent takes the terminal to be able to show. */
import { rgbOf } from "../screen/palette.ts";
import type { Colour } from "../screen/screen-lines.ts";

/** A grey, or a colour of little saturation, that is neither black nor white. */
export function isGrey(colour: Colour): boolean {
  if (colour < 16) return colour === 8 || colour === 7;
  if (colour >= 232 && colour <= 250) return true;
  const [low, high] = extremes(colour);
  return high - low <= 48 && low >= 0x40 && high <= 0xc8;
}

/** What suggestions and placeholders are written in. */
export const isGreyText = (colour: Colour): boolean => colour !== 7 && isGrey(colour);

/** Grey of any kind, but not as light as text is: what numbers of rows are written in. */
export function isColourless(colour: Colour): boolean {
  if (colour < 16) return colour === 7 || colour === 8;
  if (colour >= 232 && colour < 0x1000000) return true;
  const [low, high] = extremes(colour);
  return high - low <= 24 && high < 0xe0;
}

/** The default colour, black or white: what agents write what matters in, whatever the theme. */
export function isPlain(colour: Colour): boolean {
  if (colour < 16) return colour === -1 || colour === 0 || colour === 15;
  const all = channels(colour);
  return all.every((one) => one >= 0xe8) || all.every((one) => one <= 0x10);
}

/** What errors are written in. */
export function isRed(colour: Colour): boolean {
  if (colour < 16) return colour === 1 || colour === 9;
  const [red, green, blue] = channels(colour);
  return red >= 0x90 && green <= 0x78 && blue <= 0x90;
}

/** What agents write what they ask about in. */
export function isOrange(colour: Colour): boolean {
  if (colour < 16) return false;
  const [red, green, blue] = channels(colour);
  return red >= 0xd0 && green >= 0x90 && green <= 0xc0 && blue <= 0x70;
}

/** A colour from cyan over blue to purple, which stands for no state such as success or failure: who speaks is written in it. */
export function isAccent(colour: Colour): boolean {
  if (colour < 16) return accents.has(colour);
  const [red, green, blue] = channels(colour);
  const [low, high] = extremes(colour);
  // From a hue of 165 to one of 330 degrees.
  const isBetween =
    red === low ? blue - red >= 0.75 * (green - red) : green === low && blue - green >= 0.5 * (red - green);
  return high - low > 48 && isBetween;
}
const accents: ReadonlySet<Colour> = new Set([4, 5, 6, 12, 13, 14]);

function channels(colour: Colour): [red: number, green: number, blue: number] {
  const rgb = rgbOf(colour);
  return [(rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255];
}

function extremes(colour: Colour): [low: number, high: number] {
  const all = channels(colour);
  return [Math.min(...all), Math.max(...all)];
}
