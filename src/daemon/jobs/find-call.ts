/** Judges calls by the text of a policy, inside a `JobThread`, which keeps the policies and schemas that it has compiled. */
import { forgetOldest } from "../../core/forget-oldest.ts";
import type { DecisionContext } from "../../core/gate/decide.ts";
import { findingOf, type CallFinding } from "../../core/gate/finding.ts";
import type { Policy } from "../../core/gate/policy.ts";
import { checkPolicyText } from "../../core/gate/policy-text.ts";
import { SchemaStore } from "../../core/gate/schemas.ts";
import type { JudgedCall, ToolDefinition } from "../../core/gate/tool-call.ts";
import { patterns } from "../../core/patterns/re2.ts";
import { DiskView } from "../../disk/file-view.ts";

/** A call as it is sent to the thread. */
export interface CallToFind {
  /** The text of a policy that was checked. */
  readonly policy: string;
  readonly call: JudgedCall;
  /** Undefined if none of this name was offered to the model. */
  readonly tool: ToolDefinition | undefined;
  readonly context: Omit<DecisionContext, "files">;
  /** Paths are looked up on the disk. */
  readonly seesFiles: boolean;
}

const POLICIES_MAX = 8;
const policies = new Map<string, Policy>();
const schemas = new SchemaStore({ patterns });

export function findCall({ call, context, policy, seesFiles, tool }: CallToFind): CallFinding {
  const files = seesFiles ? { files: () => new DiskView() } : {};
  const tools = new Map(tool === undefined ? [] : [[tool.name, tool]]);
  return findingOf({ call, tools, context: { ...context, ...files } }, { policy: policyOf(policy), schemas });
}

function policyOf(text: string): Policy {
  const known = policies.get(text);
  if (known !== undefined) return known;
  const checked = checkPolicyText(text);
  if (!checked.ok) throw new Error("the policy was checked before, and has problems now");
  policies.set(text, checked.policy);
  forgetOldest(policies, POLICIES_MAX);
  return checked.policy;
}
