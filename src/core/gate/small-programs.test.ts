import assert from "node:assert/strict";
import { test } from "node:test";
import { literalWord } from "./shell-words.ts";
import { programNamed } from "./programs.ts";
import { filesReadBy, wordProgram } from "./small-programs.ts";

test("a program that prints parts of a file names the files that it reads", () => {
  for (const [language, text, files] of [
    ["node", "process.versions.v8", []],
    ["node", "console.log(require('./package.json').version)", ["./package.json"]],
    ["node", "console.log(Object.keys(require('../a.json')['b'][0])); process.arch\n", ["../a.json"]],
    ["node", "JSON.stringify(require('/a.json'), null, 2)", ["/a.json"]],
    ["python", "import json; print(len(json.load(open('a.json'))))", ["a.json"]],
    ["python", "import numpy\nprint(numpy.__version__)\n", []],
    ["python", 'import json\nprint(json.load(open("a"))["b"], json.load(open("c")))', ["a", "c"]],
  ] as const)
    assert.deepEqual(filesReadBy(language, text), files, text);
});

test("a program that may do more is not read", () => {
  for (const text of [
    "require('./a.js')",
    "require('a.json')",
    "require('./a.json').b()",
    "require('./a.json').b(1)",
    "process.env",
    "process.versions[require('fs')]",
    "console.log(1",
    "process.arch;".repeat(50),
    "process.arch; \u00e4",
  ])
    assert.equal(filesReadBy("node", text), undefined, text);
  for (const text of [
    "import json; print(json.load(open('a', 'w')))",
    "import os; print(os.unlink('a'))",
    "import antigravity",
    "from os import unlink",
  ])
    assert.equal(filesReadBy("python", text), undefined, text);
});

test("the words are the program and nothing else", () => {
  const of = (...words: readonly string[]): unknown =>
    wordProgram(
      words.map((word) => literalWord(word)),
      programNamed(words[0] ?? "")?.entry.code,
    );
  assert.deepEqual(of("node", "-p", "1"), { language: "node", text: "1" });
  assert.deepEqual(of("python3", "-c", "1"), { language: "python", text: "1" });
  assert.deepEqual(of("node", "-"), { language: "node", text: undefined });
  assert.deepEqual(of("python3"), { language: "python", text: undefined });
  for (const words of [
    ["ruby", "-e", "1"],
    ["node", "-r", "x"],
    ["node", "-p", "1", "x"],
    ["python3", "-i"],
  ])
    assert.equal(of(...words), undefined, words.join(" "));
});
