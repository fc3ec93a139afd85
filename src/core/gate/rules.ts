/**
 * Matches rules against calls and actions. An *allow* needs a certain match of every value, an *ask* or *deny* needs one value that
 * matches. What depends on running the shell is `maybe`, which allows nothing.
 */
import { allOf, anyOf, certain, type Certainty } from "./certainty.ts";
import type { ProgramEffect, ProgramReading } from "./effects.ts";
import type { RuleWords } from "./git-words.ts";
import { wordPath, type MadeNames, type PathText } from "./made-names.ts";
import { normalizePath, type PathContext } from "./paths.ts";
import { selectLeaves, type Leaf, type Selection } from "./pointers.ts";
import type { CommandPattern, Glob } from "./globs.ts";
import { OptionWords } from "./option-words.ts";
import type { ArgumentCondition, PathCondition, Rule } from "./policy.ts";
import type { RealPaths } from "./real-paths.ts";
import {
  belowWords,
  isBehindLink,
  matchesPath,
  matchesTarget,
  matchesValue,
  pathsOfWords,
  startsAfter,
  together,
} from "./rule-paths.ts";
import type { ShellAction } from "./shell-actions.ts";
import type { ShellWord } from "./shell-words.ts";
import type { StartedWords } from "./shell-wrappers.ts";

/** Facts about a call that its rules are matched against. */
export interface CallFacts {
  readonly tool: string;
  readonly labels: readonly string[];
  readonly arguments: unknown;
  /** All values in the arguments, selected once because many rules search them. */
  readonly values: Selection;
  /** The session's directories: `.` and `~/` in a rule. */
  readonly session: PathContext;
  /** Pointer to the argument that names the working directory of the call, if any. */
  readonly folder: string | null;
  /** Where the call begins. */
  readonly begins: readonly PathContext[];
  /** Bases of relative paths: one for plain arguments, several for a shell text that changes directories. */
  readonly starts: readonly PathContext[];
  /** What the file system says about paths; null: paths are text. */
  readonly real: RealPaths | null;
  /** Names that the text makes itself; null: none that can lead elsewhere. */
  readonly made: MadeNames | null;
}

/** `call`: the whole call, if it has no shell text. `walls`: its arguments change the sandbox that the agent has itself. */
export type CallAction =
  | ShellAction
  | { readonly type: "call" }
  | { readonly type: "walls"; readonly effects: readonly ProgramEffect[] };

/** Longer values (in total) are `maybe` instead of searched, so that a model cannot block the event loop. */
const valueCharsMax = 1_048_576;
/** The same for one value as a name. */
const nameCharsMax = 65_536;

/** The conditions that are the same for each action of a call: tool, session and arguments. */
export function matchesCall(rule: Rule, facts: CallFacts): Certainty {
  if (rule.tools !== null && !rule.tools.some((glob) => glob.matches(facts.tool))) return "no";
  if (rule.sessions !== null && !rule.sessions.some((glob) => facts.labels.some((label) => glob.matches(label))))
    return "no";
  return allOf(rule.arguments.map((condition) => matchesArgument(rule, condition, facts)));
}

function matchesArgument(rule: Rule, condition: ArgumentCondition, facts: CallFacts): Certainty {
  const selection = condition.at.length === 0 ? facts.values : selectLeaves(facts.arguments, condition.at);
  const there = condition.exists === null ? "yes" : certain(selection.found === condition.exists);
  if (there === "no" || !asksForValues(condition)) return there;
  if (selection.leaves.length === 0) return "no";
  const chars = selection.leaves.reduce(
    (sum, leaf) => sum + (typeof leaf.value === "string" ? leaf.value.length : 0),
    0,
  );
  if (chars > valueCharsMax) return "maybe";
  const answers = selection.leaves.map((leaf) => matchesLeaf(rule, condition, leaf, facts));
  return together(rule, selection.overflow ? [...answers, "maybe"] : answers);
}

const asksForValues = (condition: ArgumentCondition): boolean => {
  const { equals, except, globs, in: lists, outside, patterns, under } = condition;
  return [equals, except, globs, lists, outside, patterns, under].some((value) => value !== null);
};

function matchesLeaf(rule: Rule, condition: ArgumentCondition, leaf: Leaf, facts: CallFacts): Certainty {
  const text = String(leaf.value);
  const starting = leaf.path === facts.folder ? { ...facts, starts: [facts.session] } : facts;
  const { equals, globs, patterns } = condition;
  if (rule.effect === "allow" && patterns !== null && isBehindLink(text, facts)) return "no";
  const isLong = text.length > nameCharsMax;
  return allOf([
    equals === null ? "yes" : certain(equals.value === leaf.value),
    patterns === null ? "yes" : certain(patterns.some((pattern) => pattern.test(text))),
    globs !== null && isLong ? "maybe" : matchesValue(rule, condition, text, starting),
  ]);
}

/** The conditions on one action, for a rule that does not speak of effects. */
export function matchesAction(rule: Rule, action: CallAction, facts: CallFacts): Certainty {
  if (rule.does !== null) return "no";
  if (isAboutWholeCall(rule)) return "yes";
  switch (action.type) {
    case "command":
      return matchesCommand(rule, action, facts);
    case "redirect":
      return matchesRedirect(rule, action, facts);
    case "assignment":
      return certain(rule.assigns !== null && rule.assigns.some((glob) => glob.matches(action.name)));
    default:
      return "no";
  }
}

/** The conditions on the name and the options of a command, for a rule that speaks of effects. */
export function matchesNamed(rule: Rule, action: CallAction, facts: CallFacts): Certainty {
  if (rule.commands === null && rule.options === null) return "yes";
  return action.type === "command" ? matchesCommand({ ...rule, paths: null }, action, facts) : "no";
}

/** It allows, asks or denies a tool, whatever its text does. */
export const isAboutWholeCall = ({ assigns, commands, options, paths, redirect }: Rule): boolean =>
  commands === null && options === null && paths === null && redirect === null && assigns === null;

function matchesRedirect(rule: Rule, action: Extract<ShellAction, { type: "redirect" }>, facts: CallFacts): Certainty {
  if (rule.commands !== null || rule.options !== null || rule.assigns !== null) return "no";
  if (rule.redirect !== null && rule.redirect !== "any" && rule.redirect !== action.access) return "no";
  if (rule.paths === null) return "yes";
  const path = wordPath(action.target);
  const match = matchesPath(rule, rule.paths, path, facts);
  return path !== undefined && facts.made?.holds(path) === true ? together(rule, [match, "maybe"]) : match;
}

function matchesCommand(rule: Rule, action: Extract<ShellAction, { type: "command" }>, facts: CallFacts): Certainty {
  if (rule.redirect !== null || rule.assigns !== null) return "no";
  const match = matchesReading(rule, action, facts);
  if (match !== "no" || action.started === undefined || rule.effect === "allow") return match;
  return matchesStarted(rule, action.started, facts);
}

function matchesReading(rule: Rule, command: RuledCommand, facts: CallFacts): Certainty {
  const { commands, options, paths } = rule;
  const { allowed, others, restricted } = command.ruled;
  const words = rule.effect === "allow" ? allowed : restricted;
  const namedBy = (reading: readonly ShellWord[]): Certainty =>
    commands === null
      ? "yes"
      : anyOf(patternsFor(commands, reading[0]?.value).map((pattern) => matchesWords(rule, pattern, reading)));
  const named = anyOf((rule.effect === "allow" ? [words] : [words, ...others]).map(namedBy));
  // The fast path: most rules are about another program.
  if (named === "no") return "no";
  const optioned =
    options === null
      ? "yes"
      : allOf(options.map((spellings) => OptionWords.of(words, command.ruled.options).has(spellings, rule.effect)));
  if (optioned === "no" || paths === null) return allOf([named, optioned]);
  return allOf([named, optioned, matchesCommandPaths(rule, paths, command, facts)]);
}

export interface CommandPaths {
  readonly words: readonly ShellWord[];
  /** Undefined: the program has no record. */
  readonly reading?: ProgramReading;
}

/** With the words that rules match. */
export interface RuledCommand extends CommandPaths {
  readonly ruled: RuleWords;
}

/** The paths of a command: those of its effects, and each word as the paths that it may be if they are not all known. */
export function matchesCommandPaths(
  rule: Rule,
  paths: PathCondition,
  { reading, words }: CommandPaths,
  facts: CallFacts,
): Certainty {
  // Each word is several paths: with more words an ask or deny matches, and nothing is allowed.
  if (words.length > pathWordsMax) return rule.effect === "allow" ? "maybe" : "yes";
  const { effects = [], folders = [], launches = [], mayWalk = true, targets = [] } = reading ?? {};
  const answers = effects.flatMap((effect) => matchesNamedPath(rule, paths, effect, facts));
  answers.push(...targets.map((word) => matchesPath(rule, paths, wordPath(word), facts)));
  // The names in a file are any, but for those of a patch or an archive, which are below a folder.
  if (effects.some(({ kind }) => kind === "names") && !effects.some(isFilling)) answers.push("maybe");
  const open = effects.filter(({ kind }) => /^(?:unknown|code|run)$/.test(kind));
  const isRead = reading !== undefined && open.length === 0 && launches.every(({ type }) => type !== "opaque");
  if (isRead) return together(rule, answers);
  // The record says of its words that they name no file, so a computed one does not either.
  const opensNone = open.length > 0 && rule.effect !== "allow" && open.every(({ isImplied }) => isImplied === true);
  const known = opensNone ? words.filter(({ path }) => path !== undefined) : words;
  const unread = open.flatMap(({ target }) => target ?? []);
  const walked = mayWalk ? known.slice(1).filter((word) => !isOptionWord(word) && !folders.includes(word)) : [];
  for (const starts of [facts.starts, ...startsAfter(folders, facts)]) {
    const from = { ...facts, starts };
    const named = [here, ...pathsOfWords(rule, known.slice(1))];
    answers.push(...named.map((path) => matchesPath(rule, paths, path, from)));
    answers.push(...belowWords(rule, paths, [...walked, ...unread], from));
  }
  return together(rule, answers);
}

/** A path that the words name. What else the program does to files of its own is for rules with `does`. */
function matchesNamedPath(
  rule: Rule,
  paths: PathCondition,
  { brings: _brings, ...effect }: ProgramEffect,
  facts: CallFacts,
): readonly Certainty[] {
  const { isImplied, isPossible, kind, target } = effect;
  const readsNothing = kind === "inspect" && target?.path === undefined && rule.effect !== "allow";
  if (target === null || kind === "unknown" || readsNothing || (isImplied === true && !isFilling(effect))) return [];
  const match = matchesTarget(rule, paths, effect, facts);
  return isPossible === true ? [together(rule, [match, "maybe"])] : [match];
}

const isFilling = ({ isImplied, kind, tree }: ProgramEffect): boolean =>
  isImplied === true && kind === "replace" && tree !== undefined;

/** What a command prints (`<(ls)`) is no folder either. */
const isOptionWord = ({ isStream, path, value }: ShellWord): boolean =>
  isStream === true || (value ?? path)?.startsWith("-") === true;

const here: PathText = { text: ".", isPattern: false };

const pathWordsMax = 2_048;

/** May an unknown program start a command that the rule is about? */
function matchesStarted(rule: Rule, started: StartedWords, facts: CallFacts): Certainty {
  const names = (rule.commands ?? []).map(({ name }) => name).filter(({ source }) => !/^\**$/.test(source));
  for (const beginning of started.beginningsOf(names)) {
    if (beginning === undefined) return "maybe";
    if (matchesReading(rule, beginning, facts) !== "no") return "maybe";
  }
  return "no";
}

/** By the plain name of the program; under "" those whose names have wildcards or a folder. */
const byName = new WeakMap<readonly CommandPattern[], ReadonlyMap<string, readonly CommandPattern[]>>();

/** Those that may be about a program of this name: a rule has up to a hundred, and each command meets each rule. */
function patternsFor(commands: readonly CommandPattern[], name: string | undefined): readonly CommandPattern[] {
  if (name === undefined) return commands;
  const nameOf = ({ name: { source } }: CommandPattern): string => (/[*?\\/]/.test(source) ? "" : source);
  const groups = byName.get(commands) ?? Map.groupBy(commands, nameOf);
  byName.set(commands, groups);
  const named = groups.get(name.slice(name.lastIndexOf("/") + 1)) ?? [];
  const others = groups.get("") ?? [];
  return others.length === 0 ? named : [...named, ...others];
}

/** Directories in which a program name without a path is expected. */
const systemFolders: ReadonlySet<string> = new Set(
  "/bin /sbin /usr/bin /usr/sbin /usr/local/bin /opt/homebrew/bin".split(" "),
);

/** `rm` in an ask or deny is any program of that name; in an allow it is the one in PATH or in a system directory. */
function matchesName(rule: Rule, pattern: CommandPattern, word: ShellWord | undefined): Certainty {
  const name = word?.value;
  if (name === undefined) return "maybe";
  const slash = name.lastIndexOf("/");
  // A pattern with a path, such as `./ls`, never matches a name that PATH resolves.
  if (pattern.name.source.includes("/")) return certain(slash >= 0 && pattern.name.matches(name));
  if (slash < 0) return certain(pattern.name.matches(name));
  return certain((rule.effect !== "allow" || isTrustedName(name)) && pattern.name.matches(name.slice(slash + 1)));
}

/** Is it the program that PATH finds, or one of a system directory? */
export function isTrustedName(name: string): boolean {
  const slash = name.lastIndexOf("/");
  if (slash < 0) return true;
  // `..` behind a symbolic link leads elsewhere; system directories have no links made by users.
  const up = name.search(/(?:^|\/)\.\.(?:\/|$)/);
  const isPlain = up < 0 || systemFolders.has(name.slice(0, up));
  return isPlain && systemFolders.has(normalizePath(name.slice(0, slash) || "/"));
}

/** A computed word may become any number of words, so nothing after it is certain. */
function matchesWords(rule: Rule, pattern: CommandPattern, words: readonly ShellWord[]): Certainty {
  const name = matchesName(rule, pattern, words[0]);
  if (name === "no") return "no";
  const { later, open } = pattern;
  const start = matchesGlobs(pattern.words, words, { from: 1, open: open || later.length > 0 });
  if (start !== "yes" || later.length === 0) return allOf([name, start]);
  const first = 1 + pattern.words.length;
  const rest = words.slice(first).map((_, at) => matchesGlobs(later, words, { from: first + at, open }));
  return allOf([name, anyOf(rest)]);
}

/** One word each. `open`: further words may follow. */
function matchesGlobs(
  globs: readonly Glob[],
  words: readonly ShellWord[],
  { from, open }: { readonly from: number; readonly open: boolean },
): Certainty {
  for (const [at, glob] of globs.entries()) {
    const word = words[from + at];
    if (word === undefined) return "no";
    if (word.value === undefined) return "maybe";
    if (!glob.matches(word.value)) return "no";
  }
  const end = from + globs.length;
  if (open || words.length === end) return "yes";
  return words.slice(end).every((word) => word.value === undefined) ? "maybe" : "no";
}
