/** docs/platforms.md: each row is a real exception, and each exception of `npm run test:portable` has its row. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { portableExceptions, portableFiles } from "./runner/portable.ts";
import { read } from "./source-files.ts";

const rows = [...read("docs/platforms.md").matchAll(/^\| (.+?) +\| .+ \| ([^|]+?): ([^|]+?) +\|$/gm)];

/** Whether a file has a test of this name; names of tests in a loop have values in them. */
function hasTest(text: string, name: string): boolean {
  const names = [...text.matchAll(/\btest\(\s*(["`])(.+?)\1,/g)].map(([, , written = ""]) => written);
  return names.some((written) =>
    new RegExp(`^${RegExp.escape(written).replaceAll(/\\\$\\\{.+?\\\}/g, ".+")}$`).test(name),
  );
}

test("each row of the table names a test that shows it", () => {
  assert.ok(rows.length >= 8, `${rows.length} rows are found`);
  for (const [, guarantee = "", file = "", name = ""] of rows) {
    const text = read(file);
    assert.ok(hasTest(text, name), `${guarantee}: ${file} has no test "${name}"`);
    // Such a test passes elsewhere for another reason: it is an exception, or asks for the platform.
    const isException = portableExceptions.some((one) => one.file === file && one.tests.includes(name));
    assert.ok(
      isException || /\bplatform\b|process-table/.test(text),
      `${guarantee}: "${name}" does not depend on the platform`,
    );
  }
});

test("each test that the portable mode leaves out is there, and belongs to a row", () => {
  const guarantees = new Set(rows.map(([, guarantee]) => guarantee));
  for (const { file, guarantee, tests } of portableExceptions) {
    assert.ok(guarantees.has(guarantee), `docs/platforms.md has no row "${guarantee}"`);
    assert.ok(portableFiles.includes(file), file);
    for (const name of tests) assert.ok(hasTest(read(file), name), `${file} has no test "${name}"`);
  }
});
