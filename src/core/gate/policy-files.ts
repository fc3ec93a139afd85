/** The functions behind `lectern policy check`, `test` and `replay`. */
import { decide, type Decision, type DecisionContext } from "./decide.ts";
import { compilePolicy, toolSettings, type Policy, type PolicyResult } from "./policy.ts";
import {
  policyCasesSchema,
  policySchema,
  type Effect,
  type PolicyCaseData,
  type PolicyCasesData,
  type PolicyData,
} from "./policy-schema.ts";
import type { JudgedCall } from "./tool-call.ts";
import { fileChecker, namedWithLine, parsedFile, type FileProblem, type TextReader } from "./data-file.ts";
import type { PatternReader } from "./schemas.ts";
import type { ShellJudge } from "./shell-analysis.ts";

const readPolicy = fileChecker<PolicyData>(policySchema);
const readCases = fileChecker<PolicyCasesData>(policyCasesSchema);

/** What a policy may need, each from an entry point of its own. */
export interface PolicyOptions {
  /** Reads shell text: `shell` of `lectern/shell`. Without it a policy with rules about shell commands is refused, and calls of shell tools are denied. */
  readonly shell?: ShellJudge | undefined;
  /** Reads regular expressions: `patterns` of `lectern/patterns`. Without it a policy with a `regex`, and a tool whose schema has a `pattern`, are refused. */
  readonly patterns?: PatternReader | undefined;
  /** Reads a policy that is given as text: `yaml` of `lectern/yaml`. */
  readonly yaml?: TextReader | undefined;
}

/**
 * Reads a policy: the data as an object, or a text with `yaml`. An unknown key is a problem that names the nearest known one. The
 * problems and rules of a text have their line and column; of an object both are 0, and messages name the key. A policy about shell
 * commands needs `shell`.
 *
 * @example
 * ```ts
 * const checked = checkPolicy({ version: 1, rulse: [] });
 * if (!checked.ok) checked.problems[0]?.message; // Unknown key "rulse": did you mean "rules"?
 * checkPolicy("version: 1\nrules: [{ id: no-rm, effect: deny, command: rm ** }]", { shell, yaml }).ok; // true
 * ```
 */
export function checkPolicy(source: string | object, options: PolicyOptions = {}): PolicyResult {
  const file = readPolicy(parsedFile(source, options.yaml));
  const { shell = null, patterns = null } = options;
  return file.ok ? compilePolicy(file.data, file.place, { shell, patterns }) : file;
}

interface CaseResult {
  readonly name: string;
  /** In the file of cases; 0 if they were given as an object. */
  readonly line: number;
  readonly passed: boolean;
  /** The expected and the actual decision if it failed. */
  readonly message: string | null;
  readonly decision: Decision;
}

/** The results of test cases, or the problems of their file. */
export type PolicyTest =
  | {
      readonly ok: true;
      readonly passed: boolean;
      readonly results: readonly CaseResult[];
      /** Ids of rules that decided in no case. */
      readonly untestedRules: readonly string[];
    }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

/**
 * Runs test cases against a policy: an object, or a text with `yaml`. A case names a tool, its arguments and the expected effect, and may name the rule.
 *
 * @example
 * ```ts
 * testPolicy(policy, { cases: [{ tool: "bash", command: "rm -rf /", expect: "deny", rule: "no-rm" }] });
 * ```
 */
export function testPolicy(
  policy: Policy,
  cases: string | object,
  options: Pick<PolicyOptions, "yaml"> = {},
): PolicyTest {
  const file = readCases(parsedFile(cases, options.yaml));
  if (!file.ok) return file;
  const results = file.data.cases.map((data, index) =>
    runCase(policy, data, { index, line: file.place(["cases", index]).line }),
  );
  const deciding = new Set(results.flatMap((result) => result.decision.verdicts.map((verdict) => verdict.rule?.id)));
  return {
    ok: true,
    passed: results.every((result) => result.passed),
    results,
    untestedRules: policy.rules.map((rule) => rule.id).filter((id) => !deciding.has(id)),
  };
}

function runCase(
  policy: Policy,
  data: PolicyCaseData,
  at: { readonly index: number; readonly line: number },
): CaseResult {
  const labels = typeof data.session === "string" ? [data.session] : (data.session ?? []);
  const context = { labels, workingDirectory: data.directory ?? null, home: data.home ?? null };
  const call = { name: data.tool, arguments: argumentsOf(policy, data), finish: data.finish ?? "tool_calls" } as const;
  const decision = decide(policy, call, context);
  const message = mismatchOf(data, decision);
  return { name: data.name ?? `case ${at.index + 1}`, line: at.line, passed: message === null, message, decision };
}

/** `command` stands for the argument with the tool's shell text. */
function argumentsOf(policy: Policy, data: PolicyCaseData): Readonly<Record<string, unknown>> {
  const given = data.arguments ?? {};
  if (data.command === undefined) return given;
  return { ...given, ...shellArguments(toolSettings(policy, data.tool)?.shell ?? ["command"], data.command) };
}

/** The arguments of a call with this shell text at the pointer. */
export function shellArguments(pointer: readonly string[], text: string): Readonly<Record<string, unknown>> {
  const [key = "command", ...rest] = pointer;
  const value = rest.reduceRight<unknown>((inner, segment) => (segment === "*" ? [inner] : { [segment]: inner }), text);
  return { [key]: value };
}

function mismatchOf(data: PolicyCaseData, decision: Decision): string | null {
  const decided = decision.rule?.id ?? decision.source;
  const by = decision.rule === null ? `by "${decided}"` : `by the rule ${namedWithLine(decided, decision.rule.line)}`;
  const got = `got ${decision.effect} ${by}: ${evidenceOf(decision)}`;
  if (decision.effect !== data.expect) return `Wanted ${data.expect}, ${got}`;
  const named = data.rule === undefined || data.rule === decided || data.rule === decision.source;
  return named ? null : `Wanted the rule "${data.rule}", ${got}`;
}

/** Parts of a call that a message lists. */
const partsMax = 20;

/** The parts of the call that caused the decision. */
function evidenceOf({ effect, rule, source, verdicts }: Decision): string {
  const deciding = verdicts.filter(
    (verdict) => verdict.effect === effect && verdict.source === source && verdict.rule?.id === rule?.id,
  );
  const parts = [...new Set(deciding.map((verdict) => verdict.evidence))];
  const further = parts.length > partsMax ? [`and ${parts.length - partsMax} more`] : [];
  return [...parts.slice(0, partsMax), ...further].join("; ");
}

/** A recorded call; `recorded` is the decision at that time, if known. */
export interface RecordedCall {
  readonly call: JudgedCall;
  readonly context: DecisionContext;
  readonly recorded: Effect | null;
}

interface ReplayedCall {
  readonly id: string;
  readonly tool: string;
  readonly decision: Decision;
  readonly recorded: Effect | null;
  readonly changed: boolean;
}

/** What a policy decides about recorded calls, compared with what was decided then. */
export interface PolicyReplay {
  readonly calls: readonly ReplayedCall[];
  readonly counts: Readonly<Record<Effect, number>>;
  /** Calls whose recorded decision was different. */
  readonly changed: number;
  /** By rule id, or by `default`, `opaque`, `launcher` or `unfinished` if no rule decided. */
  readonly decidedBy: ReadonlyMap<string, number>;
}

/**
 * Applies a policy to recorded calls. Nothing is executed. A call whose arguments were healed or invalid counts as denied.
 *
 * @example
 * ```ts
 * replayPolicy(policy, recordedCalls).counts; // { allow: 10, ask: 2, deny: 1 }
 * ```
 */
export function replayPolicy(policy: Policy, calls: Iterable<RecordedCall>): PolicyReplay {
  const counts: Record<Effect, number> = { allow: 0, ask: 0, deny: 0 };
  const decidedBy = new Map<string, number>();
  const replayed: ReplayedCall[] = [];
  for (const { call, context, recorded } of calls) {
    const whole = call.status === "complete" && call.provenance !== "healed";
    const decision = decide(policy, whole ? call : { ...call, finish: "truncated" }, context);
    const decider = decision.rule?.id ?? decision.source;
    counts[decision.effect] += 1;
    decidedBy.set(decider, (decidedBy.get(decider) ?? 0) + 1);
    const changed = recorded !== null && recorded !== decision.effect;
    replayed.push({ id: call.id, tool: call.name, decision, recorded, changed });
  }
  return { calls: replayed, counts, changed: replayed.filter((call) => call.changed).length, decidedBy };
}
