import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInProfiles, DEFAULT_SANDBOX_PROFILE, SANDBOX_PROFILES } from "./profile.ts";

test("each built-in profile has its own name, and the default one is among them", () => {
  for (const name of SANDBOX_PROFILES) assert.equal(builtInProfiles[name].name, name);
  assert.ok(SANDBOX_PROFILES.includes(DEFAULT_SANDBOX_PROFILE));
});

test("only the profiles for work write in the working directory, and every one hides the keys", () => {
  assert.deepEqual(
    SANDBOX_PROFILES.filter((name) => builtInProfiles[name].write.includes(".")),
    ["work", "offline"],
  );
  for (const name of SANDBOX_PROFILES) assert.ok(builtInProfiles[name].hide.includes("~/.ssh/"));
});
