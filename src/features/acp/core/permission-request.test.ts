import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject, type Approval, type ApprovalOption } from "../../../core/dialogs/approval.ts";
import { permissionRequest } from "./permission-request.ts";

const asked = (options: readonly ApprovalOption["effect"][]): Approval => ({
  ...noSubject,
  id: "a1",
  source: "screen",
  kind: "permission",
  agent: "claude",
  question: "Do you want to proceed?",
  tool: "Bash",
  command: "rm -r x",
  details: "",
  options: options.map((effect, index) => ({ id: String(index + 1), label: effect, effect })),
  isComplete: true,
  selected: null,
  offset: 1,
  timeUs: 0,
  state: "open",
  whyHint: null,
  answer: null,
});
const kindsOf = (options: readonly ApprovalOption["effect"][]) =>
  permissionRequest(asked(options))?.options.map(({ optionId, kind }) => `${optionId} ${kind}`);

test("each option keeps its id, and what it does is its kind", () => {
  assert.deepEqual(kindsOf(["allow", "allow-always", "deny"]), ["1 allow_once", "2 allow_always", "3 reject_once"]);
});

test("an option that does something else is taken by no client that takes the first one that allows", () => {
  assert.deepEqual(kindsOf(["other", "allow", "deny"]), ["1 reject_once", "2 allow_once", "3 reject_once"]);
  assert.deepEqual(kindsOf(["other", "other"]), ["1 allow_once", "2 allow_once"]);
});

test("a question without options is not asked", () => {
  assert.equal(permissionRequest(asked([])), null);
  assert.deepEqual(permissionRequest(asked(["allow"]))?.toolCall.rawInput, { tool: "Bash", command: "rm -r x" });
});
