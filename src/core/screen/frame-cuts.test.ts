import assert from "node:assert/strict";
import { test } from "node:test";
import { FrameCuts } from "./frame-cuts.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const input =
  "a\u001b[?2026l b\u001b[2J c\u001b[K d\u001b[?25;1049h e\u001bc f\u001b(B\u001b\u001b[3J" +
  `\u001b[${"1;".repeat(20)}2J\u001b[?2026hg\u001b[2Jh\u001b[?2026l`;

function read(...chunks: readonly Uint8Array[]): unknown[] {
  const cuts = new FrameCuts();
  let offset = 0;
  return chunks.flatMap((chunk) => {
    const found = cuts.feed(chunk, offset);
    offset += chunk.length;
    return found;
  });
}

test("finds both ends of synchronized updates and what wipes the screen outside of them, and nothing else", () => {
  assert.deepEqual(read(bytes(input)), [
    { offset: 9, reason: "synchronized" },
    { offset: 11, reason: "wipe" },
    { offset: 22, reason: "wipe" },
    { offset: 35, reason: "wipe" },
    { offset: 43, reason: "wipe" },
    { offset: 91, reason: "synchronized" },
    { offset: 113, reason: "synchronized" },
  ]);
});

test("finds the same at every cut", () => {
  const whole = read(bytes(input));
  for (let cut = 0; cut <= input.length; cut += 1)
    assert.deepEqual(read(bytes(input.slice(0, cut)), bytes(input.slice(cut))), whole, `cut at ${cut}`);
});

const shell =
  "\u001b]133;D;0\u0007\u001b]133;A\u0007$ \u001b]133;B;lectern=5f\u0007ls\u001b]133;C\u0007a\u001b]133;A\u0007$ \u001b]633;B\u001b\\" +
  "\u001b]2;a title\u0007\u001b]133;Bad\u0007\u001b]1337;D\u0007\u001b[?2026h\u001b]133;D\u0007\u001b[?2026l";

test("finds where a shell says that output has ended, once, and where its prompt has", () => {
  assert.deepEqual(read(bytes(shell)), [
    { offset: 0, reason: "mark" },
    { offset: shell.indexOf("ls"), reason: "mark" },
    { offset: shell.indexOf("\u001b]133;C"), reason: "mark" },
    { offset: shell.indexOf("\u001b]133;A", 30), reason: "mark" },
    { offset: shell.indexOf("\u001b\\") + 2, reason: "mark" },
    { offset: shell.indexOf("\u001b[?2026h"), reason: "synchronized" },
    { offset: shell.length, reason: "synchronized" },
  ]);
});

test("finds marks at every cut, also where it is saved there", () => {
  const whole = read(bytes(shell));
  for (let cut = 0; cut <= shell.length; cut += 1) {
    const [first, second] = [new FrameCuts(), new FrameCuts()];
    const found = first.feed(bytes(shell.slice(0, cut)), 0);
    second.restore(first.save());
    assert.deepEqual([...found, ...second.feed(bytes(shell.slice(cut)), cut)], whole, `cut at ${cut}`);
  }
});

test("a mark without the nonce of the session hides no cut of one that has it", () => {
  const forged = "a\u001b]133;D;0\u0007b\u001b]133;D;0;n=5f\u0007$ \u001b]133;B;n=5f\u0007";
  const cuts = new FrameCuts("5f").feed(bytes(forged), 0);
  assert.deepEqual(
    cuts.map(({ offset }) => offset),
    [1, forged.indexOf("b") + 1, forged.length],
  );
});

test("a mark that does not end is given up", () => {
  const endless = `\u001b]133;D;${"0".repeat(5000)}\u0007`;
  const cuts = new FrameCuts();
  assert.deepEqual(cuts.feed(bytes(endless), 0), []);
  assert.ok(cuts.save().tokens.held.length < 2000);
  assert.deepEqual(cuts.feed(bytes("\u001b]133;D;0\u0018\u001b]133;D\u0007"), 0), [{ offset: 10, reason: "mark" }]);
});

test("knows whether a synchronized update is open", () => {
  const cuts = new FrameCuts();
  cuts.feed(bytes("\u001b[?2026h"), 0);
  assert.equal(cuts.isSynchronized, true);
  cuts.feed(bytes("\u001b[?2026l"), 8);
  assert.equal(cuts.isSynchronized, false);
});

test("forgets what was begun in front of a gap", () => {
  const cuts = new FrameCuts();
  cuts.feed(bytes("\u001b[2"), 0);
  cuts.gap();
  assert.deepEqual(cuts.feed(bytes("J"), 100), []);
});
