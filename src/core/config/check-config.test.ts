import assert from "node:assert/strict";
import { test } from "node:test";
import { yaml } from "../gate/yaml-file.ts";
import { configChecker, type ConfigKind } from "./check-config.ts";
import { duration, flag, text, texts, wholeNumber } from "./config-key.ts";

const summary = "A key.";
const check = configChecker({
  door: {
    summary: "A door.",
    keys: {
      number: wholeNumber({ summary, default: 1, minimum: 1, maximum: 99 }),
      colour: text({ summary, default: undefined, project: "sets" }),
      closesAfter: duration({ summary, default: "5m" }),
    },
  },
  lamp: { summary: "A lamp.", keys: { on: flag({ summary, default: false }) } },
  bells: texts({ summary, project: "sets" }),
});

const found = (written: string, kind: ConfigKind = "user") => {
  const { data, problems } = check(yaml.read(written), kind);
  return { data, problems: problems.map(({ line, column, message }) => `${line}:${column} ${message}`) };
};

test("a file without a mistake is its data", () => {
  const data = { door: { number: 3 }, bells: ["low"] };
  assert.deepEqual(found("door: {number: 3}\nbells: [low]\n"), { data, problems: [] });
  for (const empty of ["", "# nothing yet\n"]) assert.deepEqual(found(empty), { data: {}, problems: [] });
});

test("a mistake has its line, column, key and the nearest name, and spoils its own section only", () => {
  assert.deepEqual(found("lamp: {on: yes please}\nbells: [low]\ndoor:\n  numbr: 3\n  closesAfter: 5 minutes\n"), {
    data: { bells: ["low"] },
    problems: ['1:12 "lamp.on" must be true or false', '4:3 Unknown key "numbr": did you mean "number"?'],
  });
  assert.deepEqual(found("door:\n  closesAfter: 5 minutes\n"), {
    data: {},
    problems: ['2:16 "door.closesAfter" is "5 minutes", wanted a time such as `20s`, `5m` or `2h`'],
  });
  assert.deepEqual(found("lamb: {}\nbells: []\n"), {
    data: { bells: [] },
    problems: ['1:1 Unknown key "lamb": did you mean "lamp"?'],
  });
});

test("a text that is not YAML, or is not a map, is nothing", () => {
  const broken = check(yaml.read("door: ["), "user");
  assert.deepEqual([broken.data, broken.problems[0]?.section], [{}, null]);
  assert.deepEqual(found("- door\n"), { data: {}, problems: ["1:1 The file must be a map of keys"] });
});

test("a project may only have the keys that are open to it", () => {
  assert.deepEqual(found("bells: [low]\ndoor: {colour: red}\n", "project").problems, []);
  const { data, problems } = found("bells: [low]\ndoor:\n  colour: red\n  number: 2\n", "project");
  assert.deepEqual(data, { bells: ["low"] });
  assert.match(problems[0] ?? "", /^4:3 "door\.number" cannot be set by a project.*lectern config path/);
});

test("a mistake between two keys of a section is found when each of them is right", () => {
  const pair = configChecker({
    range: {
      summary: "A range.",
      keys: {
        from: wholeNumber({ summary, default: 1, minimum: 0, maximum: 9 }),
        to: wholeNumber({ summary, default: 2, minimum: 0, maximum: 9 }),
      },
      problems: ({ from = 1, to = 2 }) => (from > to ? [{ path: ["to"], message: "is too low" }] : []),
    },
  });
  const messages = (written: string) => pair(yaml.read(written), "user").problems.map(({ message }) => message);
  assert.deepEqual(messages("range: {from: 3, to: 2}"), ['"range.to" is too low']);
  assert.deepEqual(messages("range: {from: 3, to: 20}"), ['"range.to" must be <= 9']);
  assert.deepEqual(messages("range: {from: 1, to: 2}"), []);
});
