/** The contract of a terminal emulator, held by every maker: the rows of `emulator-contract.ts`, the laws, the recorded screens, and bombs. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { emulatorState } from "./support/screen-state.ts";
import type { MakeEmulator } from "../src/core/emulator/emulator.ts";
import { makeXterm } from "../src/core/emulator/xterm/xterm.ts";
import { Screen } from "../src/core/screen/screen.ts";
import { contractRows, emulatorAfter, everything, seenOf, sizeOf } from "./emulator-contract.ts";
import { readRecordedScreens, screenRecordings, screensOf } from "./emulator-screens.ts";

const makers: Readonly<Record<string, MakeEmulator>> = { "xterm.js": makeXterm };

const noModes = { normal: "", alternate: "" };
const HUGE = 2_147_483_647;
const repeat = (text: string, count: number): string => text.repeat(count);

/** Small outputs that ask for much; those that take long are in bench/support/bombs.ts. */
const bombs: Readonly<Record<string, string>> = {
  "a character repeated 2^31 times": `a\u001B[${HUGE}b`,
  "2^31 rows inserted, deleted and scrolled": ["L", "M", "S", "T"].map((final) => `\u001B[${HUGE}${final}`).join(""),
  "2^31 tab stops forward and back": `\u001B[${HUGE}I\u001B[${HUGE}Z`,
  "2^31 columns inserted, deleted and erased": ["@", "P", "X", "'}", "'~", " @", " A"]
    .map((final) => `\u001B[${HUGE}${final}`)
    .join(""),
  "2^31 rows down and up": `\u001B[${HUGE}E\u001B[${HUGE}F\u001B[${HUGE};${HUGE}H`,
  "1,000 resets": repeat("x\u001Bc", 1000),
  "1,000 alternate screens": repeat("\u001B[?1049hx\u001B[?1049l", 1000),
  "100,000 accents in one cell": `a${repeat("\u0301", 100_000)}`,
  "10,000 joined emoji": repeat("\u{1F468}\u200D", 10_000),
  "10,000 links": Array.from({ length: 10_000 }, (_, index) => `\u001B]8;;http://l${index}\u0007x`).join(""),
  "a title of 1 MB that ends": `\u001B]0;${repeat("t", 1_000_000)}\u0007`,
  "a DCS of 1 MB that never ends": `\u001BPq${repeat("17/17;", 170_000)}`,
  "10,000 titles put aside": repeat("\u001B[22;0t\u001B]0;t\u0007", 10_000),
  "10,000 questions": repeat("\u001B[6n\u001B[c", 10_000),
  "10,000 tab stops set": repeat("\u001BH\u001B[C", 10_000),
};

for (const [name, make] of Object.entries(makers)) {
  describe(`emulator contract, ${name}`, { timeout: 60_000 }, () => {
    for (const row of contractRows) {
      test(row.name, () => {
        const emulator = emulatorAfter(make, row);
        assert.deepEqual(seenOf(emulator, row.expected), row.expected);
        emulator.dispose();
      });
    }

    test("the same output gives the same emulator however it is cut between code points", () => {
      for (const row of contractRows) {
        const whole = emulatorAfter(make, row);
        const parts = make(sizeOf(row));
        for (const step of row.steps) {
          if (typeof step !== "string") parts.resize(...step);
          else for (const codePoint of step) parts.write(new TextEncoder().encode(codePoint));
        }
        assert.deepEqual(emulatorState(parts), emulatorState(whole), row.name);
      }
    });

    test("an emulator made from what another one serialized is equal to it, and stays equal", () => {
      const more = "\u001B[31mmore\u001B[K\r\n漢\t\u001B[2;3Hx\u001B[?1049l0123456789ab\u001B[2S";
      for (const row of contractRows) {
        const emulator = emulatorAfter(make, row);
        const { columns, rows } = emulator;
        const copy = make({ ...sizeOf(row), columns, rows });
        copy.write(emulator.serialize(noModes));
        assert.deepEqual(seenOf(copy, everything), seenOf(emulator, everything), row.name);
        assert.deepEqual(emulatorState(copy), emulatorState(emulator), row.name);
        for (const one of [emulator, copy]) one.write(more);
        assert.deepEqual(seenOf(copy, everything), seenOf(emulator, everything), `${row.name}, and more`);
        assert.deepEqual(emulatorState(copy), emulatorState(emulator), `${row.name}, and more`);
      }
    });

    test("a row has the same key while it is the same row, also when it scrolls", () => {
      const emulator = make({ columns: 10, rows: 2, scrollbackLinesMax: 10 });
      emulator.write("1\r\n2");
      const key = emulator.row(1)?.key;
      assert.ok(key);
      emulator.write("\r\n3");
      assert.equal(emulator.row(0)?.key, key);
      assert.equal(emulator.normalRow(1)?.key, key);
    });

    test("handlers are called at their sequences and keep them from the emulator", () => {
      const emulator = make({ columns: 10, rows: 2, scrollbackLinesMax: 0 });
      const calls: string[] = [];
      const call = (text: string, isKept: boolean) => (): boolean => {
        calls.push(`${text} at ${emulator.cursor.column}`);
        return isKept;
      };
      emulator.onCsi({ prefix: ">", final: "u" }, (parameters) => call(`csi ${JSON.stringify(parameters)}`, false)());
      emulator.onCsi({ final: "G" }, call("column", true));
      emulator.onOsc(11, (data) => call(`osc ${data}`, true)());
      emulator.onDcs({ intermediates: "$", final: "q" }, (data) => call(`dcs ${data}`, true)());
      emulator.onReset(call("reset", false));
      emulator.write("a\u001B[>5:1;2ub\u001B[9Gc\u001B]11;?\u0007\u001BP$qm\u001B\\d\u001Bc");
      assert.deepEqual(calls, ["csi [5,[1],2] at 1", "column at 2", "osc ? at 3", "dcs m at 3", "reset at 4"]);
      assert.deepEqual(seenOf(emulator, { screen: [], replies: [] }), { screen: [], replies: [] });
    });

    test("a cell takes a limited number of code points", () => {
      const emulator = make({ columns: 10, rows: 2, scrollbackLinesMax: 0 });
      emulator.write(`a${repeat("\u0301", 10_000)}b`);
      const { cells = [] } = seenOf(emulator, { cells: [] });
      assert.ok((cells[0]?.length ?? 0) <= 66, `${cells[0]?.length} units`);
      assert.equal(cells[1], "b");
    });

    for (const [bomb, output] of Object.entries(bombs)) {
      test(`bounded: ${bomb}`, () => {
        const screen = new Screen({ columns: 80, rows: 24, scrollbackLinesMax: 100 }, make);
        const replies = screen.feed(new TextEncoder().encode(output));
        assert.ok(replies.length <= 4096);
        assert.ok(screen.scrollbackLines <= 100);
        const snapshot = screen.snapshot(0);
        assert.ok(snapshot.ansi.length < 124 * 80 * 100, `${snapshot.ansi.length} units`);
        screen.feed(new TextEncoder().encode("\u001B\\\u001Bcafter"));
        assert.equal(screen.text(), "after");
        screen.dispose();
      });
    }

    const recorded = readRecordedScreens();

    test("the recorded screens are those of the recordings", () => {
      assert.deepEqual(Object.keys(recorded), screenRecordings);
    });

    for (const [recording, screens] of Object.entries(recorded)) {
      test(`screens of ${recording}`, () => assert.deepEqual(screensOf(recording, make), screens));
    }
  });
}
