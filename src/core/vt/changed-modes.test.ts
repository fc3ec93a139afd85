import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DRAWING_ONCE } from "../text/viewer-policy.ts";
import { ChangedModes } from "./changed-modes.ts";
import { decMode } from "./dec-modes.ts";
import { ANSI_MODES, COLOUR_COMMANDS, lastingControlSequences, lastingEscapes } from "./lasting-sequences.ts";

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

test("each mode that reaches a viewer's terminal is put back, unless it acts once", () => {
  const once: number[] = [];
  for (let number = 0; number < 10_000; number += 1) {
    const mode = decMode(number);
    if (mode === undefined) continue;
    if (mode.restoredTo === null) once.push(number);
    else {
      const [changed, restored] = mode.restoredTo ? ["l", "h"] : ["h", "l"];
      assert.match(after(`\u001b[?${number}${changed}`), new RegExp(`\\^\\[\\?${number}${restored}`), `mode ${number}`);
      assert.equal(after(`\u001b[?${number}${changed}`, `\u001b[?${number}${restored}`), "^[0m");
    }
  }
  assert.deepEqual(once, [1048]);
  for (const mode of ANSI_MODES) assert.equal(after(`\u001b[${mode}h`), `^[0m^[${mode}l`);
});

test("each sequence whose effect lasts is put back, and one that acts once leaves nothing", () => {
  const undone = new Set<string>();
  for (const { change, example, name } of lastingControlSequences) {
    const [prefix = "", last = name] = name.length > 1 && /[<=>?]/.test(name) ? [name[0], name.slice(1)] : [];
    const { undo } = change(example);
    assert.ok(undo !== null, name);
    assert.equal(after(`\u001b[${prefix}${example}${last}`), `\u001b[0m${undo}`.replaceAll("\u001b", "^"), name);
    undone.add(name);
  }
  for (const { change, example, form } of lastingEscapes) {
    assert.match(example, form);
    assert.equal(after(`\u001b${example}`), `\u001b[0m${change(example).undo}`.replaceAll("\u001b", "^"), example);
  }
  for (const name of DRAWING_ONCE) {
    assert.ok(!undone.has(name), name);
    const [prefix = "", last = name] = name.startsWith("?") ? ["?", name.slice(1)] : [];
    assert.equal(after(`\u001b[${prefix}1${last}`), "^[0m", name);
  }
  for (const command of COLOUR_COMMANDS) {
    assert.equal(after(`\u001b]${command};1;red\u0007`), `^[0m^]${command + 100}^\\`);
    assert.equal(after(`\u001b]${command};1;red\u0007\u001b]${command + 100}\u0007`), "^[0m");
  }
});

test("character sets, an open link and progress are put back", () => {
  assert.equal(after("\u001b(0\u001b)0lqk\u000e"), "^[0m\u000f^(B^)B");
  assert.equal(after("\u001b(0", "\u000e", "lqk\u000f\u001b(B"), "^[0m");
  assert.equal(after(`\u001b]8;;https://example.org/${"x".repeat(1000)}\u001b\\text`), "^[0m^]8;;^\\");
  assert.equal(after("\u001b]8;;https://example.org\u0007text\u001b]8;;\u0007"), "^[0m");
  assert.equal(after("\u001b]9;4;1;50\u0007"), "^[0m^]9;4;0^\\");
});

test("the cursor is at the bottom after the origin was put back, which moves it to the top", () => {
  assert.equal(after("\u001b[?6h"), "^[0m^[?6l^[999;1H");
});

test("modes that a program restores from its own copy may be set", () => {
  assert.equal(after("\u001b[?1000h\u001b[?1000s\u001b[?1000l\u001b[?1000;1049r"), "^[0m^[?1000l");
});

test("what the program put back itself is left alone", () => {
  assert.equal(after("\u001b[?1049h\u001b[?25l\u001b[5;10r", "\u001b[r\u001b[?25h\u001b[?1049l"), "^[0m");
  assert.equal(after("\u001b[?1049h\u001b[>1u\u001b=\u001bc"), "^[0m");
});

test("the keyboard encodings of kitty and xterm are taken back as often as they were pushed", () => {
  assert.equal(after("\u001b[>1u\u001b[>5u\u001b[<u"), "^[0m^[<1u");
  assert.equal(after("\u001b[>4;2m"), "^[0m^[>4m");
  assert.equal(after("\u001b[>4;2m\u001b[>4m"), "^[0m");
  assert.equal(after("\u001b[>4;2m\u001b[>1;2m\u001b[>m"), "^[0m");
  assert.equal(after("\u001b[=15u"), "^[0m^[=0u");
  assert.equal(after("\u001b[=5u\u001b[=5;3u"), "^[0m");
  assert.equal(after("\u001b[>1u\u001b[=15u"), "^[0m^[<1u");
});

test("each screen has a keyboard of its own", () => {
  assert.equal(after("\u001b[>1u\u001b[?1049h\u001b[>5u\u001b[>5u"), "^[0m^[<2u^[?1049l^[<1u");
  assert.equal(after("\u001b[?1049h\u001b[>5u\u001b[?1049l\u001b[>1u"), "^[0m^[<1u");
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
