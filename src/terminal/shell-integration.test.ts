import assert from "node:assert/strict";
import { test } from "node:test";
import { integrateShell } from "./shell-integration.ts";

const actDirectory = (): string => "/tmp/act";
const environment = { HOME: "/root", PATH: "/usr/bin" };

test("integrateShell changes nothing but the environment, and gives each session a nonce of its own", () => {
  const one = integrateShell(["/usr/bin/bash", "--login"], environment, actDirectory);
  const other = integrateShell(["bash"], environment, actDirectory);
  assert.equal(one?.shell, "bash");
  assert.match(one?.nonce ?? "", /^[\w-]{12}$/);
  assert.notEqual(one?.nonce, other?.nonce);
  assert.equal(one?.environment["LECTERN_MARK"], `n=${one?.nonce}`);
  assert.equal(one?.environment["LECTERN_ACT"], "/tmp/act");
  assert.equal(one?.environment["HOME"], "/root");
  assert.deepEqual(environment, { HOME: "/root", PATH: "/usr/bin" });
});

test("integrateShell leaves scripts, single commands and other programs alone", () => {
  for (const command of [
    ["bash", "-c", "echo"],
    ["bash", "-lc", "echo"],
    ["bash", "script.sh"],
    ["bash", "--posix"],
    ["bash", "-n"],
    ["zsh", "-f"],
    ["zsh", "-c", "echo"],
    ["fish", "--no-config"],
    ["fish", "-c", "echo"],
    ["fish", "script.fish"],
    ["sh"],
    ["python3"],
    ["bashful"],
  ]) {
    assert.equal(integrateShell(command, environment, actDirectory), undefined, command.join(" "));
  }
});

test("integrateShell knows options whose value is a word of its own", () => {
  for (const command of [
    ["bash", "--rcfile", "/tmp/rc"],
    ["bash", "--norc", "--noprofile", "-i"],
    ["bash", "-o", "vi"],
    ["zsh", "-l"],
    ["fish", "-C", "echo"],
    ["fish", "--private"],
  ]) {
    assert.ok(integrateShell(command, environment, actDirectory), command.join(" "));
  }
});

test("integrateShell keeps what the user has in the variables that it uses", () => {
  const theirs = { ...environment, PROMPT_COMMAND: "history -a", ZDOTDIR: "/z", XDG_DATA_DIRS: "/x" };
  assert.match(integrateShell(["bash"], theirs, actDirectory)?.environment["PROMPT_COMMAND"] ?? "", /^history -a\n/);
  assert.equal(integrateShell(["zsh"], theirs, actDirectory)?.environment["LECTERN_ZDOTDIR"], "/z");
  assert.equal(integrateShell(["fish"], theirs, actDirectory)?.environment["LECTERN_XDG_DATA_DIRS"], "/x");
  assert.match(integrateShell(["fish"], theirs, actDirectory)?.environment["XDG_DATA_DIRS"] ?? "", /:\/x$/);
});
