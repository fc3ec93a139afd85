/** The gate knows each command of Lectern: what only reads, what starts programs, and what acts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { aliases, movedCommands } from "../src/cli/aliases.ts";
import { commandNames } from "../src/cli/commands.ts";
import { lecternCommandNames } from "../src/core/gate/lectern-commands.ts";

test("each command and alias of the program, and of versions before, is in the gate's table, and nothing else", () => {
  const options = ["help", "--help", "-h", "--version", "-V"];
  assert.deepEqual(
    [...lecternCommandNames].toSorted(),
    [...commandNames, ...Object.keys(aliases), ...Object.keys(movedCommands), ...options].toSorted(),
  );
});
