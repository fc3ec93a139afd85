/** What a call is found to be, before its identity and the limits count: sound in its structure, and allowed by the policy or not. */
import { decide, type Decision, type DecisionContext } from "./decide.ts";
import type { Policy } from "./policy.ts";
import type { SchemaStore } from "./schemas.ts";
import { commitStructure, type StructuralReason } from "./structural.ts";
import type { JudgedCall, ToolDefinition } from "./tool-call.ts";

/** Plain data, so that another thread can make it. `reasons`: why its structure is refused; no policy then decides about it. */
export type CallFinding =
  | { readonly reasons: readonly StructuralReason[]; readonly decision: null }
  | { readonly reasons: null; readonly decision: Decision };

interface FoundCall {
  readonly call: JudgedCall;
  /** The tools of the request that the call answers. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly context: DecisionContext;
}

interface Finders {
  readonly policy: Policy;
  readonly schemas: SchemaStore;
}

/** Pure; its cost grows with the arguments, the patterns of the tool's schema, and the rules. */
export function findingOf({ call, tools, context }: FoundCall, { policy, schemas }: Finders): CallFinding {
  const structure = commitStructure(call, { tools, schemas });
  return structure.committed
    ? { reasons: null, decision: decide(policy, call, context) }
    : { reasons: structure.reasons, decision: null };
}
