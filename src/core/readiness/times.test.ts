import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { readinessTimes } from "./times.ts";

const root = join(import.meta.dirname, "../../..");

test("each time constant of readiness says why it is so, and what set it", () => {
  for (const [name, { ms, reason, setBy }] of Object.entries(readinessTimes)) {
    assert.ok(ms > 0 && reason.length > 0 && setBy.length > 0, name);
    for (const [path] of setBy.matchAll(/(?:test|bench)\/\S+\.ts/g)) readFileSync(join(root, path));
  }
});

test("readiness has no time constant outside of the table", () => {
  const files = globSync("*.ts", { cwd: import.meta.dirname }).filter((file) => !/\.test\.ts$|^times\.ts$/.test(file));
  const found = files.flatMap((file) =>
    [...readFileSync(join(import.meta.dirname, file), "utf8").matchAll(/Ms\w*\s*(?:=|:|\?\?|[<>]=?)\s*[1-9].*/g)].map(
      ([line]) => `${file}: ${line}`,
    ),
  );
  assert.deepEqual(found, []);
});
