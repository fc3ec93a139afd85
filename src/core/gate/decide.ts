/**
 * Decides one call by a policy: pure and deterministic.
 *
 * A plain tool call is one action; a shell text is one action for each command, redirection, variable and opaque part. For each
 * action the strictest matching rule wins (deny, ask, allow), whatever their order; if none matches, the default applies. The strictest
 * action decides the call, so adding a deny or ask rule never allows more.
 */
import { allOf } from "./certainty.ts";
import { actionEffects } from "./action-effects.ts";
import { namedWithLine } from "./data-file.ts";
import { isStarted, judgeEffects, type Candidate, type EffectJudgement, type Restriction } from "./judge-effects.ts";
import { lecternUse } from "./lectern-commands.ts";
import { MadeNames } from "./made-names.ts";
import { absolutePath, normalizePath, resolvePath, type PathContext } from "./paths.ts";
import { RealPaths, type FileView } from "./real-paths.ts";
import { selectLeaves } from "./pointers.ts";
import { toolSettings, type Policy, type Rule } from "./policy.ts";
import type { Effect } from "./policy-schema.ts";
import { matchesAction, matchesCall, type CallAction, type CallFacts } from "./rules.ts";
import { calledProgram } from "./program-calls.ts";
import { wallEffects } from "./tool-effects.ts";
import { unreadAnalysis, type ShellAnalysis } from "./shell-analysis.ts";
import type { JudgedCall } from "./tool-call.ts";
import { visibleText } from "./visible-text.ts";
import { callDirectory, type CallDirectory } from "./working-directory.ts";

/** Where a call runs: the working directory and the home directory (null if not known), and the labels of the session. */
export interface DecisionContext extends PathContext {
  readonly labels: readonly string[];
  /** A view of the file system, made for each decision; without one, paths are text and links are not seen. */
  readonly files?: () => FileView;
}

/**
 * What decided: a rule, or what applies without one. `launcher`: the command only starts another one, which is judged by itself.
 * `lectern`: it is a command of Lectern itself, which only a rule that names it allows.
 */
type VerdictSource = "rule" | "default" | "opaque" | "launcher" | "lectern" | "unfinished";

/** The result for one action. */
export interface Verdict {
  readonly effect: Effect;
  readonly source: VerdictSource;
  /** The rule that decides or, for `opaque`, the one that may match. */
  readonly rule: { readonly id: string; readonly line: number; readonly reason: string | null } | null;
  /** The command, file, variable or tool. */
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

/** Ranks equally strict verdicts by how much they explain. */
const explains: Readonly<Record<VerdictSource, number>> = {
  rule: 4,
  unfinished: 3,
  opaque: 2,
  lectern: 2,
  default: 1,
  launcher: 0,
};

/** Of equally strict verdicts the one that explains more, then the first. */
function stricter(left: Verdict, right: Verdict): Verdict {
  const difference =
    strictness[right.effect] - strictness[left.effect] || explains[right.source] - explains[left.source];
  return difference > 0 ? right : left;
}

/** Turns that the model completed. */
const wholeTurns: ReadonlySet<JudgedCall["finish"]> = new Set<JudgedCall["finish"]>(["stop", "tool_calls"]);

/**
 * Decides about a call by a policy: denies, asks or allows, with the rule and the reason. Pure; it does not check the arguments against
 * the schema of the tool (`Gate` does).
 *
 * @example
 * ```ts
 * const checked = checkPolicy({ version: 1, rules: [{ id: "no-rm", effect: "deny", command: "rm **" }] }, { shell });
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
  if (isUnread(policy, call.name)) return alone(unread(call));
  const verdicts = judgeActions(policy, call, context).map(({ verdict }) => verdict);
  return { ...verdicts.reduce(stricter), verdicts };
}

/** An action with what the policy says about it. */
export interface JudgedAction {
  readonly action: CallAction;
  readonly verdict: Verdict;
}

/** Judges each action of a call, in the order of the text. Never empty. */
export function judgeActions(
  policy: Policy,
  call: Pick<JudgedCall, "name" | "arguments">,
  context: DecisionContext,
): readonly JudgedAction[] {
  const settings = toolSettings(policy, call.name);
  const directory = callDirectory(call.arguments, settings);
  const analysis = settings?.shell == null ? unreadProgram(call) : policy.shell?.read(settings.shell, call, directory);
  const facts = factsOf(call, { directory, analysis, context });
  const candidates = policy.rules.flatMap((rule): readonly Candidate[] => {
    const certainty = matchesCall(rule, facts);
    return certainty === "no" ? [] : [{ rule, certainty }];
  });
  const speaksOfEffects = policy.rules.some(({ does }) => does !== null);
  const judging: Judging = { policy, candidates, facts, speaksOfEffects };
  const actions = [...actionsOf(analysis), ...(speaksOfEffects ? wallActions(call.arguments) : [])];
  return actions.map((action) => {
    facts.made?.enter(action);
    const folder = action.type === "command" ? analysis?.folders.get(action) : undefined;
    return {
      action,
      verdict: judge(action, folder === undefined ? judging : { ...judging, facts: inside(folder, facts) }),
    };
  });
}

const wallActions = (value: unknown): readonly CallAction[] => {
  const effects = wallEffects(value);
  return effects.length === 0 ? [] : [{ type: "walls", effects }];
};

/** Does the tool take shell text, and the policy has no judge for it? Its calls are denied. */
export const isUnread = (policy: Policy, tool: string): boolean =>
  policy.shell === null && toolSettings(policy, tool)?.shell != null;

function unread({ name }: Pick<JudgedCall, "name">): Verdict {
  const tool = visibleText(name);
  const message = `The tool "${tool}" takes shell text, and the policy was compiled without a judge for it: pass { shell } from "lectern/shell" to checkPolicy`;
  return { effect: "deny", source: "opaque", rule: null, evidence: tool, message };
}

const alone = (verdict: Verdict): Decision => ({ ...verdict, verdicts: [verdict] });

function unfinished(call: Pick<JudgedCall, "name" | "finish">): Verdict {
  const message =
    call.finish === "length"
      ? "The turn was cut off by the token limit"
      : `The turn ended with "${call.finish ?? "nothing"}"`;
  return { effect: "deny", source: "unfinished", rule: null, evidence: visibleText(call.name), message };
}

function unreadProgram(call: Pick<JudgedCall, "name" | "arguments">): ShellAnalysis | undefined {
  const text = calledProgram(call);
  if (text === undefined) return undefined;
  return unreadAnalysis({ type: "opaque", reason: "program", text: visibleText(text) });
}

/** A text without a readable action is still a call, so rules about the whole call apply. */
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
  const { analysis, context, directory } = known;
  const session = { workingDirectory: context.workingDirectory, home: context.home };
  const started = analysis?.setsHome === true ? { ...session, home: null } : session;
  const begins = startsOf(directory, started);
  const starts = begins.flatMap((start) => [
    start,
    ...(analysis?.directories ?? []).map((changed) => ({ ...start, workingDirectory: changedTo(changed, start) })),
  ]);
  const real = context.files === undefined ? null : new RealPaths(context.files(), session);
  const all = analysis?.directories === null ? [{ ...started, workingDirectory: null }] : starts;
  return {
    tool: call.name,
    labels: context.labels,
    arguments: call.arguments,
    values: selectLeaves(call.arguments, []),
    session,
    folder: soleFolder(directory),
    begins,
    starts: all,
    real,
    made: MadeNames.of(analysis, { starts: all, real }),
  };
}

/** The facts for a command that runs only in this folder, from the places in which the text may begin. */
const inside = (folder: string, facts: CallFacts): CallFacts => ({
  ...facts,
  starts: facts.begins.map((start) => ({ ...start, workingDirectory: changedTo(folder, start) })),
});

/** `cd link/..` goes back to where it was, if the shell knows by which names it came there. */
function changedTo(folder: string, start: PathContext): string | null {
  const isKnown = start.workingDirectory !== null && normalizePath(start.workingDirectory) === start.workingDirectory;
  return (isKnown ? resolvePath(folder, start) : absolutePath(folder, start)) ?? null;
}

/** The argument that names the working directory is itself relative to the session. */
function soleFolder({ named, others }: CallDirectory): string | null {
  const [first, ...rest] = named === undefined ? others : [named, ...others];
  return first === undefined || rest.length > 0 ? null : first.path;
}

/** The directory that the call names, or the session's; both if an argument may name one. */
function startsOf(directory: CallDirectory, session: PathContext): readonly PathContext[] {
  const { isOpen, named, others } = directory;
  const at = (text: string): PathContext => ({
    ...session,
    // Programs disagree about a tilde or a URL here.
    workingDirectory: /^~|^[a-z][a-z0-9+.-]+:/i.test(text) ? null : (absolutePath(text, session) ?? null),
  });
  if (isOpen) return [{ ...session, workingDirectory: null }];
  return [named === undefined ? session : at(named.value), ...others.map((argument) => at(argument.value))];
}

interface Judging {
  readonly policy: Policy;
  readonly candidates: readonly Candidate[];
  readonly facts: CallFacts;
  /** A rule has `does`. */
  readonly speaksOfEffects: boolean;
}

function judge(action: CallAction, judging: Judging): Verdict {
  const { policy, candidates, facts } = judging;
  const evidence = visibleText(evidenceOf(action, facts));
  let sure: Verdict | undefined;
  let possible: Verdict | undefined;
  const naming: Rule[] = [];
  for (const { rule, certainty } of candidates) {
    const match = allOf([certainty, matchesAction(rule, action, facts)]);
    if (match === "yes") sure = strictest(sure, ruled(rule, evidence));
    if (match === "yes" && rule.effect === "allow") naming.push(rule);
    if (match === "maybe") possible = strictest(possible, possiblyRuled(rule, policy, evidence));
  }
  const effects = judging.speaksOfEffects ? actionEffects(action, facts) : undefined;
  const judgement = effects && judgeEffects(effects, candidates, { action, facts, naming });
  for (const restriction of restrictionsOf(judgement, action, { policy, sure })) {
    const about = aboutEffect(action, evidence, restriction.phrase);
    if (restriction.certainty === "yes") sure = strictest(sure, ruled(restriction.rule, evidence, about));
    else possible = strictest(possible, possiblyAbout(restriction, policy, { evidence, about }));
  }
  const { allowing, open } = judgement ?? {};
  if (open !== undefined && action.type === "command" && sure?.effect === "allow") sure = undefined;
  // A rule by name vouches for words that the record does not know, as it does for a program without a record.
  const isUnknown =
    effects?.effects.some(({ kind }) => kind === "unknown") === true &&
    allowing === undefined &&
    sure?.effect !== "allow" &&
    !isStarted(action);
  if (sure === undefined && allowing !== undefined) sure = ruled(allowing, evidence);
  // A possible match adds strictness to the default, but never replaces it.
  const reason = action.type === "opaque" ? action.reason : isUnknown ? "unknown-words" : undefined;
  const base =
    reason === undefined
      ? (sure ?? fallback(action, policy, { evidence, open, isKnown: effects?.isKnown !== false }))
      : strictest(judgeOpaque(reason, policy, evidence), sure);
  const verdict = strictest(strictest(base, possible), judgeLectern(action, judging, evidence));
  const note = facts.made?.takeNote() ?? facts.real?.takeNote();
  return note === undefined || verdict.effect === "allow"
    ? verdict
    : { ...verdict, message: `${verdict.message} (${visibleText(note)})` };
}

/**
 * A rule that allows a program by name vouches for one that has no record: it counts as one that reads and writes what its words name, since
 * `eslint -o FILE` and `prettier --write FILE` do. Without such a rule, what is not stricter than the verdict anyway says less than that
 * the program is not known.
 */
function restrictionsOf(
  judgement: EffectJudgement | undefined,
  action: CallAction,
  { policy, sure }: { readonly policy: Policy; readonly sure: Verdict | undefined },
): readonly Restriction[] {
  const unmatched = action.type === "command" && action.transparent ? "allow" : policy.default;
  return (judgement?.restrictions ?? []).filter(({ phrase, rule }) => {
    if (phrase !== null) return true;
    if (sure?.effect === "allow")
      return rule.paths !== null && opensFiles.some((kind) => rule.does?.has(kind) === true);
    return strictness[rule.effect] > strictness[unmatched];
  });
}

const opensFiles = ["read", "write"] as const;

/** The evidence with what the action does: `cat .env reads .env`. */
function aboutEffect(action: CallAction, evidence: string, phrase: string | null): string {
  if (phrase === null) return evidence;
  return action.type === "redirect" ? phrase : `${evidence} ${phrase}`;
}

/** Undefined for what is no command of Lectern, only reads, or is allowed by a rule that names it. */
function judgeLectern(
  action: CallAction,
  { candidates, facts, policy }: Judging,
  evidence: string,
): Verdict | undefined {
  const use = action.type === "command" ? lecternUse(action.words) : undefined;
  if (use === undefined || use === "reads") return undefined;
  const isNamed = candidates.some(({ rule, certainty }) => {
    const commands = rule.commands?.filter(({ source }) => /lectern|\.sock/.test(source)) ?? [];
    if (rule.effect !== "allow" || commands.length === 0) return false;
    return allOf([certainty, matchesAction({ ...rule, commands }, action, facts)]) === "yes";
  });
  if (isNamed) return undefined;
  if (use === "starts") return judgeOpaque("launcher", policy, evidence);
  const message = `An agent does not use Lectern's own commands unless a rule of the policy allows them by name: ${evidence}`;
  return { effect: "deny", source: "lectern", rule: null, evidence, message };
}

/** Of equally strict verdicts the first in the file. */
function strictest(known: Verdict, next: Verdict | undefined): Verdict;
function strictest(known: Verdict | undefined, next: Verdict | undefined): Verdict | undefined;
function strictest(known: Verdict | undefined, next: Verdict | undefined): Verdict | undefined {
  return known === undefined || next === undefined ? (known ?? next) : stricter(known, next);
}

/** `about`: what an effect adds to the evidence. */
function ruled(rule: Rule, evidence: string, about?: string): Verdict {
  const { effect, id, line, reason } = rule;
  const why = reason === null || about === undefined ? reason : `${reason}: ${about}`;
  const message = why ?? `The rule ${namedWithLine(id, line)} says ${effect}: ${about ?? evidence}`;
  return { effect, source: "rule", rule: { id, line, reason }, evidence, message };
}

/** A possible match allows nothing; a possible deny is as strict as the policy is about opaque text. */
function possiblyRuled(rule: Rule, policy: Policy, evidence: string, about = evidence): Verdict | undefined {
  if (rule.effect === "allow" || policy.opaque === "allow") return undefined;
  const { id, line, reason } = rule;
  const effect = rule.effect === "ask" ? "ask" : policy.opaque;
  const message = `The rule ${namedWithLine(id, line)} may match, which shows only when it runs: ${about}`;
  return { effect, source: "opaque", rule: { id, line, reason }, evidence, message };
}

/** A rule is not blamed for a path that could be any. */
function possiblyAbout(
  { rule, ...restriction }: Restriction,
  policy: Policy,
  { about, evidence }: { readonly evidence: string; readonly about: string },
): Verdict | undefined {
  const verdict = possiblyRuled(rule, policy, evidence, about);
  if (verdict === undefined || !restriction.isUnread) return verdict;
  return { ...verdict, rule: null, message: `Which path is meant shows only when it runs: ${about}` };
}

/** Rules cannot allow opaque text: only the policy's `opaque` setting can. */
function judgeOpaque(reason: string, policy: Policy, evidence: string): Verdict {
  const message =
    reason === "unknown-words"
      ? `The gate does not know what each word of it does: ${evidence}`
      : `Part of the command cannot be read without running it (${reason}): ${evidence}`;
  return { effect: policy.opaque, source: "opaque", rule: null, evidence, message };
}

interface Unmatched {
  readonly evidence: string;
  /** It has a record. */
  readonly isKnown: boolean;
  /** What no rule allows it to do. */
  readonly open: string | undefined;
}

function unmatchedMessage(action: CallAction, effect: Effect, { evidence, isKnown, open }: Unmatched): string {
  if (open !== undefined)
    return `No rule allows this, and the default is ${effect}: ${aboutEffect(action, evidence, open)}`;
  const unknown = isKnown || action.type !== "command" ? "" : ", what it does is not known";
  return `No rule matches${unknown}, and the default is ${effect}: ${evidence}`;
}

/** The verdict if no rule matches. */
function fallback(action: CallAction, policy: Policy, { evidence, isKnown, open }: Unmatched): Verdict {
  if (action.type === "command" && action.transparent && !(action.isCovered === true && open !== undefined)) {
    return {
      effect: "allow",
      source: "launcher",
      rule: null,
      evidence,
      message: `It only starts another command: ${evidence}`,
    };
  }
  const message = unmatchedMessage(action, policy.default, { evidence, isKnown, open });
  const verdict: Verdict = { effect: policy.default, source: "default", rule: null, evidence, message };
  // A command in the value of a variable was not analysed.
  const isUnknown = action.type === "assignment" && action.namesCommand;
  return isUnknown && strictness[policy.opaque] > strictness[policy.default]
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
    case "walls":
      return action.effects.map(({ text }) => text).join(", ");
    default:
      return action.text;
  }
}
