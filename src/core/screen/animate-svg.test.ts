import assert from "node:assert/strict";
import { test } from "node:test";
import { LAST_SCREEN_MS, SvgAnimation } from "./animate-svg.ts";
import { drawRow } from "./draw-svg.ts";
import { darkColours } from "./palette.ts";
import { Screen } from "./screen.ts";

interface Moment {
  readonly atMs: number;
  readonly output: string;
}

/** The animation of a screen of 20 by 3, and what its rows showed at each moment. */
function animate(moments: readonly Moment[]): { readonly svg: string; readonly rows: string[][] } {
  const screen = new Screen({ columns: 20, rows: 3 });
  const animation = new SvgAnimation();
  const rows = moments.map(({ atMs, output }) => {
    screen.feed(new TextEncoder().encode(output));
    animation.add(screen, atMs);
    return Array.from({ length: screen.rows }, (_, row) => drawRow(screen, row, darkColours)).filter(Boolean);
  });
  return { svg: animation.draw(), rows };
}

/** What a browser shows at a moment: the groups whose key frames say "visible", and what is in no group. */
function shownAt(svg: string, atMs: number, endMs: number): string[] {
  const steps = new Map(
    [...svg.matchAll(/@keyframes (s\d+)\{((?:[\d.]+%\{[^}]*\})+)\}/g)].map(([, name = "", text = ""]) => [
      name,
      [...text.matchAll(/([\d.]+)%\{visibility:(\w+)\}/g)].map(([, at, is]) => ({ at: Number(at), is })),
    ]),
  );
  const groups = [...svg.matchAll(/<g class="(s\d+)"[^>]*>\n(.*?)\n<\/g>/gs)];
  const moving = groups.filter(([, name = ""]) => {
    const percent = (atMs / endMs) * 100 + 0.01;
    return steps.get(name)?.findLast(({ at }) => at <= percent)?.is === "visible";
  });
  const still = svg
    .replaceAll(/<g class=.*?<\/g>\n/gs, "")
    .split("\n")
    .filter((line) => /^<(?:text|path)/.test(line));
  return [...still, ...moving.flatMap(([, , drawn = ""]) => drawn.split("\n"))].toSorted();
}

test("each moment shows the rows of its screen and no others", () => {
  const moments = [
    { atMs: 0, output: "\u001B[?25lone\r\n\u001B[31mtwo" },
    { atMs: 400, output: "\r\u001B[Kthree" },
    { atMs: 900, output: "\r\u001B[K\u001B[31mtwo\r\nlast" },
  ];
  const { svg, rows } = animate(moments);
  const endMs = 900 + LAST_SCREEN_MS;
  moments.forEach(({ atMs }, index) => {
    const expected = (rows[index] ?? []).flatMap((drawn) => drawn.split("\n"));
    assert.deepEqual(shownAt(svg, atMs, endMs), expected.toSorted());
  });
  assert.match(svg, /prefers-reduced-motion:no-preference/);
  // Two of its rows are drawn once although they come twice, or stay.
  assert.equal([...svg.matchAll(/>two</g)].length, 1);
  assert.equal([...svg.matchAll(/>one</g)].length, 1);
});

test("without animations it is the last screen", () => {
  const { svg, rows } = animate([
    { atMs: 0, output: "\u001B[?25lfirst" },
    { atMs: 100, output: "\r\u001B[Ksecond" },
    { atMs: 100, output: "\r\u001B[Klast" },
  ]);
  const still = svg.replaceAll(/<g class="s\d+" visibility="hidden">.*?<\/g>\n/gs, "");
  assert.ok(still.includes(rows[2]?.[0] ?? "none"));
  assert.ok(!still.includes(">first<"));
  assert.ok(!svg.includes(">second<"), "it was shown for no time");
});

test("the picture is as large as the largest screen", () => {
  const animation = new SvgAnimation();
  animation.add(new Screen({ columns: 10, rows: 9 }), 0);
  animation.add(new Screen({ columns: 30, rows: 4 }), 50);
  assert.match(animation.draw(), /width="320" height="200"/);
  assert.equal(animation.drawnRows, 1, "that of the cursor, which is the same in both");
});
