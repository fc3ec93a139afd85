import assert from "node:assert/strict";
import { test } from "node:test";
import { patchFiles } from "./patch-files.ts";

const patch = (...lines: readonly string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const named = (...lines: readonly string[]) => {
  const { files, isWhole } = patchFiles(patch(...lines));
  return [isWhole, ...files.map(({ kind, path }) => `${kind} ${path}`)];
};

test("each header of a patch names a file", () => {
  assert.deepEqual(
    named("*** Update File: src/a.ts", "*** Move to: src/b.ts", "@@ f() {", " a", "-b", "+c", " ", "*** End of File"),
    [true, "write src/a.ts", "write src/b.ts"],
  );
  assert.deepEqual(named("*** Add File: .git/x", "+x", "*** Delete File: ../y"), [true, "write .git/x", "delete ../y"]);
  assert.equal(patchFiles(`${patch("*** Add File: a", "+x")}\n`).isWhole, true);
});

test("a line that some reader may take for a header makes the patch unreadable, and its name is kept", () => {
  assert.deepEqual(named("*** Add File: a", "+x", " *** Delete File: ../x"), [false, "write a", "delete ../x"]);
  assert.deepEqual(named("*** Add File: a", " \u00a0*** Delete File: ../x"), [false, "write a", "delete ../x"]);
  assert.deepEqual(named("*** Add File: a b"), [false, "write a b"]);
  assert.equal(patchFiles("*** Add File: a\n+x").isWhole, false);
  assert.equal(patchFiles(patch("*** Add File: a\r", "+x")).isWhole, false);
});
