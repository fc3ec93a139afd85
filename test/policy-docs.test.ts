/**
 * The policies that the documentation prints, against commands that try to pass them and commands of an ordinary day.
 * Each row of the table: the page, the command, and what its first policy must say (`no-allow`: ask or deny).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { decide } from "../src/core/gate/decide.ts";
import type { Policy } from "../src/core/gate/policy.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";
import { blocksOf } from "./documents.ts";

type Row = readonly [page: string, command: string, expected: "allow" | "deny" | "no-allow"];

const rows = JSON.parse(
  readFileSync(join(import.meta.dirname, "fixtures/policies/commands.json"), "utf8"),
) as readonly Row[];
const context = { workingDirectory: "/project", home: "/users/me", labels: [] };

function printedPolicy(page: string): Policy {
  const text = blocksOf(page).find(({ language }) => language === "yaml")?.text ?? "";
  const checked = checkPolicyText(text);
  assert.ok(checked.ok, page);
  assert.deepEqual(checked.warnings, [], page);
  return checked.policy;
}

/** Each row that comes out otherwise, with what came. */
function failures(expected: Row[2], isRight: (effect: string) => boolean): readonly string[] {
  const policies = new Map([...new Set(rows.map(([page]) => page))].map((page) => [page, printedPolicy(page)]));
  return rows.flatMap(([page, command, wanted]) => {
    const policy = policies.get(page);
    if (wanted !== expected || policy === undefined) return [];
    const decision = decide(policy, { name: "bash", arguments: { command }, finish: "tool_calls" }, context);
    return isRight(decision.effect) ? [] : [`${page}: ${command}: ${decision.effect} (${decision.message})`];
  });
}

test("what a printed policy denies has no other spelling", () => {
  assert.ok(rows.length > 300);
  assert.deepEqual(
    failures("deny", (effect) => effect === "deny"),
    [],
  );
});

test("nothing that is hidden passes a printed policy", () => {
  assert.deepEqual(
    failures("no-allow", (effect) => effect !== "allow"),
    [],
  );
});

test("the commands of an ordinary day pass the printed policies", () => {
  assert.deepEqual(
    failures("allow", (effect) => effect === "allow"),
    [],
  );
});
