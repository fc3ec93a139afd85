import assert from "node:assert/strict";
import { test } from "node:test";
import { filesIn } from "./files.ts";

test("names of files are found in commands and prose, without their marks", () => {
  const cases: Record<string, string[]> = {
    "mkdir -p out && printf 'A-%s\\n' x | tee out/marker.txt": ["out/marker.txt"],
    "Wrote `src/core/a-b.test.ts:12:3`, see (README.md).": ["src/core/a-b.test.ts", "README.md"],
    "cat /etc/passwd ~/.bashrc ../x ./scratch-folder": ["/etc/passwd", "~/.bashrc", "../x", "./scratch-folder"],
    "diff a.ts a.ts": ["a.ts", "a.ts"],
    "node --config=conf/app.toml > build.log": ["conf/app.toml", "build.log"],
  };
  for (const [text, names] of Object.entries(cases)) assert.deepEqual(filesIn(text), names, text);
});

test("what only looks like a file is left alone", () => {
  const text =
    "Use Node.js 26.10.0, e.g. and/or, 1/2, v1.2.3, https://example.com/a.html, example.com/x.y, /clear, /effort, user@host, -rf, /srv/project/pro…, etc.";
  assert.deepEqual(filesIn(text), []);
});

test("a text without end is looked at in part", () => {
  assert.deepEqual(filesIn(`${"a".repeat(1_000_000)}.ts`), []);
  assert.equal(filesIn("x.ts ".repeat(1_000_000)).length, Math.floor(65_536 / 5));
});
