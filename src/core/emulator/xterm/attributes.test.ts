import assert from "node:assert/strict";
import { test } from "node:test";
import { attributesText, isErasedStyle, sameAttributes, sgrOf, underlineColourOf } from "./attributes.ts";
import type { Attributes } from "./internals.ts";
import { XtermEmulator } from "./xterm.ts";

/** The attributes in force after some bytes. */
function after(data: string): Attributes {
  const emulator = new XtermEmulator({ columns: 80, rows: 24, scrollbackLinesMax: 0 });
  emulator.write(data);
  return emulator.core._inputHandler._curAttrData;
}

const styles = [
  "",
  "1",
  "2",
  "3",
  "4",
  "4:3",
  "5",
  "7",
  "8",
  "9",
  "21",
  "53",
  "31;42",
  "97;100",
  "38;5;3",
  "48;5;200",
  "38;2;1;2;3;48;2;255;254;253",
  "4;58;5;9",
  "4:5;58:2::7:8:9",
  "38;2;9;9;9;38;5;7",
];

test("sgrOf sets exactly the attributes that it was given, whatever was set before", () => {
  for (const style of styles) {
    const wanted = after(`\u001B[${style}m`);
    const got = after(`\u001B[1;2;3;4:2;5;7;8;9;53;31;44m${sgrOf(wanted)}`);
    assert.ok(sameAttributes(got, wanted), `${style}: ${attributesText(got)} is not ${attributesText(wanted)}`);
  }
});

test("sgrOf sets the protection from erasing", () => {
  assert.ok(sameAttributes(after(sgrOf(after('\u001B[1"q'))), after('\u001B[1"q')));
});

test("sameAttributes tells each style from the others", () => {
  const distinct = new Set(styles.map((style) => attributesText(after(`\u001B[${style}m`))));
  assert.equal(distinct.size, styles.length);
});

test("underlineColourOf finds a colour that waits for an underline", () => {
  assert.equal(underlineColourOf(after("\u001B[58;5;9m")), "\u001B[58:5:9m");
  assert.equal(underlineColourOf(after("\u001B[4;58;5;9m")), "");
});

test("isErasedStyle is true for a background alone", () => {
  assert.equal(isErasedStyle(after("\u001B[41m")), true);
  assert.equal(isErasedStyle(after("\u001B[7;41m")), false);
});
