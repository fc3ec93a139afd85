/** Screens for the tests of this folder, drawn with escape sequences. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameReader, type Frame } from "../screen/frame.ts";
import { Screen } from "../screen/screen.ts";
import { blockStarts } from "./block-starts.ts";
import type { ChatRules } from "./chat-rules.ts";
import { dedent, withoutRight } from "./row-parts.ts";

/** The frame that a program leaves which prints `rows`. `{n}` in a row is SGR n: `{1}bold{0}`; `{=}` shades the rest of the row. */
export function drawn(rows: readonly string[], { columns = 40, lines = 12 } = {}): Frame {
  const reader = new FrameReader(new Screen({ columns, rows: lines }));
  reader.output(new TextEncoder().encode(rows.map((row) => styled(row, columns)).join("\r\n")), 0, 1_000);
  const [frame] = reader.settle(1_000_000);
  assert.ok(frame);
  return frame;
}

function styled(row: string, columns: number): string {
  const isShaded = row.startsWith("{=}");
  const text = row.replace("{=}", "").replaceAll(/\{([\d;]*)\}/g, "\u001B[$1m");
  const width = text.replaceAll(/\u001B\[[\d;]*m/g, "").length;
  return isShaded ? `\u001B[48;5;236m${text}${" ".repeat(Math.max(0, columns - width))}\u001B[0m` : `${text}\u001B[0m`;
}

/** What the rules read in a frame, a row each: `role: text`, `+ role` where a message begins, `...` where one goes on. */
export function readings(rules: ChatRules, frame: Frame): readonly string[] | null {
  const window = rules.window(frame);
  if (window === null) return null;
  const { columns = frame.columns, from, to } = window;
  const starts = blockStarts(frame.lines, frame.scrolled);
  return frame.lines.slice(from, to).map((line, index) => {
    const { role, isStart = false, text } = rules.read(withoutRight(line, columns), columns, starts[from + index]);
    if (role === null) return text === "" ? "" : `... ${dedent(text, 0)}`;
    return `${isStart ? "+ " : ""}${role}: ${text}`;
  });
}

test("a screen is drawn with styles", () => {
  const { lines } = drawn(["{1}bold{0} plain", "{=}shaded"]);
  assert.deepEqual(
    lines.slice(0, 2).map(({ text, spans }) => [text, spans[0]?.isBold, spans[0]?.background]),
    [
      ["bold plain", true, -1],
      ["shaded", false, 236],
    ],
  );
});
