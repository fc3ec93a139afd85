import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { runsOf } from "../../../test/support/searches.ts";
import { screenState } from "../../../test/support/screen-state.ts";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { Screen, plainText } from "./screen.ts";
import { snapshotBytes } from "./snapshot.ts";
import { makeXterm } from "../emulator/xterm/xterm.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const text = (data: Uint8Array): string => new TextDecoder().decode(data);

function screenOf(data: string, size: { columns?: number; rows?: number; scrollbackLinesMax?: number } = {}): Screen {
  const screen = new Screen({ columns: 20, rows: 5, ...size });
  screen.feed(bytes(data));
  return screen;
}

/** A true recording: its size and its events. */
function recording(name: string): { columns: number; rows: number; events: readonly [number, string, string][] } {
  const file = readFileSync(new URL(`../../../test/fixtures/recordings/${name}`, import.meta.url));
  const lines = (name.endsWith(".gz") ? gunzipSync(file) : file).toString().trim().split("\n");
  const [header, ...events] = lines.map((line) => JSON.parse(line));
  return { columns: header.width, rows: header.height, events };
}

function play(screen: Screen, [, type, data]: readonly [number, string, string]): void {
  if (type === "o") screen.feed(bytes(data));
  if (type !== "r") return;
  const [columns = 0, rows = 0] = data.split("x").map(Number);
  screen.resize(columns, rows);
}

const recordings = ["claude-two-80x24.cast", "codex-inline-events-80x24.cast.gz", "pi-encode-80x24.cast.gz"];

test("Screen joins rows that the terminal wrapped and leaves blanks at ends out", () => {
  assert.equal(
    screenOf("one   \r\n\r\na line of 28 characters here\r\n", {}).text(),
    "one\n\na line of 28 characters here",
  );
  assert.equal(screenOf("a".repeat(19) + "漢字", {}).text(), "a".repeat(19) + "漢字");
});

test("Screen gives the scrollback where it is asked for it", () => {
  const screen = screenOf("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7");
  assert.equal(screen.text(), "3\n4\n5\n6\n7");
  assert.equal(screen.text({ scrollback: true }), "1\n2\n3\n4\n5\n6\n7");
  assert.equal(screen.scrollbackLines, 2);
});

test("Screen keeps no more scrollback than it is allowed", () => {
  const screen = screenOf("line\r\n".repeat(100), { scrollbackLinesMax: 10 });
  assert.equal(screen.scrollbackLines, 10);
});

test("Screen joins emoji of several code points into cells as wide as terminals draw them", () => {
  const screen = screenOf("👩‍👩‍👧e\u0301🇩🇪|");
  assert.equal(screen.text(), "👩‍👩‍👧e\u0301🇩🇪|");
  assert.equal(screen.cursor.column, 6);
});

test("Screen reports title, cursor and modes", () => {
  const screen = screenOf(
    "\u001B]2;my title\u0007\u001B[?1049h\u001B[2;3H\u001B[?25l\u001B[?2004h\u001B[?1003;1006h\u001B[>5u\u001B[?2031h\u001B[6 q",
  );
  assert.equal(screen.title, "my title");
  assert.equal(screen.isAlternate, true);
  assert.deepEqual(screen.cursor, { column: 2, row: 1, isVisible: false, shape: "bar" });
  const { bracketedPaste, mouse, mouseEncoding, kittyKeyboard, others } = screen.modes;
  assert.deepEqual(
    { bracketedPaste, mouse, mouseEncoding, kittyKeyboard, others },
    { bracketedPaste: true, mouse: "any", mouseEncoding: "sgr", kittyKeyboard: 5, others: [2031] },
  );
});

test("Screen brings back a title that was put aside", () => {
  assert.equal(screenOf("\u001B]2;shell\u0007\u001B[22;2t\u001B]2;agent\u0007\u001B[23;2t").title, "shell");
});

test("Screen does not let the program change its size", () => {
  const screen = screenOf("\u001B[8;200;200t\u001B[?3h");
  assert.deepEqual([screen.columns, screen.rows], [20, 5]);
});

test("Screen moves an absurd size to the nearest possible one", () => {
  const screen = new Screen({ columns: 1e6, rows: 1e6, scrollbackLinesMax: 0 });
  assert.deepEqual([screen.columns, screen.rows], [1000, 500]);
  screen.resize(0, -1);
  assert.deepEqual([screen.columns, screen.rows], [2, 1]);
});

test("Screen starts anew at a gap and continues nothing", () => {
  const screen = screenOf("old\u001B[?1049h\u001B]2;title");
  screen.gap();
  screen.feed(bytes("new"));
  assert.equal(screen.text(), "new");
  assert.equal(screen.isAlternate, false);
});

test("Screen limits the replies to one chunk and counts the rest", () => {
  const screen = screenOf("");
  assert.equal(screen.feed(bytes("\u001B[c".repeat(1000))).length, 4095);
  assert.equal(screen.repliesDropped, 1000 - 4095 / 7);
});

test("Screen is the same at any chunking of a true recording", () => {
  for (const name of recordings) {
    const { columns, rows, events } = recording(name);
    const output = events.filter(([, type]) => type === "o").map(([, , data]) => data);
    const all = bytes(output.join("")).subarray(0, 60_000);
    const whole = new Screen({ columns, rows });
    whole.feed(all);
    for (const step of [1, 7, 1000]) {
      const parts = new Screen({ columns, rows });
      for (let at = 0; at < all.length; at += step) parts.feed(all.subarray(at, at + step));
      assert.deepEqual(screenState(parts), screenState(whole), `${name} in steps of ${step}`);
    }
  }
});

test("Screen equals one restored from its snapshot at many places of true recordings, and stays equal", () => {
  for (const name of recordings) {
    const { columns, rows, events } = recording(name);
    const screen = new Screen({ columns, rows });
    let follower: Screen | undefined;
    const every = Math.ceil(events.length / 20);
    for (const [index, event] of events.entries()) {
      play(screen, event);
      if (follower !== undefined) play(follower, event);
      if (index % every !== 0) continue;
      if (follower !== undefined)
        assert.deepEqual(screenState(follower), screenState(screen), `${name} followed to event ${index}`);
      const snapshot = JSON.parse(JSON.stringify(screen.snapshot(index)));
      follower = Screen.restore(snapshot);
      assert.deepEqual(screenState(follower), screenState(screen), `${name} restored at event ${index}`);
    }
  }
});

test("snapshotBytes put a plain terminal where the screen is, in the middle of a sequence too", () => {
  const screen = screenOf("text \u001B[1;3");
  const viewer = screenOf(text(snapshotBytes(screen.snapshot(0))));
  screen.feed(bytes("1mred"));
  viewer.feed(bytes("1mred"));
  assert.deepEqual(screenState(viewer), screenState(screen));
  assert.equal(viewer.text(), "text red");
});

const printable = fc.constantFrom(
  "hello",
  " ",
  "漢字",
  "é",
  "e\u0301",
  "👩‍👩‍👧",
  "🇩🇪",
  "\u0301",
  "한",
  "a",
  "─│",
  "x".repeat(30),
  "日".repeat(13),
);
const number = fc.integer({ min: 0, max: 14 });
const moves = fc
  .tuple(number, fc.constantFrom(..."ABCDEFGdaeIZ`JKLMPX@STb".split("")))
  .map(([count, final]) => `\u001B[${count}${final}`)
  // Erasing the scrollback moves a saved cursor: see "a cursor saved above an erased scrollback" in `serialize.test.ts`.
  .filter((sequence) => sequence !== "\u001B[3J");
const places = fc
  .tuple(number, number, fc.constantFrom("H", "r"))
  .map(([row, column, final]) => `\u001B[${row};${column}${final}`);
const styles = fc
  .constantFrom("0", "1", "4:3", "7", "31", "42", "38;5;200", "48;2;1;2;3", "4;58;5;9", "58;5;3")
  .map((style) => `\u001B[${style}m`);
const modes = fc
  .tuple(
    fc.constantFrom(1, 5, 6, 12, 25, 45, 47, 66, 1000, 1003, 1006, 1004, 1047, 1049, 2004, 2026, 2027),
    fc.constantFrom("h", "l"),
  )
  .map(([mode, final]) => `\u001B[?${mode}${final}`);
const others = fc.constantFrom(
  "\r",
  "\n",
  "\t",
  "\b",
  "\u000E",
  "\u000F",

  "\r\n",
  "\u001B7",
  "\u001B8",
  "\u001BM",
  "\u001BH",
  "\u001B(0",
  "\u001B(B",
  "\u001B)0",
  "\u001Bc",
  "\u001B#8",
  "\u001B[4h",

  "\u001B[4l",
  "\u001B[20h",
  "\u001B]2;title\u0007",
  "\u001B[22;2t",
  "\u001B[23;2t",
  "\u001B[3g",
  "\u001B[>5u",
  "\u001B[<u",
  "\u001B[4 q",
  "\u001B[!p",
  "\u001B[1;31",
  "\u001B]0;ab",
  "\u001BP1",
  "\u001B_G",
  '\u001B[1"q',
);
const output = fc
  .array(fc.oneof({ arbitrary: printable, weight: 3 }, moves, places, styles, modes, others), { maxLength: 40 })
  .map((parts) => parts.join(""));

/** The losses that generated streams meet: see "a cursor behind an erased last column" and "in insert mode" in `serialize.test.ts`. */
function isLossy(screen: Screen): boolean {
  if (screen.modes.insert) return true;
  if (screen.cursor.column < screen.columns) return false;
  return Screen.restore(screen.snapshot(0)).cursor.column < screen.columns;
}

test("Screen equals one restored from its snapshot after any output, and stays equal after any more", () => {
  const size = fc.record({
    columns: fc.integer({ min: 2, max: 20 }),
    rows: fc.integer({ min: 2, max: 8 }),
    scrollbackLinesMax: number,
  });
  fc.assert(
    fc.property(size, output, output, (options, before, after) => {
      const screen = screenOf(before, options);
      fc.pre(!isLossy(screen));
      const restored = Screen.restore(screen.snapshot(0), { scrollbackLinesMax: options.scrollbackLinesMax });
      assert.deepEqual(screenState(restored), screenState(screen));
      screen.feed(bytes(after));
      restored.feed(bytes(after));
      assert.deepEqual(screenState(restored), screenState(screen));
    }),
    { numRuns: runsOf(400), seed: 1 },
  );
});

test("Screen equals one restored from its snapshot after any resizes", () => {
  const step = fc.oneof(output, fc.tuple(fc.integer({ min: 2, max: 20 }), fc.integer({ min: 2, max: 8 })));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
      const screen = new Screen({ columns: 12, rows: 4, scrollbackLinesMax: 8 });
      for (const next of steps) {
        if (typeof next === "string") screen.feed(bytes(next));
        else screen.resize(...next);
      }
      fc.pre(!isLossy(screen));
      const restored = Screen.restore(screen.snapshot(0), { scrollbackLinesMax: 8 });
      assert.deepEqual(screenState(restored), screenState(screen));
    }),
    { numRuns: runsOf(400), seed: 1 },
  );
});

function textOf(data: string): string {
  const emulator = makeXterm({ columns: 10, rows: 4, scrollbackLinesMax: 10 });
  emulator.write(data);
  const indexes = Array.from({ length: emulator.scrollbackLines + emulator.rows }, (_, index) => index);
  return plainText(
    indexes.map((index) => emulator.normalRow(index)).filter((row) => row !== undefined),
    10,
  );
}

test("plainText joins wrapped rows and keeps blanks inside", () => {
  assert.equal(textOf("0123456789abc  d\r\nnext"), "0123456789abc  d\nnext");
  assert.equal(textOf("012345678 abc"), "012345678 abc");
});

test("plainText leaves out the blank before a wide character that did not fit", () => {
  assert.equal(textOf("012345678漢"), "012345678漢");
});

test("plainText keeps empty lines between lines only", () => {
  assert.equal(textOf("a\r\n\r\nb\r\n   \r\n"), "a\n\nb");
});
