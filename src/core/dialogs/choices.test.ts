import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalOption } from "./approval.ts";
import { labelOf, readChoice, withChecks } from "./choices.ts";

test("the box in front of an option says whether it is chosen, and is not part of its label", () => {
  const read = ["[✔] Dark mode", "[ ] Deny all", "[] x", "☐ a", "☑ b", "☒ c", "Submit", "[main] branch"].map(
    readChoice,
  );
  assert.deepEqual(read, [
    { label: "Dark mode", checked: true },
    { label: "Deny all", checked: false },
    { label: "x", checked: false },
    { label: "a", checked: false },
    { label: "b", checked: true },
    { label: "c", checked: true },
    { label: "Submit" },
    { label: "[main] branch" },
  ]);
  assert.deepEqual(read.slice(0, 2).concat({ label: "Submit" }).map(labelOf), [
    "[x] Dark mode",
    "[ ] Deny all",
    "Submit",
  ]);
});

test("a tick changes the options that are kept; options that a fold hides keep theirs", () => {
  const option = (id: string, checked?: boolean): ApprovalOption => ({
    id,
    label: id,
    effect: "other",
    ...(checked !== undefined && { checked }),
  });
  const kept = [option("1", false), option("2", true), option("submit")];
  assert.equal(withChecks(kept, [option("1", false), option("2", true)]), kept);
  const ticked = withChecks(kept, [option("1", true), option("submit")]);
  assert.deepEqual(ticked, [option("1", true), option("2", true), option("submit")]);
});
