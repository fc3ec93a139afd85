/** Renders a picture of a screen as PNG. Only this file uses the rasterizer and the font; see docs/decisions/screen.md. */
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { initWasm, Resvg, type CustomFontsOptions } from "@resvg/resvg-wasm";
import { LecternError } from "../core/errors.ts";

export interface RasterizeOptions {
  /** Width of the SVG in its own units. */
  readonly width: number;
  readonly height: number;
  /** Pixels per unit. */
  readonly scale: number;
  /** Fonts for characters missing in the built-in one: TrueType, OpenType, WOFF2. */
  readonly fontFiles: readonly string[];
}

/** More would need over 256 MB of memory. */
const PIXELS_MAX = 64_000_000;
const FONT_FAMILY = "DejaVu Sans Mono";
const WASM = import.meta.resolve("@resvg/resvg-wasm/index_bg.wasm");
const FACES = {
  normal: import.meta.resolve("@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff2"),
  bold: import.meta.resolve("@fontsource/dejavu-mono/files/dejavu-mono-latin-700-normal.woff2"),
  italic: import.meta.resolve("@fontsource/dejavu-mono/files/dejavu-mono-latin-400-italic.woff2"),
  boldItalic: import.meta.resolve("@fontsource/dejavu-mono/files/dejavu-mono-latin-700-italic.woff2"),
};

let loading: Promise<void> | undefined;

export interface Picture {
  readonly png: Uint8Array;
  /** Characters that no font has, each once: an empty box stands in their place. */
  readonly missing: readonly string[];
}

/** Throws `TOO_LARGE` for more than 64 million pixels, `NOT_FOUND` if a font cannot be read. */
export async function rasterize(svg: string, options: RasterizeOptions): Promise<Picture> {
  const { width, height, scale, fontFiles } = options;
  if (width * height * scale ** 2 > PIXELS_MAX)
    throw new LecternError(
      "TOO_LARGE",
      `Cannot create a picture of ${width * scale} by ${height * scale} pixels: at most ${PIXELS_MAX} are possible; give a smaller --scale or --svg`,
    );
  loading ??= readFile(fileURLToPath(WASM)).then((bytes) => initWasm(bytes));
  const [fontBuffers] = await Promise.all([readFonts(svg, fontFiles), loading]);
  const font = { fontBuffers, defaultFontFamily: FONT_FAMILY, monospaceFamily: FONT_FAMILY };
  const picture = new Resvg(svg, { font, fitTo: { mode: "zoom", value: scale } });
  try {
    return { png: picture.render().asPng(), missing: missingIn(svg, font) };
  } finally {
    picture.free();
  }
}

/** What no font has is drawn as this noncharacter is. */
const UNASSIGNED = "\u{10FFFE}";

function missingIn(svg: string, font: CustomFontsOptions): string[] {
  const drawn = new Set(svg.replaceAll(/<[^>]*>/g, "").match(/[^\0-\x7F]/gu));
  if (drawn.size === 0) return [];
  const characters = [UNASSIGNED, ...drawn];
  const texts = characters.map((character, index) => `<text id="${index}" y="20">${character}</text>`).join("");
  const probe = new Resvg(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${texts}</svg>`, { font });
  const shapes = new Map<number, string>();
  for (const [, id, shape = ""] of probe.toString().matchAll(/ id="(\d+)">\s*<path[^>]* d="([^"]*)"/g))
    shapes.set(Number(id), shape);
  probe.free();
  return characters.filter((_, index) => index > 0 && shapes.get(index) === shapes.get(0));
}

/** Only the faces that the picture uses: unpacking one takes longer than drawing with it. */
async function readFonts(svg: string, fontFiles: readonly string[]): Promise<Uint8Array[]> {
  const isBold = svg.includes('font-weight="bold"');
  const isItalic = svg.includes('font-style="italic"');
  const own = [FACES.normal, isBold && FACES.bold, isItalic && FACES.italic, isBold && isItalic && FACES.boldItalic];
  const paths = own.filter((url) => url !== false).map((url) => fileURLToPath(url));
  return await Promise.all([...paths, ...fontFiles].map((path) => readFont(path)));
}

async function readFont(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new LecternError("NOT_FOUND", `Cannot read the font "${path}": ${(cause as Error).message}`, { cause });
  }
}
