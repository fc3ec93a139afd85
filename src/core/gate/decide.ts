/**
 * The decision of a policy about one call: pure, and the same for the same call, policy and context.
 *
 * A call is judged action by action: a plain tool is one action, a shell text is one for each command, redirection,
 * variable and unreadable place. For each action the strictest matching rule wins (deny, ask, allow), in whatever order they stand;
 * where none matches, the default. The strictest action decides the call. So a further deny or ask rule never allows more.
 */
import type { Certainty } from "./certainty.ts";
import { resolvePath, type PathContext } from "./paths.ts";
import { selectLeaves, stringAt } from "./pointers.ts";
import { toolSettings, type Policy, type Rule } from "./policy.ts";
import type { Effect } from "./policy-schema.ts";
import { matchesAction, matchesCall, type CallAction, type CallFacts } from "./rules.ts";
import { analyzeShell, analyzeWords, opaque, type ShellAnalysis } from "./shell.ts";
import { besideText } from "./shell-calls.ts";
import type { JudgedCall } from "./tool-call.ts";
import { visibleText } from "./visible-text.ts";
import { callDirectory, type CallDirectory } from "./working-directory.ts";

/** Where a call runs: the working directory and the home directory (null if not known), and the labels of the session. */
export interface DecisionContext extends PathContext {
  /** Labels of the session. */
  readonly labels: readonly string[];
}

/** What decided: a rule, or what holds where no rule does. `launcher`: it only starts another command, which is judged itself. */
type VerdictSource = "rule" | "default" | "opaque" | "launcher" | "unfinished";

/** About one action. */
export interface Verdict {
  readonly effect: Effect;
  readonly source: VerdictSource;
  /** The rule that decides or, for `opaque`, the one that may match. */
  readonly rule: { readonly id: string; readonly line: number; readonly reason: string | null } | null;
  /** The command, file, variable or tool that it is about. */
  readonly evidence: string;
  /** One sentence for people and models. */
  readonly message: string;
}

/** The decision about a call: the strictest verdict about one of its actions. */
export interface Decision extends Verdict {
  /** One for each action, in the order of the text. */
  readonly verdicts: readonly Verdict[];
}

const strictness: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/** What explains more comes first among equally strict verdicts. */
const explains: Readonly<Record<VerdictSource, number>> = {
  rule: 4,
  unfinished: 3,
  opaque: 2,
  default: 1,
  launcher: 0,
};

/** The stricter of two; of equals the one that explains more, then the first. */
function stricter(left: Verdict, right: Verdict): Verdict {
  const difference =
    strictness[right.effect] - strictness[left.effect] || explains[right.source] - explains[left.source];
  return difference > 0 ? right : left;
}

/** Turns in which the model said all that it wanted to say. */
const wholeTurns: ReadonlySet<JudgedCall["finish"]> = new Set<JudgedCall["finish"]>(["stop", "tool_calls"]);

/**
 * Decides about a call by a policy: denies, asks or allows, with the rule and the reason. Pure; it does not check the arguments against
 * the schema of the tool (`Gate` does).
 *
 * @example
 * ```ts
 * const checked = checkPolicy("version: 1\nrules: [{ id: no-rm, effect: deny, command: rm ** }]");
 * if (checked.ok) decide(checked.policy, call, { workingDirectory: "/project", home: null, labels: [] }).effect;
 * ```
 */
export function decide(
  policy: Policy,
  call: Pick<JudgedCall, "name" | "arguments" | "finish">,
  context: DecisionContext,
): Decision {
  const judged = wholeTurns.has(call.finish) || (call.finish === "length" && policy.length === "judge");
  if (!judged) return alone(unfinished(call));
  const settings = toolSettings(policy, call.name);
  const directory = callDirectory(call.arguments, settings);
  const analysis = settings?.shell == null ? undefined : analysisOf(settings.shell, { call, directory });
  const facts = factsOf(call, { directory, analysis, context });
  const candidates = policy.rules.flatMap((rule): readonly Candidate[] => {
    const certainty = matchesCall(rule, facts);
    return certainty === "no" ? [] : [{ rule, certainty }];
  });
  const verdicts = actionsOf(analysis).map((action) => judge(action, { policy, candidates, facts }));
  return { ...verdicts.reduce(stricter), verdicts };
}

const alone = (verdict: Verdict): Decision => ({ ...verdict, verdicts: [verdict] });

function unfinished(call: Pick<JudgedCall, "name" | "finish">): Verdict {
  const message =
    call.finish === "length"
      ? "The turn was cut off by the token limit"
      : `The turn ended with "${call.finish ?? "nothing"}"`;
  return { effect: "deny", source: "unfinished", rule: null, evidence: visibleText(call.name), message };
}

interface ShellCall {
  readonly call: Pick<JudgedCall, "name" | "arguments">;
  readonly directory: CallDirectory;
}

function analysisOf(pointer: readonly string[], { call, directory }: ShellCall): ShellAnalysis {
  const leaves = selectLeaves(call.arguments, pointer).leaves;
  const texts = leaves.map((leaf) => String(leaf.value));
  const isText = pointer.includes("*") || stringAt(call.arguments, pointer) !== undefined;
  const read = isText
    ? texts.map((text) => analyzeShell(text)).reduce(joinAnalyses, { actions: [], directories: [], setsHome: false })
    : analyzeWords(texts);
  const beside = besideText(directory);
  const missing = leaves.length === 0 ? [opaque("no-text", call.name)] : [];
  return { ...read, actions: [...read.actions, ...missing, ...beside] };
}

const joinAnalyses = (left: ShellAnalysis, right: ShellAnalysis): ShellAnalysis => ({
  actions: [...left.actions, ...right.actions],
  directories:
    left.directories === null || right.directories === null ? null : [...left.directories, ...right.directories],
  setsHome: left.setsHome || right.setsHome,
});

/** A text without any command, or one that could not be read at all, is still a call. */
function actionsOf(analysis: ShellAnalysis | undefined): readonly [CallAction, ...CallAction[]] {
  const actions = analysis?.actions ?? [];
  const [first, ...rest] = actions;
  const readable = actions.some((action) => action.type !== "opaque");
  return first === undefined || !readable ? [{ type: "call" }, ...actions] : [first, ...rest];
}

interface Known {
  readonly directory: CallDirectory;
  readonly analysis: ShellAnalysis | undefined;
  readonly context: DecisionContext;
}

function factsOf(call: Pick<JudgedCall, "name" | "arguments">, known: Known): CallFacts {
  const { directory, analysis, context } = known;
  const session = { workingDirectory: context.workingDirectory, home: context.home };
  const started = analysis?.setsHome === true ? { ...session, home: null } : session;
  const starts = startsOf(directory, started).flatMap((start) => [
    start,
    ...(analysis?.directories ?? []).map((changed) => ({
      ...start,
      workingDirectory: resolvePath(changed, start) ?? null,
    })),
  ]);
  return {
    tool: call.name,
    labels: context.labels,
    arguments: call.arguments,
    values: selectLeaves(call.arguments, []),
    session,
    folder: soleFolder(directory),
    starts: analysis?.directories === null ? [{ ...started, workingDirectory: null }] : starts,
  };
}

/** The argument that says where the call runs is itself relative to the session. */
function soleFolder({ named, others }: CallDirectory): string | null {
  const [first, ...rest] = named === undefined ? others : [named, ...others];
  return first === undefined || rest.length > 0 ? null : first.path;
}

/** The folder that the call names, or the session's; where an argument may be one, both. */
function startsOf(directory: CallDirectory, session: PathContext): readonly PathContext[] {
  const { isOpen, named, others } = directory;
  const at = (text: string): PathContext => ({
    ...session,
    // Programs differ in whether they expand a tilde or read a URL here.
    workingDirectory: /^~|^[a-z][a-z0-9+.-]+:/i.test(text) ? null : (resolvePath(text, session) ?? null),
  });
  if (isOpen) return [{ ...session, workingDirectory: null }];
  return [named === undefined ? session : at(named.value), ...others.map((argument) => at(argument.value))];
}

interface Candidate {
  readonly rule: Rule;
  /** Of tool, session and arguments. */
  readonly certainty: Certainty;
}

interface Judging {
  readonly policy: Policy;
  readonly candidates: readonly Candidate[];
  readonly facts: CallFacts;
}

function judge(action: CallAction, judging: Judging): Verdict {
  const { policy, candidates, facts } = judging;
  const evidence = visibleText(evidenceOf(action, facts));
  let sure: Verdict | undefined;
  let possible: Verdict | undefined;
  for (const { rule, certainty } of candidates) {
    const match = both(certainty, matchesAction(rule, action, facts));
    if (match === "yes") sure = first(sure, ruled(rule, evidence));
    if (match === "maybe") possible = first(possible, possiblyRuled(rule, policy, evidence));
  }
  // What only may match is no match: it can add strictness to the default, and never take the default's place.
  const base =
    action.type === "opaque"
      ? stricterOf(judgeOpaque(action.reason, policy, evidence), sure)
      : (sure ?? fallback(action, policy, evidence));
  return stricterOf(base, possible);
}

/** The strictest so far; of equals the one that stands first in the file. */
const first = (known: Verdict | undefined, next: Verdict | undefined): Verdict | undefined =>
  known === undefined || next === undefined ? (known ?? next) : stricter(known, next);

const stricterOf = (verdict: Verdict, other: Verdict | undefined): Verdict =>
  other === undefined ? verdict : stricter(verdict, other);

const both = (left: Certainty, right: Certainty): Certainty =>
  left === "no" || right === "no" ? "no" : left === "yes" ? right : "maybe";

function ruled(rule: Rule, evidence: string): Verdict {
  const { effect, id, line, reason } = rule;
  const message = reason ?? `The rule "${id}" (line ${line}) says ${effect}: ${evidence}`;
  return { effect, source: "rule", rule: { id, line, reason }, evidence, message };
}

/** A rule that only may match allows nothing; a deny that only may match is as strict as the policy is about opaque text. */
function possiblyRuled(rule: Rule, policy: Policy, evidence: string): Verdict | undefined {
  if (rule.effect === "allow" || policy.opaque === "allow") return undefined;
  const { id, line, reason } = rule;
  const effect = rule.effect === "ask" ? "ask" : policy.opaque;
  const message = `The rule "${id}" (line ${line}) may match, which shows only when it runs: ${evidence}`;
  return { effect, source: "opaque", rule: { id, line, reason }, evidence, message };
}

/** Rules cannot allow what cannot be read: only the policy's own word about opaque text can. */
function judgeOpaque(reason: string, policy: Policy, evidence: string): Verdict {
  const message = `Part of the command cannot be read without running it (${reason}): ${evidence}`;
  return { effect: policy.opaque, source: "opaque", rule: null, evidence, message };
}

/** Where no rule matches. */
function fallback(action: CallAction, policy: Policy, evidence: string): Verdict {
  if (action.type === "command" && action.transparent) {
    return {
      effect: "allow",
      source: "launcher",
      rule: null,
      evidence,
      message: `It only starts another command: ${evidence}`,
    };
  }
  const message = `No rule matches, and the default is ${policy.default}: ${evidence}`;
  const verdict: Verdict = { effect: policy.default, source: "default", rule: null, evidence, message };
  // A command in a variable is one that nobody read.
  const isUnread = action.type === "assignment" && action.namesCommand;
  return isUnread && strictness[policy.opaque] > strictness[policy.default]
    ? judgeOpaque("variable", policy, evidence)
    : verdict;
}

function evidenceOf(action: CallAction, facts: CallFacts): string {
  switch (action.type) {
    case "call":
      return facts.tool;
    case "redirect":
      return `${action.access} ${action.target.value ?? action.target.text}`;
    case "assignment":
      return `sets ${action.name}`;
    case "command":
    case "opaque":
      return action.text;
    default:
      return facts.tool;
  }
}
