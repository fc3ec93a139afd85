import assert from "node:assert/strict";
import { test } from "node:test";
import { isEvaluated, isPlainNumber, isSteeringVariable, namesCommand } from "./shell-variables.ts";

test("numbers are plain and names are not", () => {
  for (const text of ["1", "-1", "0x1f", " 2 ", ""]) assert.equal(isPlainNumber(text), true, text);
  for (const text of ["x", "1+1", "2#1", "a[0]"]) assert.equal(isPlainNumber(text), false, text);
});

test("capitals steer unless they are known not to; small letters do not unless they are known to", () => {
  for (const name of [
    "PATH",
    "LD_PRELOAD",
    "BASH_ENV",
    "NODE_OPTIONS",
    "GIT_SSH_COMMAND",
    "http_proxy",
    "path",
    "Path",
  ]) {
    assert.equal(isSteeringVariable({ name, value: "x" }), true, name);
  }
  for (const name of ["a", "file_name", "IFS", "LANG", "LC_ALL", "CI"])
    assert.equal(isSteeringVariable({ name, value: "x" }), false, name);
  for (const [value, steers] of [
    ["UTC", false],
    ["America/New_York", false],
    [":/users/me/.netrc", true],
    ["../x", true],
    [undefined, true],
  ] as const)
    assert.equal(isSteeringVariable({ name: "TZ", value }), steers, value ?? "computed");
});

test("bash evaluates what integers, prompts and its own settings are given", () => {
  for (const [name, value] of [
    ["RANDOM", "a[0]"],
    ["OPTIND", undefined],
    ["PS4", "$(rm x)"],
    ["PS4", undefined],
    ["PROMPT_COMMAND", "rm x"],
    ["BASH_ENV", "x"],
    ["BASH_ALIASES", undefined],
    ["BASH_FUNC_ls%%", "() { rm x; }"],
  ] as const) {
    assert.equal(isEvaluated({ name, value }), true, name);
  }
  for (const [name, value] of [
    ["OPTIND", "1"],
    ["OPTIND", null],
    ["PS4", "+ "],
    ["PATH", undefined],
    ["a", undefined],
  ] as const) {
    assert.equal(isEvaluated({ name, value }), false, name);
  }
});

test("a variable that names a command is known by its name, and harmless values by their text", () => {
  for (const [name, value] of [
    ["GIT_SSH_COMMAND", "rm x"],
    ["GIT_PAGER", undefined],
    ["MANPAGER", "rm"],
    ["EDITOR", "sh -c x"],
    ["LD_PRELOAD", "./x.so"],
    ["GIT_CONFIG_COUNT", "2"],
    ["NODE_OPTIONS", "--require ./x"],
    ["MAKEFLAGS", "--eval=x"],
    ["SUDO_ASKPASS", "./x"],
    ["npm_config_script_shell", "./x"],
  ] as const) {
    assert.equal(namesCommand({ name, value }), true, name);
  }
  for (const [name, value] of [
    ["GIT_PAGER", "cat"],
    ["PAGER", ""],
    ["GIT_EDITOR", "true"],
    ["GIT_AUTHOR_NAME", "Ann"],
    ["NODE_OPTIONS", "--max-old-space-size=4096"],
    ["MAKEFLAGS", "-j4"],
    ["SHELL", "/bin/bash"],
    ["EDITOR", null],
    ["PATH", undefined],
    ["NODE_ENV", "test"],
  ] as const) {
    assert.equal(namesCommand({ name, value }), false, name);
  }
});

test("a value with which a program does less needs no rule", () => {
  for (const [name, value, expected] of [
    ["GIT_EDITOR", "true", false],
    ["GIT_EDITOR", "sh", true],
    ["GIT_PAGER", "cat", false],
    ["NODE_OPTIONS", "--max-old-space-size=4096", false],
    ["NODE_OPTIONS", "--require=./x", true],
    ["PYTHONPATH", "src", false],
    ["PYTHONPATH", "/tmp", true],
    ["LD_PRELOAD", "cat", true],
    ["EDITOR", undefined, true],
    ["EDITOR", null, true],
  ] as const)
    assert.equal(isSteeringVariable({ name, value }), expected, `${name}=${value ?? ""}`);
});

test("a value that make would run is evaluated", () => {
  assert.equal(isEvaluated({ name: "DEBUG", value: "$(shell rm x)" }), true);
  assert.equal(isEvaluated({ name: "x", value: "$(ls)" }), false);
});
