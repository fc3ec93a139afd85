import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { fileReader, yaml } from "./yaml-file.ts";

const read = fileReader<{ readonly items?: readonly { readonly effect: string; readonly tool?: string }[] }>({
  type: "object",
  additionalProperties: false,
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["effect"],
        properties: { effect: { enum: ["allow", "deny"] }, tool: { type: "string" } },
      },
    },
  },
});

/** "line:column message" for each problem. */
function problems(text: string): readonly string[] {
  const result = read(text);
  return result.ok ? [] : result.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

test("an unknown key is an error at its place with the nearest known key", () => {
  assert.deepEqual(problems("items:\n  - effect: deny\n    toool: x\n"), [
    '3:5 Unknown key "toool": did you mean "tool"?',
  ]);
  assert.deepEqual(problems("itmes: []"), ['1:1 Unknown key "itmes": did you mean "items"?']);
  assert.deepEqual(problems("something: 1"), ['1:1 Unknown key "something": the keys here are items']);
});

test("a value that is none of the known ones names them and the nearest", () => {
  assert.deepEqual(problems("items: [{ effect: dney }]"), [
    '1:19 "items.0.effect" is "dney", wanted one of allow, deny: did you mean "deny"?',
  ]);
});

test("a missing key and a wrong type are errors at their place", () => {
  assert.deepEqual(problems("items:\n  - tool: 1"), [
    '2:5 "items.0" lacks the key "effect"',
    '2:11 "items.0.tool" must be a text',
  ]);
  assert.deepEqual(problems("[]"), ["1:1 The file must be a map of keys"]);
  assert.deepEqual(problems(""), ["1:1 The file must be a map of keys"]);
});

test("all problems are reported, by line", () => {
  assert.deepEqual(
    problems("items:\n  - effect: x\n  - efect: deny\n").map((problem) => problem.slice(0, 4)),
    ["2:13", "3:5 ", "3:5 "],
  );
});

test("broken YAML is an error at its place", () => {
  for (const text of [
    "items: [",
    "a: b: c",
    "items:\n\t- x",
    'items: "x',
    "items: []\nitems: []",
    "items: []\n---\nitems: []",
  ]) {
    const [first = ""] = problems(text);
    assert.match(first, /^\d+:\d+ [A-Z]/, text);
  }
});

test("a second document is named, without the name of a function", () => {
  assert.match(problems("items: []\n---\nitems: []")[0] ?? "", /^2:1 A second document begins here: only one is read/);
});

test("what hides data from a reader of the file is refused", () => {
  assert.match(problems("items: &a []")[0] ?? "", /Anchors are not read: remove "&a"/);
  assert.match(problems("items: &a [*a]").join(), /Aliases are not read/);
  assert.match(problems("items: [{ effect: !x deny }]")[0] ?? "", /x/);
  assert.match(problems("<<: {}").join(), /Merge keys are not read/);
  assert.match(problems("? [a]\n: b").join(), /A key must be a plain word/);
});

test("a map of many keys is read, and a repeated one is an error at its place", () => {
  // With a parser that compares each key with each other one, this does not end within the time of a test.
  const keys = Array.from({ length: 25_000 }, (_, index) => `k${index}: 1\n`).join("");
  const result = yaml.read(keys);
  assert.equal(result.ok && Object.keys(result.value as object).length, 25_000);
  assert.deepEqual(problems(`${keys}k7: 1\n`), ["25001:1 Map keys must be unique"]);
  assert.match(problems("items: [{ effect: deny, effect: allow }]")[0] ?? "", /^1:25 Map keys must be unique/);
  assert.match(problems('{"items":[],"items":[]}')[0] ?? "", /^1:13 Map keys must be unique/);
});

test("a file that is too long or too deep is refused unread", () => {
  assert.match(problems(`items: # ${"x".repeat(262_144)}`)[0] ?? "", /the limit is 262144/);
  assert.match(problems("[".repeat(100_000))[0] ?? "", /1:51 The file is deeper than 50 levels/);
  assert.match(problems(`items:\n${"- ".repeat(20_000)}x`)[0] ?? "", /deeper/);
});

test("JSON is read as the YAML that it is", () => {
  const result = read('{"items":[{"effect":"deny","tool":"a"}]}');
  assert.deepEqual(result.ok && result.data, { items: [{ effect: "deny", tool: "a" }] });
});

test("places are those of keys and values", () => {
  const result = read("# head\nitems:\n  - effect: deny\n    tool: x\n");
  assert.ok(result.ok);
  assert.deepEqual(result.place(["items", 0]), { line: 3, column: 5 });
  assert.deepEqual(result.place(["items", 0, "tool"]), { line: 4, column: 11 });
  assert.deepEqual(result.place(["items", 7, "gone"]), { line: 3, column: 3 });
});

test("any text gives a result and never an exception", () => {
  const piece = fc.constantFrom(
    "items",
    ":",
    " ",
    "\n",
    "-",
    "[",
    "]",
    "{",
    "}",
    "&a",
    "*a",
    "!t",
    "|",
    ">",
    "'",
    '"',
    "#",
    "?",
    "%",
    "---",
    "\t",
    "effect: deny",
    "<<",
    ",",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (parts) => {
      const result = read(parts.join(""));
      if (!result.ok)
        assert.ok(result.problems.length > 0 && result.problems.every(({ line, column }) => line >= 1 && column >= 1));
    }),
    { numRuns: runsOf(500) },
  );
});
