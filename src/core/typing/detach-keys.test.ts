import assert from "node:assert/strict";
import { test } from "node:test";
import { readDetachKeys } from "./detach-keys.ts";

test("keys have the names of docker and tmux, and a word that is no key is none of them", () => {
  assert.deepEqual(
    readDetachKeys("ctrl-\\,C-a,d")?.map(({ byte }) => byte),
    [0x1c, 1, 0x64],
  );
  assert.deepEqual([readDetachKeys("none"), readDetachKeys("")], [[], []]);
  for (const bad of ["zzz", "ctrl-", "ctrl-p,", "ctrl-1", "a,b,c,d,e,f,g,h,i"]) {
    assert.equal(readDetachKeys(bad), undefined, bad);
  }
});
