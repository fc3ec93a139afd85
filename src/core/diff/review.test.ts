import assert from "node:assert/strict";
import { test } from "node:test";
import { reviewPrompt, type LineComment } from "./review.ts";

test("comments are one prompt, by file and line, each with the line that it is about", () => {
  const comment = (path: string, line: number, more: Partial<LineComment> = {}): LineComment => ({
    path,
    line,
    isRemoved: false,
    code: `  line ${line}`,
    text: `change ${line}\n`,
    ...more,
  });
  const text = reviewPrompt([
    comment("src/b.ts", 3),
    comment("src/a.ts", 12, { code: "x".repeat(1000) }),
    comment("src/a.ts", 2, { isRemoved: true }),
  ]);
  assert.equal(
    text,
    `Review comments on your changes. Please address each of them:

src/a.ts:2 (removed)
> line 2
change 2

src/a.ts:12
> ${"x".repeat(200)}
change 12

src/b.ts:3
> line 3
change 3`,
  );
});
