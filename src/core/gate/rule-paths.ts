/** The paths of a command or an argument against the conditions of a rule: as text and, with a file system, as the files behind it. */
import { isAtOrBelow } from "../sandbox/plan.ts";
import { allOf, anyOf, certain, negate, type Certainty } from "./certainty.ts";
import { absolutePath, isPatternUnder, isUnder, resolvePath, type PathContext } from "./paths.ts";
import type { ProgramEffect } from "./effects.ts";
import type { Glob } from "./globs.ts";
import type { PathList } from "./path-lists.ts";
import type { PathCondition, Rule } from "./policy.ts";
import { useOf, wordPath, type PathText } from "./made-names.ts";
import type { RealPaths } from "./real-paths.ts";
import type { CallFacts } from "./rules.ts";
import type { ShellWord } from "./shell-words.ts";
import { broughtName, mayHold, type Reach } from "./hidden-below.ts";

/** Combines the answers for several values by the effect of the rule. */
export const together = (rule: Rule, answers: readonly Certainty[]): Certainty =>
  rule.effect === "allow" ? allOf(answers) : anyOf(answers);

/** `under` and `outside` for one path. */
function matchesFolders(condition: PathCondition, path: PathText, facts: CallFacts): Certainty {
  const { under, outside } = condition;
  return allOf([
    under === null ? "yes" : anyOf(under.map((root) => isBelow(path, root, facts))),
    outside === null ? "yes" : negate(anyOf(outside.map((root) => isBelow(path, root, facts)))),
  ]);
}

function isBelow({ isPattern, text }: PathText, root: string, facts: CallFacts): Certainty {
  const folder = resolvePath(root, facts.session);
  if (folder === undefined) return "maybe";
  const isBelowFrom = isPattern ? isPatternUnder : isUnder;
  return agreed(facts.starts.map((start) => (isGlob(start) ? isPatternUnder : isBelowFrom)(text, folder, start)));
}

/** `cd packages/*` leads to one of several folders. */
const isGlob = ({ workingDirectory }: PathContext): boolean => workingDirectory?.includes("*") === true;

/** Certain only if the answer is the same from each start. */
const agreed = (answers: readonly Certainty[]): Certainty => {
  const [first = "maybe"] = answers;
  return answers.every((answer) => answer === first) ? first : "maybe";
};

/** Answers for all that is below the folders among the words of a program that may walk them. */
export const belowWords = (
  rule: Rule,
  condition: PathCondition,
  words: readonly ShellWord[],
  facts: CallFacts,
): readonly Certainty[] =>
  pathsOfWords(rule, words).flatMap((operand) => belowOperand(rule, condition, { operand, reach: "unknown", facts }));

interface WalkedOperand {
  readonly operand: PathText | undefined;
  readonly reach: Reach;
  readonly facts: CallFacts;
}

function belowOperand(
  rule: Rule,
  condition: PathCondition,
  { facts, operand, reach }: WalkedOperand,
): readonly Certainty[] {
  if (operand === undefined) return ["maybe"];
  const text = folderOf(operand);
  return facts.starts.flatMap((start): readonly Certainty[] => {
    const path = resolvePath(text, start);
    if (path === undefined) return ["maybe"];
    const paths = [path, ...(facts.real?.behind(text, start, false) ?? [])];
    if (rule.effect !== "allow")
      return paths.map((each) => (mayMatchBelow(condition, each, { reach, facts }) ? "maybe" : "no"));
    const roots = condition.outside ?? [];
    const isOpen = (each: string): boolean =>
      roots.some((root) => holdsRoot(each, root, facts)) ||
      mayHoldOne(condition.except ?? [], each, { reach, facts }) ||
      condition.in !== null;
    return paths.map((each) => (isOpen(each) ? "maybe" : "yes"));
  });
}

/** Answers for what a program reads that follows the links below a folder. */
function behindLinks(
  rule: Rule,
  condition: PathCondition,
  { facts, operand, reach }: WalkedOperand,
): readonly Certainty[] {
  const { real, starts } = facts;
  if (operand === undefined || real === null) return ["maybe"];
  return starts.flatMap((start): readonly Certainty[] => {
    const files = real.behindLinksBelow(folderOf(operand), start);
    if (files === undefined) return ["maybe"];
    const answers = files.map((file) => matchesFile(condition, file, real));
    if (rule.effect === "allow") return answers;
    return [...answers, ...files.map((file) => (mayMatchBelow(condition, file, { reach, facts }) ? "maybe" : "no"))];
  });
}

/** The folder in which a pattern is expanded. */
const folderOf = ({ isPattern, text }: PathText): string => (isPattern ? text.replace(/[^/]*\*.*$/s, ".") : text);

const holdsRoot = (path: string, root: string, { session }: CallFacts): boolean => {
  const folder = resolvePath(root, session);
  return folder === undefined || isAtOrBelow(folder, path);
};

/** Could a path below the folder fulfil the condition? */
function mayMatchBelow(
  { globs, in: lists, outside, under }: PathCondition,
  folder: string,
  { facts, reach }: Omit<WalkedOperand, "operand">,
): boolean {
  const isIn = (root: string): boolean =>
    isUnder(folder, resolvePath(root, facts.session) ?? "/", facts.session) !== "no";
  if (outside?.some(isIn) === true) return false;
  if (under?.some((root) => isIn(root) || holdsRoot(folder, root, facts)) === false) return false;
  return [globs, lists].every((each) => each === null || mayHoldOne(each, folder, { reach, facts }));
}

const mayHoldOne = (
  globs: readonly Glob[],
  folder: string,
  { facts, reach }: Omit<WalkedOperand, "operand">,
): boolean =>
  globs.some((glob) => {
    const below = glob.below(folder);
    if (below !== "anywhere") return below === "yes";
    const isFilled = reach === "filled" && broughtName([glob], folder, facts) !== undefined;
    return isFilled || mayHold(folder, reach, facts.session);
  });

/** Further bases for the operands of `tar -C a -C b`: each directory is relative to the one before it. */
export function startsAfter(folders: readonly ShellWord[], facts: CallFacts): readonly (readonly PathContext[])[] {
  let starts = facts.starts;
  return folders.map(({ path: folder }) => {
    const directoryFrom = (start: PathContext): string | null =>
      folder === undefined ? null : (absolutePath(folder, start) ?? null);
    starts = starts.map((start) => ({ ...start, workingDirectory: directoryFrom(start) }));
    return starts;
  });
}

/**
 * Every text that a program may take for a path. Undefined: unknown.
 * `--file=x`, `-Cx`, `of=x` and `a:b` contain paths too; a word that is not a path is at worst one in the working directory.
 */
export function pathsOfWords(rule: Rule, words: readonly ShellWord[]): readonly (PathText | undefined)[] {
  return words.flatMap((word): readonly (PathText | undefined)[] => {
    const path = wordPath(word);
    const texts = path === undefined ? undefined : pathsIn(path.text);
    if (texts === undefined) return [undefined];
    return (rule.effect === "allow" ? texts : texts.flatMap(readingsOf)).map((text) => ({
      isPattern: false,
      ...path,
      text,
    }));
  });
}

/**
 * A value may be one of several (`--config='{"setup":"../x"}'`), or glued to the last letter of a bundle (`-ft.git/hooks`), so each rest of
 * a bundle is a candidate, and so is the file that follows an `@` (`strings @list`). Undefined: too many letters to try.
 */
function pathsIn(text: string): readonly string[] | undefined {
  const parts = text.split(/[=:,"'{}]/).slice(1);
  const letters = text.startsWith("--") ? 0 : (/^-[A-Za-z0-9?@#%!+]*/.exec(text)?.[0].length ?? 0);
  if (letters > bundleLettersMax) return undefined;
  // Behind any number of the letters, but at least one.
  const glued = Array.from({ length: letters }, (_, at) => text.slice(at + 2));
  return [...(text.startsWith("-") ? glued : [text]), ...parts].flatMap((part) => {
    if (part === "") return [];
    return part.startsWith("@") ? [part, part.slice(1)] : [part];
  });
}

const bundleLettersMax = 32;

/**
 * For rules that ask or deny. A backslash is part of a name, or makes the next character literal. `a:b` that is not a `file:` URL is a
 * name as well as an address; a path behind the colon is among the parts of the word.
 */
function readingsOf(text: string): readonly string[] {
  const readings = text.includes("\\") ? [text.replaceAll("\\", "_"), text.replaceAll(/\\(.)/gs, "$1")] : [text];
  return readings.map((each) => (/^(?!file:)[a-z][a-z0-9+.-]+:/i.test(each) ? `./${each}` : each));
}

/** As its text says, and as the files behind it are: an allow needs both, an ask or deny one. */
export function matchesPath(
  rule: Rule,
  condition: PathCondition,
  operand: PathText | undefined,
  facts: CallFacts,
): Certainty {
  if (operand === undefined || (rule.effect === "allow" && facts.made?.holds(operand) === true)) return "maybe";
  return together(rule, [
    matchesText(condition, operand, facts),
    ...matchesFiles(rule, operand, facts, (file, real) => matchesFile(condition, file, real)),
  ]);
}

function matchesText(condition: PathCondition, operand: PathText, facts: CallFacts): Certainty {
  const { globs } = condition;
  return allOf([
    matchesFolders(condition, operand, facts),
    globs === null ? "yes" : matchesGlobs(globs, operand, facts),
    matchesLists(condition, operand, facts),
  ]);
}

const matchesLists = ({ except, in: lists }: PathCondition, operand: PathText, facts: CallFacts): Certainty =>
  allOf([
    lists === null ? "yes" : matchesGlobs(lists, operand, facts),
    except === null ? "yes" : negate(matchesGlobs(except, operand, facts)),
  ]);

function matchesGlobs(globs: readonly Glob[], { isPattern, text }: PathText, facts: CallFacts): Certainty {
  const answers = facts.starts.map((start): Certainty => {
    const path = resolvePath(text, start);
    if (path === undefined) return "maybe";
    if (isPattern || isGlob(start)) {
      if (!globs.some((glob) => glob.mayMatch(path))) return "no";
      // What is there decides; a name that the same text makes is judged where it is made.
      const found = facts.real?.matches(text, start);
      return found?.every((each) => !globs.some((glob) => glob.matches(each))) === true ? "no" : "maybe";
    }
    return certain(globs.some((glob) => glob.matches(path)));
  });
  return agreed(answers);
}

/** The target of an effect, and what is below it if the effect is about that. */
export function matchesTarget(
  rule: Rule,
  condition: PathCondition,
  effect: ProgramEffect,
  given: CallFacts,
): Certainty {
  const { brings, target, tree } = effect;
  const path = target === null ? undefined : wordPath(target);
  const isMade = path !== undefined && given.made?.holds(path, useOf(effect)) === true;
  if (isMade && rule.effect === "allow") return "maybe";
  const facts = { ...given, made: null };
  const texts = path === undefined || rule.effect === "allow" ? [path?.text] : readingsOf(path.text);
  // Without a file system nobody knows whether the name before `..` is a link.
  const isClimbing = facts.real === null && path !== undefined && /[^/.]\.*\/\.\.(?:\/|$)/.test(path.text);
  if (isClimbing && rule.effect === "allow") return "maybe";
  const answers = texts.flatMap((text): readonly Certainty[] => {
    const operand = text === undefined || path === undefined ? undefined : { ...path, text };
    const walked = { operand, reach: brings === true ? "filled" : "tree", facts } as const;
    return [
      matchesPath(rule, condition, operand, facts),
      ...(tree === undefined ? [] : belowOperand(rule, condition, walked)),
      ...(tree === "follows" && facts.real !== null ? behindLinks(rule, condition, walked) : []),
    ];
  });
  return together(rule, isMade ? [...answers, "maybe"] : answers);
}

/** A path below the target, for people, that an effect may write which brings names, and that the rule is about. */
export function broughtPath(
  { globs, in: lists }: PathCondition,
  { brings, target }: ProgramEffect,
  facts: CallFacts,
): string | undefined {
  const path = target === null ? undefined : wordPath(target);
  if (brings !== true || path === undefined) return undefined;
  const folders = facts.starts.flatMap((start) => resolvePath(folderOf(path), start) ?? []);
  return folders.map((folder) => broughtName(lists ?? globs ?? [], folder, facts)).find((name) => name !== undefined);
}

/** The lists that surely have the target. */
export function listsOf(
  lists: readonly PathList[] | null,
  target: ShellWord | null,
  facts: CallFacts,
): readonly PathList[] {
  const operand = target === null ? undefined : wordPath(target);
  if (operand === undefined) return [];
  return (lists ?? []).filter((list) => matchesGlobs([list], operand, facts) === "yes");
}

/** Empty if no link leads to another file than the text says. */
function matchesFiles(
  rule: Rule,
  { isPattern, text }: PathText,
  facts: CallFacts,
  matches: (file: string, real: RealPaths) => Certainty,
): readonly Certainty[] {
  const { real, starts } = facts;
  if (real === null) return [];
  const answers = starts.flatMap((start): readonly Certainty[] => {
    const files = real.behind(text, start, isPattern || isGlob(start));
    if (files === undefined) return ["maybe"];
    return files.length === 0
      ? []
      : [
          together(
            rule,
            files.map((file) => matches(file, real)),
          ),
        ];
  });
  if (answers.length === 0) return [];
  // From the other starts it is the file that the text says.
  return [agreed(answers.length < starts.length && rule.effect !== "allow" ? [...answers, "no"] : answers)];
}

/** The conditions on one real path. */
const matchesFile = (
  { except, globs, in: lists, outside, under }: PathCondition,
  file: string,
  real: RealPaths,
): Certainty =>
  allOf([
    under === null ? "yes" : anyOf(under.map((root) => real.isBelow(file, root))),
    outside === null ? "yes" : negate(anyOf(outside.map((root) => real.isBelow(file, root)))),
    globs === null ? "yes" : certain(globs.some((glob) => glob.matches(file))),
    lists === null ? "yes" : certain(lists.some((list) => list.matches(file))),
    certain(except?.some((list) => list.matches(file)) !== true),
  ]);

/**
 * The folders and globs of a condition on the value of an argument. The globs of an allow match the value as it is; for all else it is
 * also the path that agents read in it: Claude Code cuts white space, pi an `@`.
 */
export function matchesValue(rule: Rule, condition: PathCondition, text: string, facts: CallFacts): Certainty {
  const asGiven = matchesGiven(rule, condition, text, facts);
  const bare = text.trim().replace(/^@\s*/, "");
  if (bare === text) return asGiven;
  const loose = rule.effect === "allow" ? { ...condition, globs: null } : condition;
  return together(rule, [asGiven, matchesGiven(rule, loose, bare, facts)]);
}

function matchesGiven(rule: Rule, condition: PathCondition, text: string, facts: CallFacts): Certainty {
  const { globs } = condition;
  const asText = allOf([
    globs === null ? "yes" : certain(globs.some((glob) => glob.matches(text))),
    matchesFolders(condition, { text, isPattern: false }, facts),
    matchesLists(condition, { text, isPattern: false }, facts),
  ]);
  const { except, in: lists, outside, under } = condition;
  if ([except, globs, lists, outside, under].every((each) => each === null)) return asText;
  const answers = matchesFiles(rule, { text, isPattern: false }, facts, (file, real) => {
    const names = [
      file,
      real.fromHere(file),
      ...(rule.effect === "allow" ? [] : [file.slice(file.lastIndexOf("/") + 1)]),
    ];
    const named = globs === null ? "yes" : certain(globs.some((glob) => names.some((name) => glob.matches(name))));
    return allOf([named, matchesFile({ ...condition, globs: null }, file, real)]);
  });
  return together(rule, [asText, ...answers]);
}

/** Does a file that a patch names lie behind a link? A rule that matches the patch as text cannot say where it leads. */
export function isBehindLink(patch: string, { real, session }: CallFacts): boolean {
  if (real === null) return false;
  const files = patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm);
  return files.some(([, file = ""]) => real.behind(file.trim(), session, false)?.length !== 0);
}
