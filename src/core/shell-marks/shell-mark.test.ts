import assert from "node:assert/strict";
import { test } from "node:test";
import { markParameter, readShellMark, type ShellMark } from "./shell-mark.ts";

const mark = (command: number, data: string, nonce: string | null = null): ShellMark | undefined =>
  readShellMark({ offset: 0, end: 1, command, data }, nonce);

test("readShellMark reads the letters of 133 and of 633", () => {
  for (const command of [133, 633]) {
    const read = (data: string): unknown => {
      const { code, isTrusted, ...meaning } = mark(command, data) ?? { code: "", isTrusted: true };
      assert.deepEqual([code, isTrusted], [`${command};${data[0]}`, false]);
      return meaning;
    };
    assert.deepEqual(read("A"), { type: "prompt-start" });
    assert.deepEqual(read("B"), { type: "prompt-end" });
    assert.deepEqual(read("C"), { type: "output-start" });
    assert.deepEqual(read("D;127"), { type: "output-end", exitCode: 127 });
    assert.deepEqual(read("P;k=s"), { type: "continuation" });
  }
});

test("readShellMark reads the command line of 633 with its escapes", () => {
  assert.deepEqual(mark(633, "E;echo a\\x3b echo \\\\n;n=5f", "5f"), {
    type: "command-line",
    text: "echo a; echo \\n",
    code: "633;E",
    isTrusted: true,
  });
  assert.equal(mark(133, "E;echo"), undefined);
});

test("readShellMark gives no exit code where there is none, or what is no number", () => {
  for (const data of ["D", "D;", "D;$?", "D;-1", "D;1e3"]) {
    assert.deepEqual(mark(133, data), { type: "output-end", exitCode: null, code: "133;D", isTrusted: false }, data);
  }
});

test("readShellMark trusts a mark only if the nonce of the session is a whole parameter of it", () => {
  const parameters = ["", ";n=5e", ";n=5f0", ";n=", ";x=n=5f", ";n=5e;aid=n=5f", ";N=5f", ";n=5f\u0000"];
  for (const command of [133, 633]) {
    for (const letter of command === 133 ? "ABCD" : "ABCDE") {
      const head = letter === "D" ? "D;0" : letter === "E" ? "E;claude" : letter;
      for (const given of parameters) assert.equal(mark(command, head + given, "5f")?.isTrusted, false, head + given);
      const trusted = `${head};aid=7;${markParameter("5f")};cl=line`;
      assert.equal(mark(command, trusted, "5f")?.isTrusted, true, trusted);
      assert.equal(mark(command, trusted, null)?.isTrusted, false, "a session without a nonce");
    }
  }
});

test("readShellMark knows no other sequence", () => {
  assert.equal(mark(7, "A"), undefined);
  assert.equal(mark(133, ""), undefined);
  assert.equal(mark(133, "Z"), undefined);
  assert.equal(mark(133, "P;k=i"), undefined);
});
