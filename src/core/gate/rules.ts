/**
 * Matches rules against calls and actions. An *allow* needs a certain match of every value, an *ask* or *deny* needs one value that
 * matches. What depends on running the shell is `maybe`, which allows nothing.
 */
import { isAtOrBelow } from "../sandbox/plan.ts";
import { allOf, anyOf, certain, negate, type Certainty } from "./certainty.ts";
import { foldersOf } from "./command-folders.ts";
import { ruleWords, type RuleWords } from "./git-words.ts";
import { isPatternUnder, isUnder, normalizePath, resolvePath, type PathContext } from "./paths.ts";
import { patternsAt } from "./pattern-words.ts";
import { selectLeaves, type Leaf, type Selection } from "./pointers.ts";
import type { ArgumentCondition, CommandPattern, PathCondition, Rule } from "./policy.ts";
import type { ShellAction } from "./shell-actions.ts";
import { unknownWord, type ShellWord } from "./shell-words.ts";
import { mayHold, walkOf, type Reach } from "./tree-walkers.ts";

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
  /** Bases of relative paths: one for plain arguments, several for a shell text that changes directories. */
  readonly starts: readonly PathContext[];
}

/** `call`: the whole call, if it has no shell text. */
export type CallAction = ShellAction | { readonly type: "call" };

/** Longer values (in total) are `maybe` instead of searched, so that a model cannot block the event loop. */
const valueCharsMax = 1_048_576;
/** The same for one value as a name. */
const nameCharsMax = 65_536;

/** Combines the answers for several values by the effect of the rule. */
const together = (rule: Rule, answers: readonly Certainty[]): Certainty =>
  rule.effect === "allow" ? allOf(answers) : anyOf(answers);

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
  const answers = selection.leaves.map((leaf) => matchesLeaf(condition, leaf, facts));
  return together(rule, selection.overflow ? [...answers, "maybe"] : answers);
}

const asksForValues = ({ equals, globs, outside, patterns, under }: ArgumentCondition): boolean =>
  equals !== null || patterns !== null || globs !== null || under !== null || outside !== null;

function matchesLeaf(condition: ArgumentCondition, leaf: Leaf, facts: CallFacts): Certainty {
  const text = String(leaf.value);
  const starting = leaf.path === facts.folder ? { ...facts, starts: [facts.session] } : facts;
  const { equals, globs, patterns } = condition;
  const isLong = text.length > nameCharsMax;
  return allOf([
    equals === null ? "yes" : certain(equals.value === leaf.value),
    globs === null ? "yes" : isLong ? "maybe" : certain(globs.some((glob) => glob.matches(text))),
    patterns === null ? "yes" : certain(patterns.some((pattern) => pattern.test(text))),
    matchesFolders(condition, { text, isPattern: false }, starting),
  ]);
}

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

/** The conditions on one action. */
export function matchesAction(rule: Rule, action: CallAction, facts: CallFacts): Certainty {
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

const isAboutWholeCall = ({ assigns, commands, options, paths, redirect }: Rule): boolean =>
  commands === null && options === null && paths === null && redirect === null && assigns === null;

function matchesRedirect(rule: Rule, action: Extract<ShellAction, { type: "redirect" }>, facts: CallFacts): Certainty {
  if (rule.commands !== null || rule.options !== null || rule.assigns !== null) return "no";
  if (rule.redirect !== null && rule.redirect !== "any" && rule.redirect !== action.access) return "no";
  return rule.paths === null ? "yes" : matchesPath(rule.paths, pathOf(action.target), facts);
}

type CommandAction = Extract<ShellAction, { type: "command" }>;

function matchesCommand(rule: Rule, action: CommandAction, facts: CallFacts): Certainty {
  if (rule.redirect !== null || rule.assigns !== null) return "no";
  const known = action.ruled ?? ruleWords(action.words);
  const words = rule.effect === "allow" ? known.allowed : known.restricted;
  const hasOthers = known.others.length > 0 && rule.effect !== "allow";
  const match = matchesReading(rule, { words: action.words, ruled: { ...known, restricted: words }, hasOthers }, facts);
  if (match !== "no" || action.started === undefined || rule.effect === "allow") return match;
  return matchesStarted(rule, action.started, facts);
}

interface Reading {
  readonly words: readonly ShellWord[];
  /** `restricted`: the words that the rule matches. */
  readonly ruled: RuleWords;
  readonly hasOthers: boolean;
}

function matchesReading(rule: Rule, { hasOthers, ruled, words }: Reading, facts: CallFacts): Certainty {
  const { commands, options, paths } = rule;
  const namedBy = (reading: readonly ShellWord[]): Certainty =>
    commands === null ? "yes" : anyOf(commands.map((pattern) => matchesWords(rule, pattern, reading)));
  const named = hasOthers ? anyOf([ruled.restricted, ...ruled.others].map(namedBy)) : namedBy(ruled.restricted);
  // The fast path: most rules are about another program.
  if (named === "no") return "no";
  const optionWords = [...ruled.options, ...ruled.restricted.slice(1)];
  const optioned =
    options === null ? "yes" : allOf(options.map((spellings) => hasOption(rule, spellings, optionWords)));
  if (optioned === "no" || paths === null) return allOf([named, optioned]);
  const { folders, rest } = foldersOf(words);
  const answers = operandsOf(rule, words).map((text) => matchesPath(paths, text, facts));
  answers.push(...belowOperands(rule, paths, { words: rest, facts }));
  for (const starts of startsAfter(folders, facts)) {
    answers.push(...operandsOf(rule, rest).map((text) => matchesPath(paths, text, { ...facts, starts })));
    answers.push(...belowOperands(rule, paths, { words: rest, facts: { ...facts, starts } }));
  }
  return allOf([named, optioned, together(rule, answers)]);
}

interface CommandFacts {
  readonly words: readonly ShellWord[];
  readonly facts: CallFacts;
}

/** Answers for all that is below the folders that a command walks. What is there is not known, so it is `maybe` where it counts. */
function belowOperands(rule: Rule, condition: PathCondition, command: CommandFacts): readonly Certainty[] {
  const { reach, operands } = walkOf(command.words);
  if (reach === "itself") return [];
  const isRestricted = rule.effect !== "allow";
  const texts = operandsOf(rule, [unknownWord(""), ...operands]).slice(reach === "tree" ? 0 : 1);
  return texts.flatMap((operand) => {
    if (operand === undefined) return ["maybe"];
    const folder = operand.isPattern ? operand.text.replace(/[^/]*\*.*$/s, ".") : operand.text;
    return command.facts.starts.map((start): Certainty => {
      const path = resolvePath(folder, start);
      if (path === undefined) return "maybe";
      if (isRestricted) return mayMatchBelow(condition, path, { reach, facts: command.facts }) ? "maybe" : "no";
      return (condition.outside ?? []).some((root) => holdsRoot(path, root, command.facts)) ? "maybe" : "yes";
    });
  });
}

const holdsRoot = (path: string, root: string, { session }: CallFacts): boolean => {
  const folder = resolvePath(root, session);
  return folder === undefined || isAtOrBelow(folder, path);
};

/** Could a path below the folder fulfil the condition? */
function mayMatchBelow(
  { globs, outside, under }: PathCondition,
  folder: string,
  { facts, reach }: { readonly facts: CallFacts; readonly reach: Reach },
): boolean {
  const isIn = (root: string): boolean =>
    isUnder(folder, resolvePath(root, facts.session) ?? "/", facts.session) !== "no";
  if (outside?.some(isIn) === true) return false;
  if (under?.some((root) => isIn(root) || holdsRoot(folder, root, facts)) === false) return false;
  if (globs === null) return true;
  return globs.some((glob) => {
    const below = glob.below(folder);
    return below === "yes" || (below === "anywhere" && mayHold(folder, reach, facts.session));
  });
}

/** With more beginnings in one command a rule is a possible match. */
const beginningsMax = 20;

/** May an unknown program start a command that the rule is about? */
function matchesStarted(rule: Rule, started: readonly ShellWord[], facts: CallFacts): Certainty {
  const names = (rule.commands ?? []).map(({ name }) => name).filter(({ source }) => !/^\**$/.test(source));
  if (names.length === 0) return "no";
  let beginnings = 0;
  for (const [at, { value }] of started.entries()) {
    if (value === undefined) continue;
    const plain = value.slice(value.lastIndexOf("/") + 1);
    if (!names.some((name) => name.matches(plain) || name.matches(value))) continue;
    beginnings += 1;
    if (beginnings > beginningsMax) return "maybe";
    const words = started.slice(at);
    const ruled = ruleWords(words);
    if (matchesReading(rule, { words, ruled, hasOthers: ruled.others.length > 0 }, facts) !== "no") return "maybe";
  }
  return "no";
}

/** Further bases for the operands of `tar -C a -C b`: each directory is relative to the one before it. */
function startsAfter(folders: readonly (string | undefined)[], facts: CallFacts): readonly (readonly PathContext[])[] {
  let starts = facts.starts;
  return folders.map((folder) => {
    const directoryFrom = (start: PathContext): string | null =>
      folder === undefined ? null : (resolvePath(folder, start) ?? null);
    starts = starts.map((start) => ({ ...start, workingDirectory: directoryFrom(start) }));
    return starts;
  });
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
  // `..` behind a symbolic link leads elsewhere; system directories have no links made by users.
  const up = name.search(/(?:^|\/)\.\.(?:\/|$)/);
  const isPlain = up < 0 || systemFolders.has(name.slice(0, up));
  const trusted = rule.effect !== "allow" || (isPlain && systemFolders.has(normalizePath(name.slice(0, slash) || "/")));
  return certain(trusted && pattern.name.matches(name.slice(slash + 1)));
}

/** A computed word may become any number of words, so nothing after it is certain. */
function matchesWords(rule: Rule, pattern: CommandPattern, words: readonly ShellWord[]): Certainty {
  const name = matchesName(rule, pattern, words[0]);
  if (name === "no") return "no";
  const rest = words.slice(1);
  for (const [at, glob] of pattern.words.entries()) {
    const word = rest[at];
    if (word === undefined) return "no";
    if (word.value === undefined) return "maybe";
    if (!glob.matches(word.value)) return "no";
  }
  if (pattern.open || rest.length === pattern.words.length) return name;
  return rest.slice(pattern.words.length).every((word) => word.value === undefined) ? "maybe" : "no";
}

function hasOption(rule: Rule, spellings: readonly string[], words: readonly ShellWord[]): Certainty {
  const end = words.findIndex((word) => word.value === "--");
  const candidates = end < 0 ? words : words.slice(0, end);
  const found = candidates.some((word) => spellings.some((spelling) => isOption(rule, spelling, word.value ?? "")));
  if (found) return "yes";
  return candidates.some((word) => word.value === undefined) ? "maybe" : "no";
}

/**
 * `-r` also matches `-rf`, and `--force` also `--force=x`. Rules that ask or deny also match the abbreviation `--for`, and take what
 * follows the letters of a bundle for a value: `-qf/x` has the option `-f`.
 */
function isOption(rule: Rule, spelling: string, word: string): boolean {
  if (word === spelling) return true;
  const restricts = rule.effect !== "allow";
  if (spelling.length === 2 && spelling !== "--" && word.charAt(0) === spelling.charAt(0)) {
    if (restricts && word.startsWith(spelling)) return true;
    const letters = (restricts ? /^.([A-Za-z0-9]+)/ : /^.([A-Za-z0-9]+)$/).exec(word)?.[1] ?? "";
    return letters.includes(spelling.charAt(1));
  }
  const [name = ""] = word.split("=");
  // Go programs and some others accept long names with one dash or two.
  if (restricts && spelling.length > 3 && name.length > 3 && undashed(name) === undashed(spelling)) return true;
  if (!spelling.startsWith("--")) return false;
  const abbreviated = restricts && name.length > 2 && spelling.startsWith(name);
  return name === spelling || abbreviated;
}

const undashed = (name: string): string => name.replace(/^--?/, "-");

/**
 * Every text that the program may take for a path, and its working directory. Undefined: unknown.
 * `--file=x`, `-Cx`, `of=x` and `a:b` contain paths too; a word that is not a path is at worst one in the working directory.
 */
function operandsOf(rule: Rule, words: readonly ShellWord[]): readonly (PathText | undefined)[] {
  const restricts = rule.effect !== "allow";
  const opensNone = restricts && opensNoFile.has(words[0]?.value ?? "");
  const patterns = restricts ? [] : patternsAt(words);
  const operands = words.slice(1).flatMap((word, at): readonly (PathText | undefined)[] => {
    if (patterns.includes(at + 1)) return [];
    const path = pathOf(word);
    if (path === undefined) return opensNone || isPlainStream(words, at + 1) ? [] : [undefined];
    const texts = pathsIn(path.text);
    if (texts === undefined) return [undefined];
    return (restricts ? texts.flatMap(readingsOf) : texts).map((text) => ({ ...path, text }));
  });
  return [{ text: ".", isPattern: false }, ...operands];
}

/** They open none of the files in their words, so a computed word is no path. */
const opensNoFile: ReadonlySet<string> = new Set(
  ": [ basename cd declare dirname echo exit export expr false kill local printf pushd return seq set sleep test tr true".split(
    " ",
  ),
);

/** They read what `<(ls)` prints as text, and take no names of files from it. */
const readsText: ReadonlySet<string> = new Set(
  "cat cmp column comm cut diff egrep fgrep fold grep head join md5sum nl od paste rev sdiff sha256sum sort tac tail tee tr uniq wc xxd".split(
    " ",
  ),
);

/** A long option can take a list of files: `wc --files0-from <(x)`. */
const isPlainStream = (words: readonly ShellWord[], at: number): boolean =>
  words[at]?.isStream === true &&
  readsText.has(words[0]?.value ?? "") &&
  (at === 1 || words[at - 1]?.value?.startsWith("--") === false);

/**
 * A value may be glued to the last letter of a bundle (`-ft.git/hooks`), so each rest of one is a candidate, and so is the file that
 * follows an `@` (`strings @list`). Undefined: too many letters to try.
 */
function pathsIn(text: string): readonly string[] | undefined {
  const parts = text.split(/[=:,]/).slice(1);
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

/** A path. `isPattern`: the shell replaces each `*` in it by names of files. */
interface PathText {
  readonly text: string;
  readonly isPattern: boolean;
}

const pathOf = ({ path, value }: ShellWord): PathText | undefined =>
  path === undefined ? undefined : { text: path, isPattern: value === undefined && path.includes("*") };

function matchesPath(condition: PathCondition, operand: PathText | undefined, facts: CallFacts): Certainty {
  if (operand === undefined) return "maybe";
  const { isPattern, text } = operand;
  const { globs } = condition;
  return allOf([
    matchesFolders(condition, operand, facts),
    globs === null
      ? "yes"
      : agreed(
          facts.starts.map((start) => {
            const path = resolvePath(text, start);
            if (path === undefined) return "maybe";
            if (isPattern || isGlob(start)) return globs.some((glob) => glob.mayMatch(path)) ? "maybe" : "no";
            return certain(globs.some((glob) => glob.matches(path)));
          }),
        ),
  ]);
}
