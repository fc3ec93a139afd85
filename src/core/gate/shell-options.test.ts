import assert from "node:assert/strict";
import { test } from "node:test";
import { namesInput } from "./shell-options.ts";

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
