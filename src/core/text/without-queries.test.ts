import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutQueries } from "./without-queries.ts";

const after = (text: string): string => Buffer.from(withoutQueries(Buffer.from(text))).toString();

test("questions to the terminal are taken out", () => {
  const asked = ["[c", "[>0c", "[=c", "[>q", "[?2026$p", "[4$p", "[?u", "[?4m", "[6n", "[?996n", "[18t", "Z"];
  for (const query of asked) assert.equal(after(`a\u001b${query}b`), "ab", query);
});

test("what draws or sets a mode stays, and text as it is", () => {
  const kept =
    "\u001b[1;31mé\u001b[0m\u001b[?1002h\u001b[>1u\u001b[<u\u001b[>4;2m\u001b[2J\u001b[10;5H\u001b[22;0t日本";
  assert.equal(after(kept), kept);
});
