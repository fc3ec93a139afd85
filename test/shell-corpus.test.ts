/** The corpus of shell texts against the two policies beside it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { decide, type Decision } from "../src/core/gate/decide.ts";
import type { Policy } from "../src/core/gate/policy.ts";
import { corpusContext, corpusPolicies, evasions, honestCommands, type PolicyName } from "./shell-corpus.ts";

const judge = (policy: Policy, command: string): Decision =>
  decide(policy, { name: "bash", arguments: { command }, finish: "tool_calls" }, corpusContext);

test("no evasion is allowed by a policy that it is written against", () => {
  assert.ok(evasions.length > 1_600, `${evasions.length} evasions`);
  const allowed = evasions.flatMap(({ about, command, policies }) =>
    policies
      .filter((name) => judge(corpusPolicies[name], command).effect === "allow")
      .map((name) => `${name}: ${about}: ${command}`),
  );
  assert.deepEqual(allowed, []);
});

interface Counts {
  /** Asked about or denied because the judge could not read a part, or could not tell whether a rule matches. */
  readonly unread: number;
  /** Asked about or denied by a rule or the default: the policy's own choice. */
  readonly unwanted: number;
}

function countsOf(name: PolicyName): Counts {
  const refused = honestCommands
    .map((command) => judge(corpusPolicies[name], command))
    .filter(({ effect }) => effect !== "allow");
  const unread = refused.filter(({ source }) => source === "opaque").length;
  return { unread, unwanted: refused.length - unread };
}

/**
 * The true figures, so that a change of them is seen: a change of the judge that makes them smaller is welcome. Code in arguments
 * (`python3 -c`), `xargs` and loops over computed names are what is left.
 */
test("the share of honest commands that are not allowed is known", () => {
  assert.equal(honestCommands.length, 462);
  assert.deepEqual(countsOf("allow-list"), { unread: 32, unwanted: 48 });
  assert.deepEqual(countsOf("deny-list"), { unread: 31, unwanted: 12 });
});
