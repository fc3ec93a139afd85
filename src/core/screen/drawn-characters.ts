/**
 * Characters that must join their neighbours are drawn to the edges of the cell instead of with a font: lines, blocks, braille; also
 * symbols that few fonts have.
 * Source: The Unicode Standard, code charts U+2300 (Miscellaneous Technical), U+2500 (Box Drawing), U+2580 (Block Elements), U+2800 (Braille Patterns).
 */

export interface CellBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Path data of SVG. */
export interface DrawnCharacter {
  readonly path: string;
  /** `fill` the path, or draw a line of width 1 along it. */
  readonly paint: "fill" | "stroke";
  /** 0 to 1. */
  readonly opacity: number;
}

/**
 * Weights of the arms up, right, down, left for U+2500 to U+257F: 0 none, 1 light, 2 heavy, 3 double. Dashed lines have the weights of
 * solid ones, diagonals have none.
 */
const arms = [
  "0101 0202 1010 2020 0101 0202 1010 2020 0101 0202 1010 2020 0110 0210 0120 0220",
  "0011 0012 0021 0022 1100 1200 2100 2200 1001 1002 2001 2002 1110 1210 2110 1120",
  "2120 2210 1220 2220 1011 1012 2011 1021 2021 2012 1022 2022 0111 0112 0211 0212",
  "0121 0122 0221 0222 1101 1102 1201 1202 2101 2102 2201 2202 1111 1112 1211 1212",
  "2111 1121 2121 2112 2211 1122 1221 2212 1222 2122 2221 2222 0101 0202 1010 2020",
  "0303 3030 0310 0130 0330 0013 0031 0033 1300 3100 3300 1003 3001 3003 1310 3130",
  "3330 1013 3031 3033 0313 0131 0333 1303 3101 3303 1313 3131 3333 0110 0011 1001",
  "1100 0000 0000 0000 0001 1000 0100 0010 0002 2000 0200 0020 0201 1020 0102 2010",
]
  .join(" ")
  .split(" ")
  .map((weights) => [...weights].map(Number));

/** Number of dashes; 0 for solid lines. `index` counts from U+2500. */
function dashesOf(index: number): number {
  if (index >= 0x04 && index <= 0x0b) return index < 0x08 ? 3 : 4;
  return index >= 0x4c && index <= 0x4f ? 2 : 0;
}

/** Of U+2596 to U+259F; 1 upper left, 2 upper right, 4 lower left, 8 lower right. */
const quadrants = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14];

/** From the middle of a double line to each of its two lines. */
const doubleOffset = 2;
const dotRadius = 1.3;

/** The shape of a character in its cell; undefined if a font draws it. */
export function drawnCharacter(text: string, box: CellBox): DrawnCharacter | undefined {
  if (text.length !== 1) return undefined;
  const code = text.charCodeAt(0);
  if (code >= 0x2500 && code <= 0x257f) return drawLines(code - 0x2500, box);
  // ⎿ has the arms of └; agents put it before the result of a tool.
  if (code === 0x23bf) return drawLines(0x14, box);
  if (code >= 0x2580 && code <= 0x259f) return drawBlock(code - 0x2580, box);
  if (code >= 0x23f4 && code <= 0x23fa) return filled(sign(code - 0x23f4, box));
  if (code >= 0x2800 && code <= 0x28ff) return filled(dots(code - 0x2800, box));
  return undefined;
}

const filled = (path: string, opacity = 1): DrawnCharacter => ({ path, paint: "fill", opacity });
const stroked = (path: string): DrawnCharacter => ({ path, paint: "stroke", opacity: 1 });

const round = (value: number): number => Math.round(value * 1000) / 1000;

function rectangle(left: number, top: number, { width, height }: { readonly width: number; readonly height: number }) {
  return `M${round(left)} ${round(top)}h${round(width)}v${round(height)}h${round(-width)}z`;
}

function drawLines(index: number, box: CellBox): DrawnCharacter {
  const { x, y, width, height } = box;
  const right = x + width;
  const bottom = y + height;
  const { x: middleX, y: middleY } = middleOf(box);
  const radius = width / 2;
  switch (index) {
    case 0x6d:
      return stroked(`M${middleX} ${bottom}V${middleY + radius}Q${middleX} ${middleY} ${right} ${middleY}`);
    case 0x6e:
      return stroked(`M${x} ${middleY}Q${middleX} ${middleY} ${middleX} ${middleY + radius}V${bottom}`);
    case 0x6f:
      return stroked(`M${middleX} ${y}V${middleY - radius}Q${middleX} ${middleY} ${x} ${middleY}`);
    case 0x70:
      return stroked(`M${middleX} ${y}V${middleY - radius}Q${middleX} ${middleY} ${right} ${middleY}`);
    case 0x71:
      return stroked(`M${right} ${y}L${x} ${bottom}`);
    case 0x72:
      return stroked(`M${x} ${y}L${right} ${bottom}`);
    case 0x73:
      return stroked(`M${right} ${y}L${x} ${bottom}M${x} ${y}L${right} ${bottom}`);
    default: {
      const weights = arms[index] ?? [];
      const count = dashesOf(index);
      if (count > 0) return filled(dashedLine(weights, count, box));
      return filled([0, 1, 2, 3].map((direction) => arm(direction, weights, box)).join(""));
    }
  }
}

/** Half a unit off the centre, so that a line of width 1 falls on whole units. */
const middleOf = ({ x, y, width, height }: CellBox): { readonly x: number; readonly y: number } => ({
  x: x + Math.floor(width / 2) + 0.5,
  y: y + Math.floor(height / 2) + 0.5,
});

const thicknessOf = (weight: number): number => (weight === 2 ? 3 : 1);

function dashedLine(weights: readonly number[], count: number, box: CellBox): string {
  const isHorizontal = weights[1] !== 0;
  const thickness = thicknessOf(Math.max(...weights));
  const middle = middleOf(box);
  const step = (isHorizontal ? box.width : box.height) / count;
  return Array.from({ length: count }, (_, index) => {
    const from = step * (index + 0.2);
    return isHorizontal
      ? rectangle(box.x + from, middle.y - thickness / 2, { width: step * 0.6, height: thickness })
      : rectangle(middle.x - thickness / 2, box.y + from, { width: thickness, height: step * 0.6 });
  }).join("");
}

/** One arm from the middle to its edge. Directions are 0 up, 1 right, 2 down, 3 left. */
function arm(direction: number, weights: readonly number[], box: CellBox): string {
  const at = (turned: number): number => weights[(direction + turned) % 4] ?? 0;
  const [weight, clockwise, opposite, counter] = [at(0), at(1), at(2), at(3)];
  if (weight === 0) return "";
  if (weight === 3)
    return [
      bar({ direction, side: doubleOffset, from: doubleFrom(clockwise, counter), thickness: 1 }, box),
      bar({ direction, side: -doubleOffset, from: doubleFrom(counter, clockwise), thickness: 1 }, box),
    ].join("");
  return bar(
    { direction, side: 0, from: singleFrom([clockwise, counter], opposite), thickness: thicknessOf(weight) },
    box,
  );
}

/** Where one of two lines starts, from the centre: it ends at the lines of the arm on its side, or goes around the corner. */
function doubleFrom(onSide: number, beyond: number): number {
  if (onSide === 3) return doubleOffset - 0.5;
  if (beyond === 3) return -doubleOffset - 0.5;
  return Math.max(onSide, beyond) === 0 ? 0 : -0.5;
}

function singleFrom(across: readonly number[], opposite: number): number {
  const doubles = across.filter((weight) => weight === 3).length;
  if (doubles === 2) return opposite === 0 ? doubleOffset - 0.5 : 0;
  if (doubles === 1) return -doubleOffset - 0.5;
  const most = Math.max(...across);
  return most === 0 ? 0 : -thicknessOf(most) / 2;
}

interface Bar {
  readonly direction: number;
  /** Offset of its axis from the centre of the cell: above 0 is clockwise. */
  readonly side: number;
  /** Its start, from the centre of the cell towards the edge. */
  readonly from: number;
  readonly thickness: number;
}

function bar({ direction, side, from, thickness }: Bar, { x, y, width, height }: CellBox): string {
  const middle = middleOf({ x, y, width, height });
  const half = thickness / 2;
  switch (direction) {
    case 0:
      return rectangle(middle.x + side - half, y, { width: thickness, height: middle.y - from - y });
    case 1:
      return rectangle(middle.x + from, middle.y + side - half, {
        width: x + width - middle.x - from,
        height: thickness,
      });
    case 2:
      return rectangle(middle.x - side - half, middle.y + from, {
        width: thickness,
        height: y + height - middle.y - from,
      });
    default:
      return rectangle(x, middle.y - side - half, { width: middle.x - from - x, height: thickness });
  }
}

function drawBlock(index: number, { x, y, width, height }: CellBox): DrawnCharacter {
  const part = (left: number, top: number, [wide, high]: readonly [number, number]): string =>
    rectangle(x + left * width, y + top * height, { width: wide * width, height: high * height });
  if (index === 0) return filled(part(0, 0, [1, 0.5]));
  if (index <= 8) return filled(part(0, 1 - index / 8, [1, index / 8]));
  if (index <= 0x0f) return filled(part(0, 0, [(16 - index) / 8, 1]));
  if (index === 0x10) return filled(part(0.5, 0, [0.5, 1]));
  if (index <= 0x13) return filled(part(0, 0, [1, 1]), (index - 0x10) / 4);
  if (index === 0x14) return filled(part(0, 0, [1, 1 / 8]));
  if (index === 0x15) return filled(part(7 / 8, 0, [1 / 8, 1]));
  const corners = quadrants[index - 0x16] ?? 0;
  return filled(
    [0, 1, 2, 3]
      .filter((corner) => (corners & (1 << corner)) !== 0)
      .map((corner) => part((corner % 2) / 2, Math.floor(corner / 2) / 2, [0.5, 0.5]))
      .join(""),
  );
}

/** Media symbols, which agents use and few fonts have: left, right, up, down, pause, stop, record. */
function sign(index: number, { x, y, width, height }: CellBox): string {
  const radius = width * 0.4;
  const side = radius * 2;
  const [left, top] = [round(x + width / 2 - radius), round(y + height * 0.52 - radius)];
  const [right, bottom] = [round(left + side), round(top + side)];
  const [middle, level] = [round(left + radius), round(top + radius)];
  switch (index) {
    case 0:
      return `M${right} ${top}V${bottom}L${left} ${level}z`;
    case 1:
      return `M${left} ${top}V${bottom}L${right} ${level}z`;
    case 2:
      return `M${left} ${bottom}H${right}L${middle} ${top}z`;
    case 3:
      return `M${left} ${top}H${right}L${middle} ${bottom}z`;
    case 4:
      return [0, 0.65].map((at) => rectangle(left + at * side, top, { width: side * 0.35, height: side })).join("");
    case 5:
      return rectangle(left, top, { width: side, height: side });
    default:
      return circle({ left, middle: level, radius });
  }
}

const circle = ({
  left,
  middle,
  radius,
}: {
  readonly left: number;
  readonly middle: number;
  readonly radius: number;
}) => `M${left} ${middle}a${radius} ${radius} 0 1 0 ${radius * 2} 0a${radius} ${radius} 0 1 0 ${-radius * 2} 0z`;

/** Bits 0 to 2 are the left column, 3 to 5 the right one, 6 and 7 the row below. */
function dots(bits: number, { x, y, width, height }: CellBox): string {
  const places = [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (bits & (1 << bit)) !== 0);
  return places
    .map((bit) => {
      const [column, row] = bit < 6 ? [Math.floor(bit / 3), bit % 3] : [bit - 6, 3];
      const left = round(x + ((column + 0.5) * width) / 2 - dotRadius);
      const middle = round(y + ((row + 0.5) * height) / 4);
      return circle({ left, middle, radius: dotRadius });
    })
    .join("");
}
