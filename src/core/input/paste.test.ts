import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { encodePaste, lineParts, pasteParts } from "./paste.ts";

const START = "\u001B[200~";
const END = "\u001B[201~";
const paste = (text: string): string => Buffer.from(encodePaste(Buffer.from(text, "latin1"))).toString("latin1");

test("encodePaste wraps the bytes as they are", () => {
  assert.equal(paste("line 1\nline 2\r\u0000\u00ff"), `${START}line 1\nline 2\r\u0000\u00ff${END}`);
  assert.equal(paste(""), START + END);
});

test("encodePaste removes end markers, also those that only arise by removing", () => {
  assert.equal(paste(`a${END}rm -rf\r`), `${START}arm -rf\r${END}`);
  assert.equal(paste("a\u001B[20\u001B[201~1~b"), `${START}ab${END}`);
  assert.equal(paste("a\u00C2\u009B201~b"), `${START}ab${END}`);
});

test("encodePaste leaves no end marker within, whatever the bytes are", () => {
  const unit = fc.constantFrom("\u001B", "[", "2", "0", "1", "~", "\u009B", "\u00C2", "x", END);
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 40 }), (units) => {
      const inner = paste(units.join("")).slice(START.length, -END.length);
      assert.doesNotMatch(inner, /(?:\u001B\[|\u00C2\u009B)201~/);
    }),
    { numRuns: runsOf(2_000) },
  );
});

test("each end of a line begins a part, and each part of a paste is a paste", () => {
  const parts = (text: string): string[] =>
    lineParts(new TextEncoder().encode(text)).map(
      ({ bytes, acts }) => `${acts ? "acts:" : ""}${new TextDecoder().decode(bytes)}`,
    );
  assert.deepEqual(parts("ls"), ["ls"]);
  assert.deepEqual(parts("\r"), ["acts:\r"]);
  assert.deepEqual(parts("y\r"), ["y", "acts:\r"]);
  const pasted = (text: string): string => `\u001B[200~${text}\u001B[201~`;
  assert.deepEqual(parts(`${pasted("a é\nb\n")}\r`), [
    pasted("a é"),
    `acts:${pasted("\nb")}`,
    `acts:${pasted("\n")}`,
    "acts:\r",
  ]);
});

test("a paste that is taken as one is cut before ends of lines, into a limited number of parts that make it", () => {
  const parts = (lines: number): string[] => {
    const text = Array.from({ length: lines }, (_, index) => `line ${index}`).join("\n");
    return pasteParts(encodePaste(new TextEncoder().encode(text)), 8).map(
      ({ bytes, acts }) => `${acts}:${new TextDecoder().decode(bytes)}`,
    );
  };
  assert.deepEqual(parts(1), [`false:${START}line 0${END}`]);
  assert.deepEqual(parts(3), [`false:${START}line 0`, "true:\nline 1", `true:\nline 2${END}`]);
  for (const lines of [7, 8, 9, 10, 100, 1001]) {
    const found = parts(lines);
    assert.ok(found.length <= 8, `${found.length}`);
    assert.deepEqual(found.slice(1, 5), ["true:\nline 1", "true:\nline 2", "true:\nline 3", "true:\nline 4"]);
    const whole = found.map((part) => part.replace(/^\w+:/, "")).join("");
    assert.equal(whole.split("\n").length, lines);
  }
});
