import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readAgentFiles, wrongPlaces, unfittedExamples } from "./agent-reader.ts";
import { builtInData } from "./built-in-data.ts";
import { builtInFiles } from "./built-in-agents.ts";

/** `line: message` of each problem of one file. */
const problemsIn = (text: string): string[] =>
  readAgentFiles([{ path: "a.yaml", text }]).problems.map(({ line, message }) => `${line}: ${message}`);

test("each built-in file is read, and as one's own it changes nothing", () => {
  for (const name of Object.keys(builtInData)) {
    const text = readFileSync(new URL(`built-in/${name}.yaml`, import.meta.url), "utf8");
    const { files, problems } = readAgentFiles([{ path: "a.yaml", text }]);
    assert.deepEqual(problems, [], name);
    assert.equal(files.get("a.yaml")?.name, name);
  }
});

test("an unknown key is named with its line and the nearest known one", () => {
  assert.deepEqual(problemsIn("name: mine\ntitel: Mine"), ['2: Unknown key "titel": did you mean "title"?']);
  assert.deepEqual(problemsIn("name: mine\nchat:\n  rows:\n    a: { texd: x }"), [
    '4: Unknown key "texd": did you mean "text"?',
  ]);
  assert.deepEqual(problemsIn("name: mine\nscreen:\n  a: { in: abov }"), [
    '3: "screen.a.in" is "abov", wanted one of above, top, below, end: did you mean "above"?',
  ]);
});

test("a pattern, a mark, a key and a base that are not known are named with their line", () => {
  assert.match(
    problemsIn("name: mine\ntitles:\n  a:\n    pattern: '(?=x)'")[0] ?? "",
    /^4: Cannot use the pattern "\(\?=x\)": syntax that is not known: "\(\?=" \(RE2/,
  );
  assert.deepEqual(problemsIn("name: mine\ntitles:\n  a:\n    pattern: 1\n    test: 2"), [
    '4: "titles.a.pattern" must be a text',
    '5: "titles.a.test" must be a text or a list',
  ]);
  assert.deepEqual(problemsIn("name: mine\nchat:\n  marks:\n    edge: { text: x }\n  rows:\n    a: { is: egde }"), [
    '6: Unknown mark "egde": did you mean "edge"?',
  ]);
  assert.match(problemsIn("name: mine\ndraft:\n  mark: x\n  clear:\n    - C-é-x")[0] ?? "", /key/);
  assert.deepEqual(problemsIn("name: mine\nextends: claud"), ['2: Unknown agent "claud": did you mean "claude"?']);
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

test("two files for one agent are named at both, and the first is used", () => {
  const { files, problems } = readAgentFiles([
    { path: "b.yaml", text: "name: mine" },
    { path: "a.yaml", text: "name: mine" },
  ]);
  assert.deepEqual([...files.keys()], ["a.yaml"]);
  const message = 'Two files for the agent "mine": "a.yaml", which is used, and "b.yaml"';
  assert.deepEqual(
    problems.map((problem) => `${problem.file}: ${problem.severity}: ${problem.message}`),
    [`a.yaml: warning: ${message}`, `b.yaml: error: ${message}`],
  );
});

test("an error of one file is reported there, and the others are used", () => {
  const { files, problems } = readAgentFiles([
    { path: "c1.yaml", text: "name: c1\nextends: c2" },
    { path: "c2.yaml", text: "name: c2\nextends: c1" },
    { path: "deep.yaml", text: "name: deep\ntitle: Deep\nextends: c1" },
    { path: "good.yaml", text: "name: good" },
    { path: "link.yaml", error: "Cannot read the file" },
    { path: "lost.yaml", text: "name: lost\nextends: nosuch" },
    { path: "top.yaml", text: "name: top\nextends: zeta" },
    { path: "zeta.yaml", text: "name: zeta\nextends: claude" },
  ]);
  assert.deepEqual([...files.keys()], ["good.yaml", "top.yaml", "zeta.yaml"]);
  assert.deepEqual(
    problems.map(({ file, line, message }) => `${file}:${line}: ${message.replace(/: the agents are .*/, "")}`),
    [
      'c1.yaml:2: Agent "c1" extends itself, through "c2"',
      'c2.yaml:2: Agent "c2" extends itself, through "c1"',
      'deep.yaml:3: The agent "c1" cannot be used: its own file has an error',
      "link.yaml:1: Cannot read the file",
      'lost.yaml:2: Unknown agent "nosuch"',
    ],
  );
});

test("an agent goes on from the last good version of the one that it extends", () => {
  const texts = [
    { path: "a.yaml", text: "name: a\nextends: b" },
    { path: "b.yaml", text: "name: b\nversion: 2" },
  ];
  const good = readAgentFiles(texts);
  const bad = readAgentFiles([...texts.slice(0, 1), { path: "b.yaml", text: "name: b\nversion: x" }], good.files);
  assert.deepEqual([...bad.files.keys()], ["a.yaml", "b.yaml"]);
  assert.deepEqual(
    bad.problems.map(({ file }) => file),
    ["b.yaml"],
  );
});

test("a file that has become wrong leaves the version before in force", () => {
  const good = readAgentFiles([{ path: "a.yaml", text: "name: mine\nversion: 3" }]);
  const bad = readAgentFiles([{ path: "a.yaml", text: "name: mine\nversion: x" }], good.files);
  assert.equal(bad.files.get("a.yaml")?.version, 3);
  assert.equal(bad.problems[0]?.line, 2);
  assert.equal(readAgentFiles([], good.files).files.size, 0);
});

const messages = (sandbox: string): string[] =>
  readAgentFiles([{ path: "a.yaml", text: `name: codex\nlaunch:\n  sandbox:\n    ${sandbox}\n` }]).problems.map(
    ({ line, message, severity }) => `${severity} ${line}: ${message}`,
  );

test("the places of the built-in agents can be used", () => {
  const own = builtInFiles.filter(({ launch }) => launch?.sandbox !== undefined);
  assert.ok(own.length >= 4);
  for (const file of own) assert.deepEqual(wrongPlaces(file), [], file.name);
});

test("a place may be named by a variable, and hold the name of the project", () => {
  const places = ["~/.mine/", "~/.mine.json", "{MINE_HOME:~/.mine}/a/{project}/", "{MINE_HOME:~}/.mine/"];
  for (const place of places) assert.deepEqual(messages(`private: ["${place}"]`), [], place);
  assert.deepEqual(messages('write: ["{MINE_HOME:~/.mine}/{project}/"]'), []);
});

test("a place outside of the home directory, or of everybody in it, is refused with its line", () => {
  for (const place of [
    "/etc/",
    "~/",
    "~/Documents/",
    "mine/",
    "~/.mine/../",
    "~/./",
    "~/.",
    "~/.mine/{home}/",
    "{x:/etc}/",
  ]) {
    const [found = "", ...more] = messages(`private: ["${place}"]`);
    assert.equal(more.length, 0, place);
    assert.ok(
      found.startsWith(`error 4: Cannot use "${place}" under "launch.sandbox.private": wanted a place in the home`),
      found,
    );
  }
});

test("only directories are fresh or stay, and none in which the next start of something executes what is there", () => {
  assert.match(messages("fresh: [~/.mine]")[0] ?? "", /wanted a directory, with a slash at the end/);
  for (const place of ["~/.config/mine/", "~/.local/", "~/.oh-my-zsh/", "{XDG_CONFIG_HOME:~/.config}/mine/"])
    assert.match(messages(`write: ["${place}"]`)[0] ?? "", /is executed later; put it under "private" or "fresh"$/);
  assert.deepEqual(messages("fresh: [~/.config/mine/]"), []);
});

test("a key that is not known is named with the nearest one", () => {
  assert.deepEqual(messages("wirte: [~/.mine/]"), ['error 4: Unknown key "wirte": did you mean "write"?']);
});

test("built-in rules fit their own examples", () => {
  assert.deepEqual(
    builtInFiles.flatMap((file) => unfittedExamples(file)),
    [],
  );
});

test("an example that a rule does not fit is named with its place", () => {
  const rows = { a: { text: "^x", not: "y$", test: ["x", "xy"] } };
  assert.deepEqual(unfittedExamples({ name: "a", chat: { rows } }), [
    { path: ["chat", "rows", "a", "test"], example: "xy" },
  ]);
});
