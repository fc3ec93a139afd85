/** Explains a decision part by part: for people who write a policy. */
import { decide, judgeActions, type Decision, type DecisionContext, type Verdict } from "./decide.ts";
import { namedWithLine } from "./data-file.ts";
import type { CallAction } from "./rules.ts";
import type { CommandPattern } from "./globs.ts";
import type { Policy } from "./policy.ts";
import { opaqueReasons } from "./opaque-reasons.ts";
import type { ShellWord } from "./shell-words.ts";

/** A part of a call, and what the policy says about it. */
export interface ExplainedPart {
  /** `call`: the whole call of a tool without a shell text. */
  readonly kind: CallAction["type"];
  readonly text: string;
  /** Why an opaque part cannot be read; null for others. */
  readonly why: string | null;
  /** For a command that no rule matches: how a rule would that was perhaps meant to; null for others. */
  readonly hint: string | null;
  readonly effect: Verdict["effect"];
  readonly source: Verdict["source"];
  readonly rule: Verdict["rule"];
}

/** A decision with its parts in the order of the text; the strictest of them decides. */
export interface Explanation {
  readonly decision: Omit<Decision, "verdicts">;
  readonly parts: readonly ExplainedPart[];
}

/** Judges a whole call, as `decide` does, and keeps what each verdict is about. */
export function explainCall(
  policy: Policy,
  call: { readonly name: string; readonly arguments: unknown },
  context: DecisionContext,
): Explanation {
  const { verdicts: _, ...decision } = decide(policy, { ...call, finish: "tool_calls" }, context);
  const parts = judgeActions(policy, call, context).map(({ action, verdict }): ExplainedPart => {
    const why = action.type === "opaque" ? opaqueReasons[action.reason] : null;
    const { effect, evidence, rule, source } = verdict;
    const hint = action.type === "command" && source === "default" ? hintOf(policy, action.words) : null;
    return { kind: action.type, text: evidence, why, hint, effect, source, rule };
  });
  return { decision, parts };
}

/** `ls *` is `ls` with exactly one word. */
function hintOf({ rules }: Policy, words: readonly ShellWord[]): string | null {
  for (const { commands, id, line } of rules) {
    const meant = commands?.find((pattern) => isMeant(pattern, words));
    if (meant === undefined) continue;
    const open = meant.source.replace(/\*$/, "**");
    return `the rule ${namedWithLine(id, line)} has "${meant.source}", where each "*" is exactly one word: "${open}" has any number of them`;
  }
  return null;
}

function isMeant({ later, name, open, words }: CommandPattern, [first, ...others]: readonly ShellWord[]): boolean {
  if (open || later.length > 0 || words.at(-1)?.source !== "*" || !name.matches(first?.value ?? "")) return false;
  return words.slice(0, -1).every((glob, at) => glob.matches(others[at]?.value ?? ""));
}
