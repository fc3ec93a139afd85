import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { visibility } from "../../core/sandbox/plan.ts";
import { builtInProfiles } from "../../core/sandbox/profile.ts";
import { makePlan } from "./make-plan.ts";

test("credentials in a fresh directory stay hidden if readOnly shows the directory around them", () => {
  const around = realpathSync(mkdtempSync("/tmp/lectern-plan-"));
  try {
    for (const name of ["home/.ssh", "home/.aws", "project"]) mkdirSync(join(around, name), { recursive: true });
    const { mounts } = makePlan({
      profile: { ...builtInProfiles.work, readOnly: [`${around}/`, "~/.aws/"] },
      command: ["/bin/cat"],
      workingDirectory: join(around, "project"),
      environment: { HOME: join(around, "home") },
      ownDirectories: [],
      neededFiles: [],
      agentPlaces: { private: [], fresh: [], write: [] },
    });
    const kinds = ["home", "home/.ssh", "home/.aws", "project"].map((name) => visibility(mounts, join(around, name)));
    assert.deepEqual(kinds, ["read-only", "empty", "read-only", "writable"]);
  } finally {
    rmSync(around, { recursive: true });
  }
});
