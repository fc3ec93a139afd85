import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ViewerFilter } from "../../core/text/viewer-filter.ts";
import { removeActingLines } from "../../core/text/escape.ts";
import { LecternError } from "../../core/errors.ts";
import {
  defineCommand,
  jsonOption,
  requireOneFormat,
  shownSessionArgument,
  type OptionSpecs,
  type OptionValues,
} from "../command.ts";
import { drawSvg, pictureSize } from "../../core/screen/draw-svg.ts";
import { Screen } from "../../core/screen/screen.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import type { CliContext } from "../context.ts";

const pictureOptions = {
  png: { type: "flag", summary: "PNG image" },
  svg: { type: "flag", summary: "SVG image" },
  scrollback: { type: "flag", short: "s", summary: "Include the lines above the screen" },
  output: {
    type: "text",
    short: "o",
    placeholder: "FILE",
    completes: "file",
    summary: "File for the image; default: standard output",
  },
  scale: {
    type: "number",
    placeholder: "N",
    minimum: 1,
    maximum: 8,
    summary: "With --png: a cell is N times 10 by 20 pixels; default: 2",
  },
  font: {
    type: "list",
    placeholder: "FILE",
    summary: "With --png: font for characters that the built-in one lacks, such as Chinese",
  },
} as const satisfies OptionSpecs;

export const screen = defineCommand({
  name: "screen",
  summary: "Print the current screen of a session",
  arguments: [shownSessionArgument],
  options: {
    text: { type: "flag", summary: "Text, with wrapped lines joined (default)" },
    ansi: { type: "flag", summary: "Escape sequences, for a terminal of the same size" },
    ...pictureOptions,
    json: jsonOption,
  },
  examples: [
    "lectern screen work",
    "lectern screen work --scrollback | tail -50",
    "lectern screen work --json",
    "lectern screen work --png -o work.png",
  ],
  async run({ arguments: { session }, options }, context) {
    requireOneFormat(options, "text", "ansi", "json", "png", "svg");
    const picture = pictureOf(options);
    if (picture === undefined) {
      if (options.output !== undefined) throw new LecternError("USAGE", "Cannot use -o without --png or --svg");
    } else checkTarget(picture, context);
    const { scrollback } = options;
    const withAnsi = options.ansi || options.json || picture !== undefined;
    const shown = await context.call("sessions.screen", { session, ansi: withAnsi, scrollback });
    if (picture !== undefined) await writePicture(shown, picture, context);
    else if (options.json) await context.print(JSON.stringify(shown));
    else if (options.ansi) {
      const filter = new ViewerFilter({ mode: "replay" });
      await context.write(filter.feed(new TextEncoder().encode(shown.ansi ?? "")));
      await context.write("\u001B[0m\n");
    } else await context.print(removeActingLines(shown.text));
    if (shown.bytesSkipped > 0) context.note(`[lectern: ${shown.bytesSkipped} bytes of output are not on this screen]`);
  },
});

function pictureOf({
  png,
  svg,
  scrollback,
  output,
  scale,
  font,
}: OptionValues<typeof pictureOptions>): PictureOptions | undefined {
  if (!png && (scale !== undefined || font.length > 0))
    throw new LecternError("USAGE", "Cannot use --scale or --font without --png");
  if (!png && !svg) return undefined;
  if (scrollback) throw new LecternError("USAGE", "Cannot use --scrollback with --png or --svg");
  return { format: png ? "png" : "svg", output, scale: scale ?? 2, fontFiles: font };
}

interface PictureOptions {
  readonly format: "png" | "svg";
  /** A file; standard output if it is undefined or `-`. */
  readonly output: string | undefined;
  readonly scale: number;
  readonly fontFiles: readonly string[];
}

/** Throws `USAGE` if bytes would be written to a terminal. */
function checkTarget({ format, output }: PictureOptions, { stdout }: CliContext): void {
  const isTerminal = (output === undefined || output === "-") && stdout.isTTY;
  if (format === "png" && isTerminal)
    throw new LecternError("USAGE", "Cannot write a picture to a terminal: give a file with -o, or use a pipe");
}

const MISSING_SHOWN_MAX = 16;

/** Names the characters that could not be drawn. Throws as `rasterize` does, and `INVALID_INPUT` if the file cannot be written. */
async function writePicture(
  shown: OutputOf<"sessions.screen">,
  { format, output, scale, fontFiles }: PictureOptions,
  context: CliContext,
): Promise<void> {
  const drawn = new Screen({ columns: shown.columns, rows: shown.rows, scrollbackLinesMax: 0 });
  drawn.feed(new TextEncoder().encode(shown.ansi ?? ""));
  const svg = drawSvg(drawn);
  const size = pictureSize(drawn);
  drawn.dispose();
  const { png: picture, missing } =
    format === "svg"
      ? { png: svg, missing: [] }
      : await (await import("../rasterize.ts")).rasterize(svg, { ...size, scale, fontFiles });
  if (missing.length > 0) {
    const shownOnes = missing.slice(0, MISSING_SHOWN_MAX).join(" ");
    const more = missing.length > MISSING_SHOWN_MAX ? " ..." : "";
    context.note(
      `lectern: no font has ${missing.length} of the characters, which are empty boxes: ${shownOnes}${more}; give one that has them with --font FILE, or use --svg`,
    );
  }
  if (output === undefined || output === "-") return await context.write(picture);
  try {
    await writeFile(resolve(context.workingDirectory, output), picture);
  } catch (cause) {
    throw new LecternError("INVALID_INPUT", `Cannot write "${output}": ${(cause as Error).message}`, { cause });
  }
}
