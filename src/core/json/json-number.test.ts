import assert from "node:assert/strict";
import { test } from "node:test";
import { isNumber, isNumberUnit, numberBeginning } from "./json-reader.ts";

const numbers = ["0", "-0", "10", "1.5", "-1.50", "1e5", "1E+5", "0.1e-10", "123456789012345678901234567890"];

test("isNumber takes the numbers of RFC 8259 and no others", () => {
  for (const text of numbers) assert.ok(isNumber(text), text);
  for (const text of ["", "-", "+1", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "1e5.5", "--1", "1-1"]) {
    assert.ok(!isNumber(text), text);
  }
});

test("numberBeginning finds the first character with which a text is no beginning of a number", () => {
  for (const text of numbers) {
    for (let end = 0; end <= text.length; end += 1) assert.equal(numberBeginning(text.slice(0, end)), end, text);
  }
  const broken = { "+": 0, "00": 1, "-01": 2, ".": 0, "1.e": 2, "1ee": 2, "1.25e5.": 6, "--": 1, "1-": 1, "1.5.": 3 };
  for (const [text, at] of Object.entries(broken)) assert.equal(numberBeginning(text), at, text);
});

test("isNumberUnit knows the units of numbers", () => {
  const units = Array.from({ length: 128 }, (_, unit) => unit).filter((unit) => isNumberUnit(unit));
  assert.equal(String.fromCharCode(...units), "+-.0123456789Ee");
});
