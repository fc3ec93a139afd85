/** The gate knows each command of Lectern: what only reads, what starts programs, and what acts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { aliases } from "../src/cli/aliases.ts";
import { commandNames } from "../src/cli/commands.ts";
import { lecternCommandNames } from "../src/core/gate/lectern-commands.ts";

test("each command and alias of the program is in the gate's table, and nothing else", () => {
  const options = ["help", "--help", "-h", "--version", "-V"];
  assert.deepEqual(
    [...lecternCommandNames].toSorted(),
    [...commandNames, ...Object.keys(aliases), ...options].toSorted(),
  );
});
