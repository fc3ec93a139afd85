import assert from "node:assert/strict";
import { test } from "node:test";
import { echoAfter } from "../typing/echo.ts";
import { InputReader } from "../typing/input-reader.ts";
import { frameOf } from "../../../test/frames.ts";
import { cursorLineRow, showsOnlyEcho } from "./line-echo.ts";

const items = (text: string) => new InputReader().feed(new TextEncoder().encode(text));
const isEcho = (text: string, typed: string, canEcho = true, isSecret = false): boolean =>
  showsOnlyEcho(frameOf(text), {
    question: "Go? [y/N]",
    row: 0,
    typed: echoAfter("", items(typed), isSecret),
    canEcho,
  });

test("what was typed and the line feeds behind it are echo, anything else is not", () => {
  assert.deepEqual(
    [isEcho("Go? [y/N] y\n|", "y\r"), isEcho("Go? [y/N] y\n\n\n|", "y\r\r\r"), isEcho("Go? [y/N] y\nls\n|", "y\rls\r")],
    [true, true, true],
  );
  assert.deepEqual(
    [
      isEcho("Go? [y/N] y\nok|", "y\r"),
      isEcho("Go? [y/N] y\n$ |", "y\r"),
      isEcho("Go? [y/N] |", ""),
      isEcho("ok|", "y\r"),
    ],
    [false, false, true, false],
  );
});

test("a corrected line, a control key and a masked text are echo as the terminal shows them", () => {
  assert.equal(isEcho("Go? [y/N] no\n|", "yex\u007F\u007F\u007Fno\r"), true);
  assert.equal(isEcho("Go? [y/N] n\n|", "yes\u0015n\r"), true);
  assert.equal(isEcho("Go? [y/N] ^A\n|", "\u0001\r"), true);
  assert.equal(isEcho("Go? [y/N] abc\n|", "***\r", true, true), true);
  assert.equal(isEcho("Go? [y/N] abcd\n|", "***\r", true, true), false);
});

test("with the echo off, another line is the program's own doing", () => {
  assert.deepEqual([isEcho("Go? [y/N] y|", "y", false), isEcho("Go? [y/N] y\n|", "y\r", false)], [true, false]);
});

test("a line that the terminal wrapped begins in its first row", () => {
  assert.equal(cursorLineRow(frameOf("one\nan answer that is long|", { columns: 10 })), 1);
});
