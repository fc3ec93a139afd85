import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const screen = new URL("../../screen/screen.ts", import.meta.url).href;

test("the widths are right in a process that used small buffers before", () => {
  const program = `Buffer.from("x"); const { Screen } = await import(${JSON.stringify(screen)});
    const screen = new Screen({ columns: 80, rows: 24 }); screen.feed(new TextEncoder().encode("漢👩‍👩‍👧"));
    process.stdout.write(screen.cursor.column + " " + (Buffer.poolSize > 0));`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: new URL(".", pathToFileURL(import.meta.filename)),
  });
  assert.equal(output.toString(), "4 true");
});
