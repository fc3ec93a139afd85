import assert from "node:assert/strict";
import { test } from "node:test";
import { readAgentFiles } from "./agent-reader.ts";
import { builtInTexts } from "./built-in-texts.ts";

/** `line: message` of each problem of one file. */
const problemsIn = (text: string): string[] =>
  readAgentFiles([{ path: "a.yaml", text }]).problems.map(({ line, message }) => `${line}: ${message}`);

test("each built-in file is read, and as one's own it changes nothing", () => {
  for (const [name, text] of Object.entries(builtInTexts)) {
    const { files, problems } = readAgentFiles([{ path: "a.yaml", text }]);
    assert.deepEqual(problems, [], name);
    assert.equal(files.get("a.yaml")?.name, name);
  }
});

test("an unknown key is named with its line and the nearest known one", () => {
  assert.deepEqual(problemsIn("name: mine\ntitel: Mine"), ['2: Unknown key "titel": did you mean "title"']);
  assert.deepEqual(problemsIn("name: mine\nchat:\n  rows:\n    a: { texd: x }"), [
    '4: Unknown key "texd": did you mean "text"',
  ]);
  assert.deepEqual(problemsIn("name: mine\nscreen:\n  a: { in: abov }"), [
    '3: "screen.a.in" is "abov", wanted one of above, top, below, end, null: did you mean "above"',
  ]);
});

test("a pattern, a mark, a key and a base that are not known are named with their line", () => {
  assert.match(
    problemsIn("name: mine\ntitles:\n  a:\n    pattern: '(?=x)'")[0] ?? "",
    /^4: Cannot use the pattern "\(\?=x\)".*RE2/,
  );
  assert.deepEqual(problemsIn("name: mine\nchat:\n  marks:\n    edge: { text: x }\n  rows:\n    a: { is: egde }"), [
    '6: Unknown mark "egde": did you mean "edge"',
  ]);
  assert.match(problemsIn("name: mine\ndraft:\n  mark: x\n  clear:\n    - C-é-x")[0] ?? "", /key/);
  assert.deepEqual(problemsIn("name: mine\nextends: claud"), ['2: Unknown agent "claud": did you mean "claude"']);
});

test("a new rule needs its keys, a change of a known one does not", () => {
  assert.deepEqual(problemsIn("name: claude\nscreen:\n  spinner:\n    pattern: x"), []);
  assert.deepEqual(problemsIn("name: claude\nscreen:\n  mine:\n    pattern: x"), [
    '4: "screen.mine" lacks the key "in"',
    '4: "screen.mine" lacks the key "rows"',
    '4: "screen.mine" lacks the key "state"',
  ]);
  assert.match(
    problemsIn("name: mine\nchat:\n  window:\n    above:\n      - { rowsMax: 3 }")[0] ?? "",
    /^5: A step needs one of/,
  );
});

test("a rule that does not fit its own example is reported and used", () => {
  const { files, problems } = readAgentFiles([
    { path: "a.yaml", text: "name: mine\ntitles:\n  a:\n    pattern: ^x\n    test: [x1, y1]" },
  ]);
  assert.deepEqual(
    problems.map(({ line, severity, message }) => [line, severity, message]),
    [[5, "warning", '"titles.a" does not fit its own test "y1"']],
  );
  assert.equal(files.size, 1);
});

test("two files for one agent are an error that names both", () => {
  const { files, problems } = readAgentFiles([
    { path: "b.yaml", text: "name: mine" },
    { path: "a.yaml", text: "name: mine" },
  ]);
  assert.deepEqual([...files.keys()], ["a.yaml"]);
  assert.deepEqual(
    problems.map(({ file, message }) => `${file}: ${message}`),
    ['b.yaml: Two files for the agent "mine": "a.yaml" and "b.yaml"'],
  );
});

test("a file that has become wrong leaves the version before in force", () => {
  const good = readAgentFiles([{ path: "a.yaml", text: "name: mine\nversion: 3" }]);
  const bad = readAgentFiles([{ path: "a.yaml", text: "name: mine\nversion: x" }], good.files);
  assert.equal(bad.files.get("a.yaml")?.version, 3);
  assert.equal(bad.problems[0]?.line, 2);
  assert.equal(readAgentFiles([], good.files).files.size, 0);
});
