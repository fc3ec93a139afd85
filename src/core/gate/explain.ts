/** Explains a decision part by part: for people who write a policy. */
import { decide, judgeActions, type Decision, type DecisionContext, type Verdict } from "./decide.ts";
import { namedWithLine } from "./data-file.ts";
import type { CallAction } from "./rules.ts";
import type { CommandPattern, Policy } from "./policy.ts";
import type { OpaqueReason } from "./shell-actions.ts";
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

/** One sentence for each reason. */
const reasons: Readonly<Record<OpaqueReason, string>> = {
  syntax: "bash does not accept this text, or it cannot be parsed",
  "computed-name": "the program is only known when it runs",
  launcher: "it runs code in its words or input, or starts a program in a way that is not read",
  "computed-script": "the text of a script is only known when it runs",
  "input-script": "a shell runs what it reads from its input",
  arithmetic: "bash evaluates a value as arithmetic, which can run commands",
  expansion: "bash evaluates a value again",
  "unreadable-characters": "it has characters that show another text than bash reads",
  "confusable-name": "the name of the command has letters that look like others",
  "too-large": "it is too long",
  "too-deep": "it is nested too deeply",
  program: "it is a program, which may call other tools",
  "no-text": "the call has no shell text",
  "working-directory": "an argument may change where the text runs",
  "second-text": "an argument beside the text may be shell text too",
  "unknown-words": "the record of the program does not know all of its words",
};

/** Judges a whole call, as `decide` does, and keeps what each verdict is about. */
export function explainCall(
  policy: Policy,
  call: { readonly name: string; readonly arguments: unknown },
  context: DecisionContext,
): Explanation {
  const { verdicts: _, ...decision } = decide(policy, { ...call, finish: "tool_calls" }, context);
  const parts = judgeActions(policy, call, context).map(({ action, verdict }): ExplainedPart => {
    const why = action.type === "opaque" ? reasons[action.reason] : null;
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

function isMeant({ name, open, words }: CommandPattern, [first, ...others]: readonly ShellWord[]): boolean {
  if (open || words.at(-1)?.source !== "*" || !name.matches(first?.value ?? "")) return false;
  return words.slice(0, -1).every((glob, at) => glob.matches(others[at]?.value ?? ""));
}
