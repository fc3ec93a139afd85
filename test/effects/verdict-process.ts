/**
 * Judges texts where they would run: started in a box in which the tree of canaries is `/users`, so that the gate follows the same links as
 * the kernel. Reads a JSON list of texts from the file of its first argument; prints for each the names of the policies that allow it.
 */
import { readFileSync } from "node:fs";
import { decide } from "../../src/core/gate/decide.ts";
import { checkPolicyText } from "../../src/core/gate/policy-text.ts";
import { DiskView } from "../../src/disk/file-view.ts";
import { corpusContext } from "../shell-corpus.ts";
import { policyTexts, policyNames, type PolicyName } from "./policy-promises.ts";

const policies = policyNames.map((name) => {
  const checked = checkPolicyText(policyTexts[name]);
  if (!checked.ok) throw new Error(`${name}: ${JSON.stringify(checked)}`);
  return { name, policy: checked.policy };
});
const context = { ...corpusContext, files: () => new DiskView() };

const allowedBy = (command: string): readonly PolicyName[] =>
  policies
    .filter(({ policy }) => {
      const call = { name: "Bash", arguments: { command }, finish: "tool_calls" } as const;
      return decide(policy, call, context).effect === "allow";
    })
    .map(({ name }) => name);

const texts = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as readonly string[];
process.stdout.write(JSON.stringify(texts.map(allowedBy)));
