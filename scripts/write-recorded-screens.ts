/** Writes what the emulator shows of the recordings as the rows of its contract: see test/emulator-screens.ts. */
import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { makeXterm } from "../src/core/emulator/xterm/xterm.ts";
import { recordedScreensFile, screenRecordings, screensOf } from "../test/emulator-screens.ts";

const screens = Object.fromEntries(screenRecordings.map((name) => [name, screensOf(name, makeXterm)]));
writeFileSync(recordedScreensFile, gzipSync(JSON.stringify(screens), { level: 9 }));
const count = Object.values(screens).flat().length;
console.log(`${count} screens of ${screenRecordings.length} recordings`);
