import assert from "node:assert/strict";
import { test } from "node:test";
import { planAct } from "./act.ts";

/** The way and what is shown, or what is refused. */
function planned(command: string): string {
  const act = planAct(command);
  if ("refusal" in act) return `refused: ${act.refusal}`;
  assert.equal(act.text, command);
  return act.shown === "" ? act.way : `${act.way}: ${act.shown}`;
}

test("planAct makes an ordinary line the line of the shell", () => {
  for (const command of ["ls", "x", "echo 'a b' | wc -c", 'printf "%s" "$x" > ~/f; cd -', "a".repeat(1000)])
    assert.equal(planned(command), "plain");
});

test("planAct has everything executed that an editor or a history might change, and shows it readably", () => {
  assert.equal(planned("echo hi!"), "eval: echo hi!");
  assert.equal(planned("a\n^b"), "eval: a\n^b");
  assert.equal(planned(" ls"), "eval:  ls");
  assert.equal(planned("ls "), "eval: ls ");
  assert.equal(planned("echo é"), "eval: echo é");
  assert.equal(planned("a\tb\u001b[2J\u009b\r\u202e"), String.raw`eval: a\tb\x1b[2J\x9b\r\u{202e}`);
  assert.match(
    planned("b".repeat(200_000)),
    /^eval: b{1900}\n\[cut after 1900 of 200000 characters; all of it is executed\]$/,
  );
});

test("planAct makes a blank of what runs nothing in any shell", () => {
  for (const command of ["", " ", " \t\n", "\n"])
    assert.deepEqual(planAct(command), { way: "plain", text: " ", shown: "", tells: "start" });
});

test("planAct refuses what no shell can be given", () => {
  assert.match(planned("a\0b"), /^refused: it contains a NUL/);
  assert.match(planned("a\ud800"), /^refused: it contains half of a surrogate pair/);
  assert.match(planned("é".repeat(600_000)), /^refused: it has 1200000 bytes, and a shell is handed at most 1048576/);
});

test("planAct has the answer with the mark of the start, but where the command may take it away or looks like the key", () => {
  const tells = (command: string): string | undefined => Object(planAct(command)).tells;
  for (const command of ["ls", "evaluate x", "./eval x"]) assert.equal(tells(command), "start", command);
  for (const command of ["eval x", ". x", "source x", "unset PROMPT_COMMAND", "echo 7501~", "echo !"])
    assert.equal(tells(command), "", command);
});
