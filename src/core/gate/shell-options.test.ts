import assert from "node:assert/strict";
import { test } from "node:test";
import { longOptions, namesInput } from "./shell-options.ts";

test("a long option is found by every beginning of its name, and one of its own is not", () => {
  const pattern = new RegExp(longOptions("strip-program filter", "strip"));
  for (const word of ["--strip-program", "--strip-p=x", "--s", "--stri", "--filter", "--f=x"])
    assert.ok(pattern.test(word), word);
  for (const word of ["--strip", "--strip=x", "--strip-programs", "--filters", "--", "-s", "x--filter"])
    assert.ok(!pattern.test(word), word);
});

test("the input is found under every name, alone or behind an option", () => {
  for (const word of [
    "-",
    "-f-",
    "-sf-",
    "--file=-",
    "/dev/stdin",
    "//dev/../dev/./fd/0",
    "-f/dev/stdin",
    "--file=/proc/self/fd/0",
    "../../proc/self/fd/0",
    "dev/stdin",
    "-fproc/self/fd/3",
  ])
    assert.ok(namesInput(word), word);
  for (const word of [
    "--",
    "-f",
    "x-",
    "dev/x.py",
    "proc/x.py",
    "/srv/dev/x",
    "../device",
    "-rf",
    "--file=dev/Makefile",
  ])
    assert.ok(!namesInput(word), word);
});
