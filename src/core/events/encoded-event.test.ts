import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { LecternError } from "../errors.ts";
import {
  encodeEvent,
  encodeEventBlock,
  encodeEventForm,
  findEncodedEvents,
  readForm,
  writeForm,
} from "./encoded-event.ts";

const payload = { result: "ok", note: 'a "quoted" \\ 日本 🚀  two blanks', list: [1, 2, 3] };
const token = encodeEvent("PLAN_COMPLETE", payload);

/** The payloads found in rows, with their names. */
function found(rows: readonly string[]): unknown[] {
  return findEncodedEvents(rows).map(({ name, text }) => [name, JSON.parse(text) as unknown]);
}

const wrapped = (columns: number): string[] => token.match(new RegExp(`.{1,${columns}}`, "g")) ?? [];

test("encodeEvent gives name, payload and a checksum over both", () => {
  assert.equal(encodeEvent("TASK_COMPLETE", { result: "ok" }), "@@FE1:TASK_COMPLETE:eyJyZXN1bHQiOiJvayJ9:b3077ae4@@");
  assert.throws(() => encodeEvent("a b", 1), LecternError);
  assert.throws(() => encodeEvent("A", undefined), LecternError);
});

test("findEncodedEvents reads a token in the middle of a row, and several in one row", () => {
  assert.deepEqual(found([`● \`${token}\`, and done.`]), [["PLAN_COMPLETE", payload]]);
  assert.deepEqual(found([`${encodeEvent("A", 1)} ${encodeEvent("B", 2)}`]), [
    ["A", 1],
    ["B", 2],
  ]);
});

test("findEncodedEvents undoes wraps at any width, also within the opener", () => {
  for (let columns = 1; columns <= token.length; columns++)
    assert.deepEqual(found(wrapped(columns)), [["PLAN_COMPLETE", payload]], `${columns}`);
});

test("findEncodedEvents undoes indents, side bars, scroll bars and line numbers", () => {
  const rows = wrapped(30);
  const dressings: readonly ((row: string, index: number) => string)[] = [
    (row) => `    ${row}   `,
    (row) => ` ┃ ${row}`.padEnd(60) + "█",
    (row) => `│ ${row} │`,
    (row, index) => `  ${index + 9} ${row}`,
    (row, index) => ` ${index + 1} │ ${row}`,
    (row, index) => (index === 0 ? `● ${row}` : `  ${row}`),
    (row) => `${row.padEnd(34)}│ side panel 12`,
  ];
  for (const dress of dressings) assert.deepEqual(found(rows.map(dress)), [["PLAN_COMPLETE", payload]], dress("x", 0));
});

test("findEncodedEvents reads a block of numbered lines in whatever dress, and not one with a line missing", () => {
  const lines = encodeEventBlock("PLAN_COMPLETE", payload).split("\n");
  assert.deepEqual(found(lines), [["PLAN_COMPLETE", payload]]);
  assert.deepEqual(found(lines.flatMap((line, index) => [`  ${index + 1} │ ${line}  ┃`, " spinner"])), [
    ["PLAN_COMPLETE", payload],
  ]);
  assert.deepEqual(found(lines.toSpliced(1, 1)), []);
  assert.deepEqual(found(lines.slice(0, -1)), []);
});

test("findEncodedEvents reads a checksum over the payload alone, and says that the name is not covered", () => {
  const [event] = findEncodedEvents(["@@FE1:TASK_COMPLETE:eyJyZXN1bHQiOiJvayJ9:98f46d9b@@"]);
  assert.equal(event?.isNameChecked, false);
  assert.equal(findEncodedEvents([token])[0]?.isNameChecked, true);
});

test("findEncodedEvents finds nothing where a single character is changed, lost or doubled", () => {
  for (let index = 0; index < token.length; index++) {
    const changed = token[index] === "x" ? "y" : "x";
    const variants = [
      token.slice(0, index) + changed + token.slice(index + 1),
      token.slice(0, index) + token.slice(index + 1),
    ];
    for (const variant of variants) assert.deepEqual(found([variant]), [], variant);
  }
});

test("findEncodedEvents never throws and never invents, whatever the rows are", () => {
  const unit = fc.constantFrom(
    "@@FE1:",
    "@@FE1 begin 1 A",
    "@@1 eyJ9",
    "@@FE1 end 00000000",
    "A:",
    "eyJ9",
    ":00000000@@",
    " ",
    "│",
    "7 ",
    "@",
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.array(unit, { maxLength: 6 }).map((parts) => parts.join("")),
        { maxLength: 12 },
      ),
      (rows) => {
        assert.deepEqual(findEncodedEvents(rows), []);
      },
    ),
    { numRuns: runsOf(1_000) },
  );
});

test("findEncodedEvents reads what a model writes without a checksum: the payload twice, wherever it is wrapped", () => {
  const form = encodeEventForm("TASK_DONE", { files: 3, summary: "All tests pass." });
  assert.equal(form, "@@FE2:TASK_DONE:files=3&summary=All+tests+pass.:files=3&summary=All+tests+pass.@@");
  for (let at = 1; at < form.length; at += 1) {
    const [event, ...more] = findEncodedEvents([`● ${form.slice(0, at)} │`, `┃ ${form.slice(at)} │`]);
    assert.deepEqual([event?.name, event?.text], ["TASK_DONE", '{"files":3,"summary":"All tests pass."}'], `${at}`);
    assert.ok(event?.isAlone, `${at}`);
    assert.deepEqual(more, []);
  }
});

test("findEncodedEvents finds nothing if the two payloads differ, as behind a wrap with a side panel", () => {
  const form = encodeEventForm("DONE", { summary: "All tests pass" });
  assert.deepEqual(findEncodedEvents([form.replace("tests", "test")]), []);
  assert.deepEqual(findEncodedEvents([form.replace("tests+pass:", "tests+pass"), ""]), []);
  assert.equal(
    findEncodedEvents([`${form.slice(0, 20)} panel`, `${form.slice(20)} text`])[0]?.text.includes("panel"),
    false,
  );
});

test("findEncodedEvents tells a token alone on its rows from one in a sentence", () => {
  const form = encodeEventForm("DONE", { a: 1 });
  const isAlone = (...rows: readonly string[]): boolean | undefined => findEncodedEvents(rows)[0]?.isAlone;
  for (const row of [form, `● \`${form}\``, ` 12 ${form}`, `- ${form}.`]) assert.equal(isAlone(row), true, row);
  for (const row of [`Write ${form}`, `${form} is the form`, `日本 ${form}`]) assert.equal(isAlone(row), false, row);
  assert.equal(isAlone(form.slice(0, 9), `${form.slice(9)} and so on`), false);
});

test("findEncodedEvents reports a payload that is not a form, and one with underscores that a screen may have removed", () => {
  for (const form of ["a=%zz", "a_b=1", "a=1&a=2"]) {
    const [event] = findEncodedEvents([`@@FE2:DONE:${form}:${form}@@`]);
    assert.match(event?.problem ?? "", /not a web form: .*%5F for "_"/, form);
  }
  const [exact] = findEncodedEvents(["@@FE2:DONE:a_b=1:a_b=1@@"], { isExact: true });
  assert.deepEqual([exact?.text, exact?.problem], ['{"a_b":1}', undefined]);
});

test("a text that is full of openers or of rows behind one costs no more than its length", (context) => {
  const cleaning = context.mock.method(String.prototype, "replaceAll");
  const texts = [
    ["@@FE2:a:b ".repeat(10_000)],
    ["@@FE1:x:", ...Array.from({ length: 1000 }, () => "a".repeat(100))],
    Array.from({ length: 4000 }, () => "@@FE1 begin 9999 A"),
  ];
  for (const rows of texts) {
    let reads = 0;
    const counted = new Proxy(rows, {
      get: (target, key) => {
        reads += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    cleaning.mock.resetCalls();
    assert.deepEqual(findEncodedEvents(counted, { isExact: true }), []);
    const cleaned = cleaning.mock.calls.reduce((sum, call) => sum + String(call.this).length, 0);
    const { length } = rows.join("");
    assert.ok(reads + cleaned < 20 * length, `${reads} rows and ${cleaned} characters of ${length}`);
  }
});

test("readForm reads what a model writes", () => {
  assert.deepEqual(readForm("files=3&summary=All+tests+pass.&ok=true&rate=0.5&none=null"), {
    files: 3,
    summary: "All tests pass.",
    ok: true,
    rate: 0.5,
    none: null,
  });
  assert.deepEqual(readForm("path=src%2Fa.ts&list=%5B1%2C2%5D&exit%5Fcode=0"), {
    path: "src/a.ts",
    list: [1, 2],
    exit_code: 0,
  });
  assert.deepEqual(readForm("exit_code=0", { isExact: true }), { exit_code: 0 });
  assert.equal(readForm(""), null);
  assert.equal(readForm("All+done"), "All done");
});

test("readForm does not make a number of what is not written as one", () => {
  assert.deepEqual(readForm("version=1.10&id=007&hash=1e5&big=12345678901234567890"), {
    version: "1.10",
    id: "007",
    hash: "1e5",
    big: "12345678901234567890",
  });
});

test("readForm refuses what is not a form, and what Markdown may have changed", () => {
  for (const text of ["a&b", "a=1&a=2", "=1", "a=1&b", "a=1=2", "a=%zz", "a=%ff", "a=_x_", "a_b=1"])
    assert.equal(readForm(text), undefined, text);
});

test("writeForm is read as the same value, without characters that Markdown changes", () => {
  const value = fc.dictionary(fc.string({ minLength: 1, unit: "grapheme" }), fc.jsonValue(), { maxKeys: 5 });
  fc.assert(
    fc.property(value, (given) => {
      const plain = JSON.parse(JSON.stringify(given)) as unknown;
      const form = writeForm(plain);
      assert.match(form, /^[A-Za-z0-9.%+=&-]*$/);
      assert.deepEqual(readForm(form), plain);
    }),
  );
});
