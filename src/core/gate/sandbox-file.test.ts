import assert from "node:assert/strict";
import { test } from "node:test";
import { checkPolicyText } from "./policy-text.ts";
import { checkSandbox } from "./sandbox-file.ts";

test("a file of its own is read like a policy: line, key, and the nearest word", () => {
  const checked = checkSandbox("profile: work\nwriet: [.]\n");
  assert.ok(!checked.ok);
  assert.deepEqual(
    checked.problems.map(({ line, message }) => `${line}: ${message}`),
    ['2: Unknown key "writeb": did you mean "write"?'.replace("writeb", "wriet")],
  );
});

test("what the schema cannot check is reported at its line", () => {
  const checked = checkSandbox('write: ["."]\nhide:\n  - "**/.env"\n');
  assert.ok(!checked.ok);
  assert.equal(checked.problems[0]?.line, 3);
});

test("a policy has the same block, with the same problems", () => {
  const good = checkPolicyText("version: 1\nsandbox:\n  profile: offline\n  write: [../library]\n");
  assert.ok(good.ok);
  assert.deepEqual(good.policy.sandbox, { profile: "offline", write: ["../library"] });
  const bad = checkPolicyText("version: 1\nsandbox:\n  network: everything\n");
  assert.ok(!bad.ok);
  assert.equal(bad.problems[0]?.line, 3);
  const none = checkPolicyText("version: 1\n");
  assert.ok(none.ok && none.policy.sandbox === null);
});
