import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PrivateModes } from "./private-modes.ts";

const encoder = new TextEncoder();

function after(text: string, cuts: readonly number[] = []): { paste: boolean; full: boolean } {
  const bytes = encoder.encode(text);
  const modes = new PrivateModes();
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    modes.feed(bytes.subarray(from, cut));
    from = cut;
  }
  return { paste: modes.bracketedPaste, full: modes.alternateScreen };
}

test("PrivateModes knows bracketed paste and the alternate screen, also several modes in one sequence", () => {
  assert.deepEqual(after("\u001b[?2004h$ "), { paste: true, full: false });
  assert.deepEqual(after("\u001b[?2004h\u001b[?2004l"), { paste: false, full: false });
  assert.deepEqual(after("\u001b[?1049;2004h"), { paste: true, full: true });
  assert.deepEqual(after("\u001b[?1047h\u001b[?1047l"), { paste: false, full: false });
  assert.deepEqual(after("\u001b[?47h"), { paste: false, full: true });
});

test("PrivateModes forgets both at a full reset", () => {
  assert.deepEqual(after("\u001b[?1049;2004h\u001bc"), { paste: false, full: false });
});

test("PrivateModes takes no other sequence for a mode", () => {
  assert.deepEqual(after("\u001b[1049h\u001b[?25h\u001b[?1049$p\u001b[>1049h?1049h"), { paste: false, full: false });
});

test("PrivateModes gives the same at every cut", () => {
  const piece = fc.constantFrom(
    "\u001b",
    "[",
    "?",
    "1049",
    "2004",
    ";",
    "h",
    "l",
    "c",
    "x",
    "\u001b[?1049h",
    "\u001b[?2004l",
    "\u001bc",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), fc.array(fc.nat(60), { maxLength: 4 }), (pieces, places) => {
      const text = pieces.join("");
      const cuts = places.filter((place) => place <= text.length).toSorted((one, other) => one - other);
      assert.deepEqual(after(text, cuts), after(text));
    }),
    { numRuns: 2000 },
  );
});
