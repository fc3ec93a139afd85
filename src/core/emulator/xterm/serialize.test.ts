/** What is restored is held by the properties in `screen.test.ts`; here is what a snapshot does not carry, one test for each loss. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type EmulatorState, screenState } from "../../../../test/support/screen-state.ts";
import { Screen } from "../../screen/screen.ts";

function feed(screen: Screen, data: string): Screen {
  screen.feed(new TextEncoder().encode(data));
  return screen;
}

/** The names of the parts that differ after a restore and `more`. */
function lost(data: string, { more = "", rows = 4 } = {}): string[] {
  const screen = feed(new Screen({ columns: 10, rows, scrollbackLinesMax: 5 }), data);
  const restored = feed(Screen.restore(screen.snapshot(0), { scrollbackLinesMax: 5 }), more);
  const [one, other]: EmulatorState[] = [screenState(feed(screen, more)), screenState(restored)];
  assert.ok(one !== undefined && other !== undefined);
  return Object.keys(one).filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
}

test("margins, tab stops, saved cursors, character sets, titles and the screen below the alternate one are restored", () => {
  assert.deepEqual(
    lost("\u001B[2;3r\u001B[3g\u001B[5G\u001BH\u001B(0\u001B[31m\u001B7\u001B]2;a\u0007\u001B[22;2t\u001B[?1049hx"),
    [],
  );
  assert.deepEqual(lost("text\u001B[?1049h\u001B[2;2Hother\u001B7", { more: "\u001B[?1049l" }), []);
  assert.deepEqual(lost("\u001B[?1049h\u001B[>5u\u001B[?1049l"), []);
  assert.deepEqual(lost("\u001B[?7l0123456789abc"), []);
  assert.deepEqual(lost("e", { more: "\u0301" }), []);
  assert.deepEqual(lost("0123456789", { more: "a" }), []);
  assert.deepEqual(lost("\u001B[4habc\u001B[2De", { more: "\u0301" }), []);
});

test("loss: a cursor behind an erased last column stands on it", () => {
  assert.deepEqual(lost("0123456789\u001B[1K"), ["cursor"]);
});

test("loss: a wrapped row on a screen of one row is not wrapped", () => {
  assert.deepEqual(lost("0123456789ab", { rows: 1 }), []);
  assert.deepEqual(lost("0123456789ab\u001B[3J", { rows: 1 }), ["normal rows"]);
});

test("loss: national character sets other than the British one", () => {
  assert.deepEqual(lost("\u001B(A"), []);
  assert.deepEqual(lost("\u001B(K", { more: "[" }), ["normal rows"]);
});

test("loss: a cursor saved above an erased scrollback", () => {
  assert.deepEqual(lost("1\r\n2\u001B7\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8", { more: "\u001B[3J" }), ["normal saved"]);
});

test("loss: in insert mode nothing joins a grapheme of several code points any more", () => {
  assert.deepEqual(lost("abc\r\u001B[4he\u0301"), ["join"]);
  assert.deepEqual(lost("abc\r\u001B[4h🇩🇪"), ["join"]);
});

test("loss: hyperlinks, which the clamp keeps from the emulator", () => {
  const screen = feed(new Screen({ columns: 10, rows: 4 }), "\u001B]8;;https://example.org\u0007link\u001B]8;;\u0007");
  assert.equal(screen.snapshot(0).ansi.includes("example.org"), false);
  assert.equal(screen.text(), "link");
});
