/** Contrast of colours by WCAG 2.2: the ratio of their relative luminances, from 1 to 21. Pure. */

/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** Steps from a colour to black or white. */
const STEPS = 20;

export function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((left, right) => left - right);
  return (light + 0.05) / (dark + 0.05);
}

/** `part` of `over` on `under`. */
export const mixRgb = (over: Rgb, under: Rgb, part: number): Rgb => [
  blend(over[0], under[0], part),
  blend(over[1], under[1], part),
  blend(over[2], under[2], part),
];

/** The colour of text, nearer to black or white by as little as makes it readable on the ground. */
export function readable(text: Rgb, ground: Rgb, contrastMin: number): Rgb {
  if (contrast(text, ground) >= contrastMin) return text;
  const goal = contrast(WHITE, ground) > contrast(BLACK, ground) ? WHITE : BLACK;
  for (let step = 1; step < STEPS; step++) {
    const nearer = mixRgb(goal, text, step / STEPS);
    if (contrast(nearer, ground) >= contrastMin) return nearer;
  }
  return goal;
}

const blend = (over: number, under: number, part: number): number => Math.round(over * part + under * (1 - part));

const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);

function linear(value: number): number {
  const share = value / 255;
  return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}
