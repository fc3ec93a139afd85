/**
 * Judges an action by what it does. It is allowed if a rule allows each of its effects; one effect that may be meant is enough for a rule
 * that asks or denies.
 */
import { allOf, type Certainty } from "./certainty.ts";
import { effectPhrase, programItself } from "./effect-words.ts";
import type { ProgramEffect } from "./effects.ts";
import type { EffectKind } from "./program-entry.ts";
import type { Rule } from "./policy.ts";
import { useOf, wordPath } from "./made-names.ts";
import { broughtPath, listsOf, matchesTarget } from "./rule-paths.ts";
import {
  isAboutWholeCall,
  isTrustedName,
  matchesCommandPaths,
  matchesNamed,
  type CallAction,
  type CallFacts,
} from "./rules.ts";

export interface ActionEffects {
  readonly effects: readonly ProgramEffect[];
  /** A record, the table of tools or the form of a redirection names all of them. */
  readonly isKnown: boolean;
}

/** A rule with the certainty that the session, tool and arguments of a call match it. */
export interface Candidate {
  readonly rule: Rule;
  readonly certainty: Certainty;
}

/** A rule that asks or denies, with what it is about. */
export interface Restriction {
  readonly rule: Rule;
  readonly certainty: "yes" | "maybe";
  /** What the action does, for people: `reads .env`. Null for a program that is not known. */
  readonly phrase: string | null;
  /** The path is only known when it runs. */
  readonly isUnread: boolean;
}

export interface EffectJudgement {
  readonly restrictions: readonly Restriction[];
  /** The rule that allows by effects, if each of them is allowed. */
  readonly allowing: Rule | undefined;
  /** The first effect that no rule allows, for people. */
  readonly open: string | undefined;
}

interface Judged {
  readonly action: CallAction;
  readonly facts: CallFacts;
  /** The rules that allow the program by its name: they vouch for what it is, and leave what it is known to do to other rules. */
  readonly naming: readonly Rule[];
}

export function judgeEffects(
  { effects, isKnown }: ActionEffects,
  candidates: readonly Candidate[],
  judged: Judged,
): EffectJudgement {
  const rules = candidates.flatMap(({ certainty, rule }): readonly Candidate[] => {
    const named = allOf([certainty, matchesNamed(rule, judged.action, judged.facts)]);
    return rule.does === null || named === "no" ? [] : [{ rule, certainty: named }];
  });
  const restricting = rules.filter(({ rule }) => rule.effect !== "allow");
  if (!isKnown)
    return {
      restrictions: restricting.flatMap((each) => unknownProgram(each, judged)),
      allowing: undefined,
      open: undefined,
    };
  const isOpen = effects.some(({ kind }) => kind === "unknown" || kind === "code");
  const restrictions = [
    ...effects.flatMap((effect) => restricting.flatMap((each) => restrictionOf(each, effect, judged))),
    ...(isOpen ? restricting.flatMap((each) => unknownProgram(each, judged)) : []),
  ];
  // A file of the project may have the name of a program, and `git-diff` is what PATH finds of that name.
  const name = judged.action.type === "command" ? (judged.action.words[0]?.value ?? "/") : "";
  const isOther = !isTrustedName(name) || /(?:^|\/)git-/.test(name);
  const allowing = rules.filter(({ certainty, rule }) => rule.effect === "allow" && certainty === "yes" && !isOther);
  const allowedBy = effects.map(
    (effect) =>
      allowing.find(({ rule }) => matchesEffect(rule, effect, judged.facts) === "yes")?.rule ??
      judged.naming.find((rule) => vouchesFor(rule, effect, judged.facts)),
  );
  const open = effects.find(
    ({ kind }, at) => allowedBy[at] === undefined && !(isStarted(judged.action) && programItself.has(kind)),
  );
  // `sudo` has no effect of its own, and changes what its command may do.
  const isLauncher = judged.action.type === "command" && judged.action.reading?.launches.length !== 0;
  return {
    restrictions,
    // What does nothing needs only that the policy allows anything by its effects.
    allowing: open === undefined ? (allowedBy[0] ?? (isLauncher ? undefined : allowing[0]?.rule)) : undefined,
    open: open && effectPhrase(open, open.target === null ? [] : excludedBy(allowing, open, judged.facts)),
  };
}

/** Code of the project that a runner starts: who allows the runner allows it, but for what its record knows. */
export const isStarted = (action: CallAction): boolean =>
  action.type === "command" &&
  action.isCovered === true &&
  action.reading?.effects.some(({ kind }) => kind === "code") === true;

/** A rule by name allows the program with the code that it runs and what is not known of it, and with `paths` what it does there. */
function vouchesFor(rule: Rule, effect: ProgramEffect, facts: CallFacts): boolean {
  if (programItself.has(effect.kind) || isAboutWholeCall(rule)) return true;
  return rule.paths !== null && effect.target !== null && matchesTarget(rule, rule.paths, effect, facts) === "yes";
}

/** The words of a program without a record may be paths; what else it does, it may do. */
function unknownProgram({ certainty, rule }: Candidate, { action, facts }: Judged): readonly Restriction[] {
  // A launcher does nothing by itself, but it may read a file (`xargs -a FILE`).
  if (action.type !== "command" || (action.transparent && rule.paths === null)) return [];
  const isMeant = rule.paths === null || matchesCommandPaths(rule, rule.paths, action, facts) !== "no";
  return certainty !== "no" && isMeant ? [{ rule, certainty: "maybe", phrase: null, isUnread: false }] : [];
}

function restrictionOf(
  { certainty, rule }: Candidate,
  effect: ProgramEffect,
  { facts }: Judged,
): readonly Restriction[] {
  // An effect that is not known makes the action opaque, which is as strict.
  const match =
    effect.kind === "unknown" && rule.does?.has("unknown") !== true ? "no" : matchesEffect(rule, effect, facts);
  const both = allOf([certainty, effect.isPossible === true ? "maybe" : "yes", match]);
  if (both === "no") return [];
  const path = effect.target === null ? undefined : wordPath(effect.target);
  const isMade = path !== undefined && facts.made?.holds(path, useOf(effect)) === true;
  const isUnread = isMade || (effect.target !== null && path === undefined);
  const lists = both === "yes" && rule.paths !== null ? listsOf(rule.paths.in, effect.target, facts) : [];
  const brought = both === "maybe" && rule.paths !== null ? broughtPath(rule.paths, effect, facts) : undefined;
  return [{ rule, certainty: both, phrase: effectPhrase(effect, lists, brought), isUnread }];
}

function matchesEffect(rule: Rule, effect: ProgramEffect, facts: CallFacts): Certainty {
  if (rule.does?.has(effect.kind) !== true) return "no";
  // Code in words and a host have no place, so a rule about places is not about them.
  if (effect.target === null && rule.paths !== null && placeless.has(effect.kind)) return "no";
  return rule.paths === null ? "yes" : matchesTarget(rule, rule.paths, effect, facts);
}

const placeless: ReadonlySet<EffectKind> = new Set(["code", "run", "network", "socket", "settings", "loses"]);

/** The lists because of which no rule allows the effect. */
const excludedBy = (allowing: readonly Candidate[], effect: ProgramEffect, facts: CallFacts) => [
  ...new Set(
    allowing.flatMap(({ rule }) =>
      rule.does?.has(effect.kind) === true ? listsOf(rule.paths?.except ?? null, effect.target, facts) : [],
    ),
  ),
];
