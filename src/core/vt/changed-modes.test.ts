import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ChangedModes } from "./changed-modes.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const after = (...chunks: string[]): string => {
  const modes = new ChangedModes();
  for (const chunk of chunks) modes.feed(latin1(chunk));
  return modes.restore().replaceAll("\u001b", "^");
};

test("a program that changed nothing leaves only colours to be reset", () => {
  assert.equal(after("hello \u001b[31mred\u001b[2J\u001b[10;5H"), "^[0m");
});

test("what a full-screen program changed is put back, the screen last", () => {
  assert.equal(
    after("\u001b[?1049h\u001b[?25l\u001b[?1002;1006h\u001b=\u001b[?2004h"),
    "^[0m^>^[?25h^[?1002l^[?1006l^[?2004l^[?1049l",
  );
});

test("what the program put back itself is left alone", () => {
  assert.equal(after("\u001b[?1049h\u001b[?25l\u001b[5;10r", "\u001b[r\u001b[?25h\u001b[?1049l"), "^[0m");
  assert.equal(after("\u001b[?1049h\u001b[>1u\u001b=\u001bc"), "^[0m");
});

test("the keyboard encodings of kitty and xterm are taken back as often as they were pushed", () => {
  assert.equal(after("\u001b[>1u\u001b[>5u\u001b[<u"), "^[0m^[<1u");
  assert.equal(after("\u001b[>4;2m"), "^[0m^[>4m");
  assert.equal(after("\u001b[>4;2m\u001b[>4m"), "^[0m");
});

test("a scroll region is taken back without moving the cursor", () => {
  assert.equal(after("\u001b[2;20r"), "^[0m^7^[r^8");
});

test("at every split of the output the same is put back", () => {
  const whole = "a\u001b[?1049h\u001b[?25lb\u001b[>1u\u001b[3;9rc\u001b[?1000;1006h\u001b[>4;1m\u001b=\u001b[?25h";
  fc.assert(
    fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), whole.length];
      const chunks = places.slice(1).map((to, index) => whole.slice(places[index], to));
      assert.equal(after(...chunks), after(whole));
    }),
  );
});

test("bracketed paste and the alternate screen are known, also where one sequence sets both", () => {
  const modesAfter = (text: string): boolean[] => {
    const modes = new ChangedModes();
    modes.feed(latin1(text));
    return [modes.isBracketedPaste, modes.isAlternateScreen];
  };
  assert.deepEqual(modesAfter("\u001b[?1049;2004h"), [true, true]);
  assert.deepEqual(modesAfter("\u001b[?47;2004h\u001b[?2004l"), [false, true]);
  assert.deepEqual(modesAfter("\u001b[?1049;2004h\u001bc"), [false, false]);
  assert.deepEqual(modesAfter("\u001b[1049h\u001b[?1049$p\u001b[>1049h\u001b]0;\u001b[?2004\u0018h?1049h"), [
    false,
    false,
  ]);
});

test("the alternate screen is known while the program is in it", () => {
  const modes = new ChangedModes();
  modes.feed(latin1("\u001b[?1049h"));
  assert.equal(modes.isAlternateScreen, true);
  modes.feed(latin1("\u001b[?1049l"));
  assert.equal(modes.isAlternateScreen, false);
});

test("a sequence that a gap cut is not continued behind it", () => {
  const modes = new ChangedModes();
  modes.feed(latin1("\u001b[?1049"));
  modes.gap();
  modes.feed(latin1("hello"));
  assert.equal(modes.isAlternateScreen, false);
});
