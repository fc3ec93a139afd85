import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { drawSvg, pictureSize } from "./draw-svg.ts";
import { Screen } from "./screen.ts";

function screenOf(text: string, size = { columns: 20, rows: 4 }): Screen {
  const screen = new Screen(size);
  screen.feed(new TextEncoder().encode(text));
  return screen;
}

const hiddenCursor = "\u001B[?25l";
const unescape = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Each text of a picture as `x,y text`; blanks left out. */
function placedTexts(svg: string): string[] {
  return [...svg.matchAll(/<text x="([^"]*)" y="(\d+)"([^>]*)>([^<]*)<\/text>/g)].flatMap(
    ([, x = "", y = "", look = "", text = ""]) => {
      const places = x.split(" ");
      if (look.includes("text-anchor")) return [`${x},${y} ${unescape(text)}`];
      assert.equal(places.length, unescape(text).length);
      return [...unescape(text)]
        .map((each, index) => `${places[index]},${y} ${each}`)
        .filter((each) => !/ {2}$/.test(each));
    },
  );
}

test("the text of every cell is in the picture once, at the place of its cell", () => {
  const piece = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."ab <>&é漢👍\u0301"), maxLength: 12 }),
    fc.constantFrom("\u001B[1m", "\u001B[3;4m", "\u001B[7;31m", "\u001B[0m", "\u001B[48;5;99m", "\r\n", "\u001B[2;3H"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const screen = screenOf(pieces.join(""));
      const expected = Array.from({ length: screen.rows }, (_, row) =>
        screen
          .cells(row)
          .filter(({ text }) => text !== " ")
          .map(({ text, column, width }) => {
            const middle = text.length > 1 || width > 1 ? width * 5 : 0;
            return `${10 + column * 10 + middle},${25 + row * 20} ${text}`;
          }),
      );
      assert.deepEqual(placedTexts(drawSvg(screen)), expected.flat());
    }),
  );
});

test("colours, weights and lines of text are drawn", () => {
  const svg = drawSvg(
    screenOf(`${hiddenCursor}\u001B[1;31mred\u001B[0;3;4;38;2;1;2;3mtrue\u001B[0;7mback\u001B[0;8mno`),
  );
  assert.match(svg, /<text x="10 20 30" y="25" fill="#ee7b70" font-weight="bold">red</);
  assert.match(svg, /fill="#010203" font-style="italic">true</);
  assert.match(svg, /<rect x="40" y="27" width="40" height="1" fill="#010203"\/>/);
  assert.match(svg, /<rect x="80" y="10" width="40" height="20" fill="#e6e1d8"\/>/);
  assert.match(svg, /fill="#141311">back</);
  assert.doesNotMatch(svg, />no</);
});

test("lines and blocks are shapes, not text", () => {
  const svg = drawSvg(screenOf(`${hiddenCursor}┌─┐█⣿`));
  assert.doesNotMatch(svg, /<text/);
  assert.equal([...svg.matchAll(/<path /g)].length, 1);
});

test("the cursor is a block under its character, a bar or a line; a hidden one is not drawn", () => {
  const cursors = (text: string): string[] => drawSvg(screenOf(text)).match(/<rect [^>]*fill="#e8985a"\/>/g) ?? [];
  assert.deepEqual(cursors("ab\u001B[D"), ['<rect x="20" y="10" width="10" height="20" fill="#e8985a"/>']);
  assert.deepEqual(cursors("漢\u001B[D"), ['<rect x="10" y="10" width="20" height="20" fill="#e8985a"/>']);
  assert.deepEqual(cursors("ab\u001B[6 q"), ['<rect x="30" y="10" width="2" height="20" fill="#e8985a"/>']);
  assert.deepEqual(cursors("ab\u001B[4 q"), ['<rect x="30" y="28" width="10" height="2" fill="#e8985a"/>']);
  assert.deepEqual(cursors("x".repeat(20)), ['<rect x="200" y="10" width="10" height="20" fill="#e8985a"/>']);
  assert.deepEqual(cursors(`ab${hiddenCursor}`), []);
});

test("the title is text of the picture and no markup", () => {
  const svg = drawSvg(screenOf("\u001B]0;</title><script>&\u0007"));
  assert.match(svg, /<title>&lt;\/title&gt;&lt;script&gt;&amp;<\/title>/);
});

test("a picture is as large as its cells and their margin", () => {
  assert.deepEqual(pictureSize({ columns: 80, rows: 24 }), { width: 820, height: 500 });
});
