/** The screen of a session as a picture. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LecternError } from "../core/errors.ts";
import { drawSvg, pictureSize } from "../core/screen/draw-svg.ts";
import { Screen } from "../core/screen/screen.ts";
import type { OutputOf } from "../protocol/operations.ts";
import type { CliContext } from "./context.ts";

export interface PictureOptions {
  readonly format: "png" | "svg";
  /** A file; standard output if it is undefined or `-`. */
  readonly output: string | undefined;
  readonly scale: number;
  readonly fontFiles: readonly string[];
}

/** Throws `USAGE` if bytes would be written to a terminal. */
export function checkTarget({ format, output }: PictureOptions, { stdout }: CliContext): void {
  const isTerminal = (output === undefined || output === "-") && stdout.isTTY;
  if (format === "png" && isTerminal)
    throw new LecternError("USAGE", "Cannot write a picture to a terminal: give a file with -o, or use a pipe");
}

/** Throws as `rasterize` does, and `INVALID_INPUT` if the file cannot be written. */
export async function writePicture(
  shown: OutputOf<"sessions.screen">,
  { format, output, scale, fontFiles }: PictureOptions,
  context: CliContext,
): Promise<void> {
  const screen = new Screen({ columns: shown.columns, rows: shown.rows, scrollbackLinesMax: 0 });
  screen.feed(new TextEncoder().encode(shown.ansi ?? ""));
  const svg = drawSvg(screen);
  const size = pictureSize(screen);
  screen.dispose();
  const picture =
    format === "svg" ? svg : await (await import("./rasterize.ts")).rasterize(svg, { ...size, scale, fontFiles });
  if (output === undefined || output === "-") return await context.write(picture);
  try {
    await writeFile(resolve(context.workingDirectory, output), picture);
  } catch (cause) {
    throw new LecternError("INVALID_INPUT", `Cannot write "${output}": ${(cause as Error).message}`, { cause });
  }
}
