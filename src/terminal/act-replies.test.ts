/** What a terminal answers to a program that has ended meanwhile is read by its shell: it is no draft. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ActShell } from "../../test/support/act-shell.ts";

const replies = [
  "\u001b[?62;22c",
  "\u001b[>0;276;0c",
  "\u001b[24;80R",
  "\u001b[?2026;2$y",
  "\u001b[?0u",
  "\u001b]11;rgb:00ff/0000/0000\u0007",
  "\u001b[8;24;80t",
  "\u001b[?1;2c\u001b[>0;10;1c",
];
const files = { ".bashrc": "PS1='$ '", ".zshrc": "PS1='$ '", ".config/fish/config.fish": "set fish_greeting" };

for (const shell of ["bash", "zsh", "fish"]) {
  test(`${shell} clears a line of nothing but a terminal's answers, and leaves any other`, async () => {
    await using acts = await ActShell.start([shell], { files, bare: /[#>$] $/ });
    for (const reply of replies) {
      acts.type(reply);
      assert.equal((await acts.act("true")).answer, "taken", JSON.stringify(reply));
    }
    for (const draft of ["1;2cx", "echo 1;2c", "10", "c"]) {
      acts.type(draft);
      assert.equal((await acts.act("true")).answer, `draft;${Buffer.from(draft).toString("hex")}`);
      acts.type("\u0015");
    }
  });
}

for (const shell of ["bash", "zsh", "fish"]) {
  test(`${shell} says which version it has where it does not know the way of a command`, async () => {
    await using acts = await ActShell.start([shell], { files, bare: /[#>$] $/ });
    assert.equal((await acts.act("touch out", { way: "later" })).answer, "version;1");
    acts.type("x");
    assert.equal((await acts.act("touch out", { way: "later" })).answer, "version;1");
    acts.type("\u0015");
    assert.equal((await acts.act("ls", { way: "eval" })).output.includes("out"), false);
  });
}
