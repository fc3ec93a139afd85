import assert from "node:assert/strict";
import { test } from "node:test";
import { diffOfInput } from "./edit-diff.ts";

const edit = (old: string, next: string): string | undefined =>
  diffOfInput(JSON.stringify({ file_path: "a.ts", old_string: old, new_string: next }));

test("an edit is shown as the lines that go and come, with what is around them", () => {
  assert.equal(edit("a\nb\nc", "a\nB\nc"), "@@ a.ts @@\n a\n-b\n+B\n c");
  assert.equal(edit("1\n2\n3\n4\n5", "1\n2\n3\n4\n5\n6"), "@@ a.ts @@\n 3\n 4\n 5\n+6");
  assert.equal(edit("", "new"), "@@ a.ts @@\n+new");
});

test("several edits of one call follow each other", () => {
  const edits = [
    { oldText: "a", newText: "b" },
    { oldText: "c", newText: "d" },
  ];
  assert.equal(diffOfInput(JSON.stringify({ path: "x", edits })), "@@ x @@\n-a\n+b\n-c\n+d");
});

test("arguments that edit nothing are no diff", () => {
  for (const input of ['{"command":"ls"}', "greeting.txt", "[]", '{"edits":[]}', '{"old_string":1,"new_string":"a"}']) {
    assert.equal(diffOfInput(input), undefined, input);
  }
});
