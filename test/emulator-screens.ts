/**
 * Screens of recordings as rows of the emulator contract. `test/fixtures/screens/recorded.json.gz` holds what xterm.js 6.0.0 showed when it
 * was written, by `node scripts/write-recorded-screens.ts`; a difference is to be explained before it is written again.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { MakeEmulator } from "../src/core/emulator/emulator.ts";
import { Screen } from "../src/core/screen/screen.ts";
import { readRecording } from "./recordings.ts";

const fixtures = join(import.meta.dirname, "fixtures");
export const recordedScreensFile = join(fixtures, "screens", "recorded.json.gz");

/** A recording is read at so many places of equal distance, and before each resize. */
const PLACES = 4;

export interface RecordedScreen {
  /** Events of the recording before it. */
  readonly event: number;
  readonly columns: number;
  readonly rows: number;
  readonly isAlternate: boolean;
  readonly cursor: readonly [column: number, row: number];
  /** Lines above the screen. */
  readonly scrollbackLines: number;
  /** Without blanks at the end of rows and empty rows at the end. */
  readonly lines: readonly string[];
}

/** Each agent in its first size, each program of a shell, and the recordings with resizes. */
export const screenRecordings: readonly string[] = globSync(
  "{repl-*,*-main-80x24,*-two-80x24,*-ninety-*,*-resized-*,*-breaks-*,*-mimic-*}.cast*",
  { cwd: join(fixtures, "recordings") },
)
  .map((file) => file.replace(/\.cast(?:\.gz)?$/, ""))
  .toSorted();

/** The screens of a recording, by an emulator. */
export function screensOf(name: string, make: MakeEmulator): RecordedScreen[] {
  const { columns, rows, events } = readRecording(name);
  const screen = new Screen({ columns, rows }, make);
  const every = Math.max(Math.floor(events.length / PLACES), 1);
  const screens: RecordedScreen[] = [];
  for (const [index, [, type, data]] of events.entries()) {
    if (type === "r") {
      screens.push(recordedScreen(screen, index));
      const [width = columns, height = rows] = data.split("x").map(Number);
      screen.resize(width, height);
    }
    if (type === "o") screen.feed(new TextEncoder().encode(data));
    if ((index + 1) % every === 0) screens.push(recordedScreen(screen, index + 1));
  }
  screen.dispose();
  return screens;
}

export function readRecordedScreens(): Readonly<Record<string, readonly RecordedScreen[]>> {
  return JSON.parse(gunzipSync(readFileSync(recordedScreensFile)).toString("utf8"));
}

function recordedScreen(screen: Screen, event: number): RecordedScreen {
  const lines = Array.from({ length: screen.rows }, (_, row) => screen.row(row).text);
  const { cursor, columns, rows, isAlternate, scrollbackLines } = screen;
  const end = lines.findLastIndex((line) => line !== "") + 1;
  return {
    event,
    columns,
    rows,
    isAlternate,
    cursor: [cursor.column, cursor.row],
    scrollbackLines,
    lines: lines.slice(0, end),
  };
}
