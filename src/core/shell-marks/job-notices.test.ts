import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutEchoedHook, withoutJobNotices } from "./job-notices.ts";

const before = "[1]-  Running                 sleep 9 &\n[2]+  Running                 make all | tee log &\n";

test("the notice on a job that was running before and is gone is left out, and nothing else", () => {
  const output =
    "a\r\n[1]-  Done                    sleep 9\r\n[2]+  Exit 2                  make all | tee log\r\nb\r\n";
  assert.equal(withoutJobNotices(output, { before, after: "" }), "a\r\nb\r\n");
  const after = "[2]+  Running                 make all | tee log &\n";
  const left = "a\r\n[2]+  Exit 2                  make all | tee log\r\nb\r\n";
  assert.equal(withoutJobNotices(output, { before, after }), left);
  assert.equal(withoutJobNotices(output, { before: "", after: "" }), output);
  const other = "[1]   Done                    sleep 90\n[3]   Done                    sleep 9\n[1] 4711\n";
  assert.equal(withoutJobNotices(other, { before, after: "" }), other);
});

test("the directory of a job and the current one belong to its notice, and zsh has other words", () => {
  const place = "[1]+  Running                 sleep 9 &  (wd: /tmp)\n";
  const output = "[1]+  Done                    sleep 9  (wd: /tmp)\n(wd now: /)\nx\n";
  assert.equal(withoutJobNotices(output, { before: place, after: "" }), "x\n");
  const zsh = "[1]  + terminated  sleep 9\nx";
  assert.equal(withoutJobNotices(zsh, { before: "[1]  + running    sleep 9\n", after: "" }), "x");
});

test("a notice is left out once: a program may print the same line", () => {
  const line = "[1]-  Done                    sleep 9\n";
  assert.equal(withoutJobNotices(line + line, { before, after: "" }), line);
});

test("the prompt command that bash echoes ends an output, wherever its last line ends, and nothing else is taken", () => {
  const hook = "{ __lectern_look; } 2>&-";
  assert.equal(withoutEchoedHook(`a\r\nb${hook}\r\n`), "a\r\nb");
  assert.equal(withoutEchoedHook(`a\n{ __lectern_done; } 2>&-;history -a\n`), "a\n");
  assert.equal(withoutEchoedHook(`${hook}\n`), "");
  for (const output of ["", "a", "a\n", `${hook}\na\n`, `${hook} a\n`, hook])
    assert.equal(withoutEchoedHook(output), output, JSON.stringify(output));
});
