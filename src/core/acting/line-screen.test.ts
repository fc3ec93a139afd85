import assert from "node:assert/strict";
import { test } from "node:test";
import { LineScreen } from "./line-screen.ts";

const encoder = new TextEncoder();

function echoOf(text: string, output: string, { prompt = ">>> ", columns = 20 } = {}): LineScreen {
  const echo = new LineScreen(text, { columns, rows: 5, output: encoder.encode(prompt), prompt: ">>> " });
  echo.feed(encoder.encode(output));
  return echo;
}

test("a line that shows the text is whole, and a part of it is not", () => {
  assert.equal(echoOf("print(1)", "print(1)").isWhole, true);
  assert.equal(echoOf("print(1)", "print(1").isWhole, false);
  assert.equal(echoOf("print(1)", "print(1)\u001b[K").isWhole, true);
  assert.equal(echoOf("a ", "a ").isWhole, true);
  assert.equal(echoOf("a ", "a").isWhole, false);
  assert.equal(echoOf("", "").isWhole, true);
});

test("a macro that inserts a pair is seen before and behind the cursor", () => {
  const echo = echoOf("f(", "f()\b");
  assert.deepEqual([echo.isWhole, echo.isEmpty, echo.shown], [false, false, "f()"]);
  echo.feed(encoder.encode("\b\b\u001b[K"));
  assert.deepEqual([echo.isWhole, echo.isEmpty], [false, true]);
});

test("a line over several rows is compared as a whole, also where it scrolls away", () => {
  const text = "0123456789".repeat(12);
  assert.equal(echoOf(text, text).isWhole, true);
  // Readline moves to the next row by itself.
  const rows = [text.slice(0, 16), ...(text.slice(16).match(/.{1,20}/g) ?? [])];
  assert.equal(echoOf(text, rows.join(" \r")).isWhole, true);
  assert.equal(echoOf(text, text.replace("3", "x")).isWhole, false);
  const exact = "0123456789abcdef";
  assert.equal(echoOf(exact, `${exact} \r`).isWhole, true);
});

test("a line that scrolls without a line feed is the same line", () => {
  const prompt = "\r\n".repeat(4) + ">>> ";
  const text = "0123456789".repeat(3);
  const drawn = `${text.slice(0, 16)}\u001b[1S\u001b[1G\u001b[1B\u001b[K${text.slice(16)}`;
  assert.equal(echoOf(text, drawn, { prompt }).isWhole, true);
});

test("suggestions are not part of the line, and other text behind the cursor is", () => {
  assert.equal(echoOf("gi", "gi\u001b[90mt status\u001b[0m\u001b[8D").isWhole, true);
  assert.equal(echoOf("gi", "gi\u001b[2mt\u001b[0m\b").isWhole, true);
  assert.equal(echoOf("gi", "git\b").isWhole, false);
  assert.equal(echoOf("1+1", "1+1\r\n\u001b[90m2\u001b[0m\u001b[A\u001b[8G").isWhole, true);
});

test("late output in the line, or behind a prompt that it scrolled away, is not the text", () => {
  const late = echoOf("f()", "f()late\r\n");
  assert.deepEqual([late.isWhole, late.isInterrupted("f()")], [false, true]);
  assert.equal(echoOf("f(", "f()\b").isInterrupted("f("), false);
  assert.equal(echoOf("f()", "f()", { prompt: ">>> late\r\n" }).isWhole, true);
  assert.equal(echoOf("f()", "\r>>> f()", { prompt: ">>> late\r\n" }).isWhole, true);
  assert.equal(echoOf("f()", "\r>>> >>> f()").isWhole, false);
});

test("tabs, several rows and wide characters are compared by their cells", () => {
  assert.equal(echoOf("a\tb", "a\tb").isWhole, true);
  assert.equal(echoOf("a\nb", "\u001b[7ma\r\nb\u001b[27m").isWhole, true);
  assert.equal(echoOf("a\nb", "ab").isWhole, false);
  assert.equal(echoOf("é漢", "é漢").isWhole, true);
});

test("the output begins behind what leaves the entered line downwards, however that is drawn again", () => {
  const ends = (text: string, pieces: readonly string[]): string | undefined => {
    const echo = echoOf(text, text);
    for (const piece of pieces) {
      const end = echo.endIn(encoder.encode(piece));
      if (end !== -1) return piece.slice(end);
    }
    return undefined;
  };
  assert.equal(ends("1", ["\r\n1\r\n"]), "1\r\n");
  assert.equal(ends("1", ["\b1", "\u001b[m\r\n", "1"]), "");
  assert.equal(ends("1", ["\u001b[1G>>> 1\u001b[K\u001b[1G\u001b[", "1B=> 1"]), "=> 1");
  const long = "0123456789".repeat(3);
  assert.equal(ends(long, [`\u001b[A\r>>> ${long.slice(0, 16)}\r\n${long.slice(16)}\r\n7`]), "7");
  assert.equal(ends("1", ["\u001b[1G\u001b[", "1S\u001b[1B=> 1"]), "\u001b[1B=> 1");
  assert.equal(ends("1", ["\u001b[H\u001b[2J2"]), undefined);
});
