/** The corpus of shell texts against the two policies beside it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, type Decision } from "../src/core/gate/decide.ts";
import type { Policy } from "../src/core/gate/policy.ts";
import { corpusContext, corpusPolicies, evasions, honestCommands, type PolicyName } from "./shell-corpus.ts";

const judge = (policy: Policy, command: string): Decision =>
  decide(policy, { name: "bash", arguments: { command }, finish: "tool_calls" }, corpusContext);

test("no evasion is allowed by a policy that it is written against", () => {
  assert.ok(evasions.length > 2_000, `${evasions.length} evasions`);
  const allowed = evasions.flatMap(({ about, command, policies }) =>
    policies
      .filter((name) => judge(corpusPolicies[name], command).effect === "allow")
      .map((name) => `${name}: ${about}: ${command}`),
  );
  assert.deepEqual(allowed, []);
});

interface Counts {
  /** Asked about or denied only because the judge could not read a part, or could not see whether a rule matches. */
  readonly unread: number;
  /** Asked about or denied by a rule or the default, whatever is unread: the policy's own choice. */
  readonly unwanted: number;
}

function countsOf(name: PolicyName): Counts {
  const policy = corpusPolicies[name];
  const refused = honestCommands.filter((command) => judge(policy, command).effect !== "allow");
  const unwanted = refused.filter(
    (command) => judge({ ...policy, opaque: "allow" }, command).effect !== "allow",
  ).length;
  return { unread: refused.length - unwanted, unwanted };
}

/**
 * The true figures, so that a change of them is seen: a change of the judge that makes them smaller is welcome. Code in arguments
 * (`python3 -c`), `xargs`, `find -exec` and loops over computed names are what is left. What the policies refuse by choice are the
 * network, deleting, ending processes, other folders and programs that were just built.
 */
test("at most two of a hundred honest commands are refused because they cannot be read", () => {
  assert.equal(honestCommands.length, 462);
  for (const name of ["allow-list", "deny-list"] as const)
    assert.ok(countsOf(name).unread <= 0.02 * honestCommands.length);
  assert.deepEqual(countsOf("allow-list"), { unread: 9, unwanted: 14 });
  assert.deepEqual(countsOf("deny-list"), { unread: 9, unwanted: 12 });
});
