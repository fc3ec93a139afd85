/**
 * Does a rule match? The answer depends on what the rule is for: an *allow* must be sure of every value, an *ask* or *deny*
 * needs one that matches. What cannot be known before the shell runs is `maybe`, which allows nothing.
 */
import { allOf, anyOf, certain, negate, type Certainty } from "./certainty.ts";
import { foldersOf } from "./command-folders.ts";
import { ruleWords } from "./git-words.ts";
import { isPatternUnder, normalizePath, resolvePath, type PathContext } from "./paths.ts";
import { selectLeaves, type Leaf, type Selection } from "./pointers.ts";
import type { ArgumentCondition, CommandPattern, PathCondition, Rule } from "./policy.ts";
import type { ShellAction } from "./shell.ts";
import type { ShellWord } from "./shell-words.ts";

/** What is known of a call when its rules are looked at. */
export interface CallFacts {
  readonly tool: string;
  readonly labels: readonly string[];
  readonly arguments: unknown;
  /** All values in the arguments: many rules search them. */
  readonly values: Selection;
  /** Of the session; `.` and `~/` in a rule mean these. */
  readonly session: PathContext;
  /** The pointer of the argument that names the working directory of the call, where it has one. */
  readonly folder: string | null;
  /** Where relative paths of the call may start: one for plain arguments, several for a shell text that changes folders. */
  readonly starts: readonly PathContext[];
}

/** The whole call, where it has no shell text. */
export type CallAction = ShellAction | { readonly type: "call" };

/** Values that are longer together are not searched, and longer ones not matched as names: `maybe`. Else a model could stop the loop. */
const valueCharsMax = 1_048_576;
const nameCharsMax = 65_536;

/** Combines the answers for several values by what the rule is for. */
const together = (rule: Rule, answers: readonly Certainty[]): Certainty =>
  rule.effect === "allow" ? allOf(answers) : anyOf(answers);

/** Tool, session and arguments: what is the same for each action of a call. */
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
  return agreed(
    facts.starts.map((start) => {
      if (isPattern) return isPatternUnder(text, folder, start);
      const path = resolvePath(text, start);
      return path === undefined ? "maybe" : certain(folder === "/" || path === folder || path.startsWith(`${folder}/`));
    }),
  );
}

/** Certain only where it comes out the same from each start. */
const agreed = (answers: readonly Certainty[]): Certainty => {
  const [first = "maybe"] = answers;
  return answers.every((answer) => answer === first) ? first : "maybe";
};

/** The part of a rule that is about one action of a shell text. */
export function matchesAction(rule: Rule, action: CallAction, facts: CallFacts): Certainty {
  if (isAboutWholeCall(rule)) return "yes";
  switch (action.type) {
    case "command":
      return matchesCommand(rule, action, facts);
    case "redirect":
      return matchesRedirect(rule, action, facts);
    case "assignment":
      return certain(rule.assigns !== null && rule.assigns.some((glob) => glob.matches(action.name)));
    case "opaque":
    case "call":
      return "no";
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

function matchesCommand(rule: Rule, action: Extract<ShellAction, { type: "command" }>, facts: CallFacts): Certainty {
  if (rule.redirect !== null || rule.assigns !== null) return "no";
  const { commands, options, paths } = rule;
  const known = action.ruled ?? ruleWords(action.words);
  const words = rule.effect === "allow" ? known.allowed : known.restricted;
  const namedBy = (reading: readonly ShellWord[]): Certainty =>
    commands === null ? "yes" : anyOf(commands.map((pattern) => matchesWords(rule, pattern, reading)));
  const hasOthers = known.others.length > 0 && rule.effect !== "allow";
  const named = hasOthers ? anyOf([words, ...known.others].map(namedBy)) : namedBy(words);
  // Most rules are about another program: nothing else is looked at for them.
  if (named === "no") return "no";
  const optioned =
    options === null
      ? "yes"
      : allOf(options.map((spellings) => hasOption(rule, spellings, [...known.options, ...words.slice(1)])));
  if (optioned === "no" || paths === null) return allOf([named, optioned]);
  const { folders, rest } = foldersOf(action.words);
  const answers = operandsOf(action.words).map((text) => matchesPath(paths, text, facts));
  for (const starts of startsAfter(folders, facts))
    answers.push(...operandsOf(rest).map((text) => matchesPath(paths, text, { ...facts, starts })));
  return allOf([named, optioned, together(rule, answers)]);
}

/** Where the operands of `tar -C a -C b` may start, beside the folder that it runs in: each folder is relative to the one before it. */
function startsAfter(folders: readonly (string | undefined)[], facts: CallFacts): readonly (readonly PathContext[])[] {
  const places: (readonly PathContext[])[] = [];
  for (const folder of folders) {
    places.push(
      (places.at(-1) ?? facts.starts).map((start) => ({
        ...start,
        workingDirectory: folder === undefined ? null : (resolvePath(folder, start) ?? null),
      })),
    );
  }
  return places;
}

/** Where programs of a name without a folder are expected. */
const systemFolders: ReadonlySet<string> = new Set([
  "/bin",
  "/sbin",
  "/usr/bin",
  "/usr/sbin",
  "/usr/local/bin",
  "/opt/homebrew/bin",
]);

/** `rm` in an ask or deny is any program of that name; in an allow it is the one that PATH finds, or one of the system. */
function matchesName(rule: Rule, pattern: CommandPattern, word: ShellWord | undefined): Certainty {
  const name = word?.value;
  if (name === undefined) return "maybe";
  const slash = name.lastIndexOf("/");
  // `./ls` is a file here, `ls` is whatever PATH finds: a pattern with a folder is never about the other.
  if (pattern.name.source.includes("/")) return certain(slash >= 0 && pattern.name.matches(name));
  if (slash < 0) return certain(pattern.name.matches(name));
  // Behind a link `..` leads elsewhere than the text says; the folders of the system have none that a user made.
  const up = name.search(/(?:^|\/)\.\.(?:\/|$)/);
  const isPlain = up < 0 || systemFolders.has(name.slice(0, up));
  const trusted = rule.effect !== "allow" || (isPlain && systemFolders.has(normalizePath(name.slice(0, slash) || "/")));
  return certain(trusted && pattern.name.matches(name.slice(slash + 1)));
}

/** A computed word may become any number of words: what is after it is not certain. */
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
 * `-r` is also in `-rf`; `--force` is also `--force=x` and, where a rule restricts, the abbreviation `--for`. Where a rule restricts,
 * whatever follows the letters of a bundle is the value of one of them: `-qf/x` has the option `-f`.
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
  // Go's flags and some others take a long name behind one dash and behind two.
  if (restricts && spelling.length > 3 && name.length > 3 && undashed(name) === undashed(spelling)) return true;
  if (!spelling.startsWith("--")) return false;
  const abbreviated = restricts && name.length > 2 && spelling.startsWith(name);
  return name === spelling || abbreviated;
}

const undashed = (name: string): string => name.replace(/^--?/, "-");

/**
 * Every text in the words that a program may take for a path, and the folder that it runs in. Undefined: unknown.
 * `--file=x`, `-Cx`, `of=x` and `a:b` hold paths too; a word that is none is at worst a path inside of the folder.
 */
function operandsOf(words: readonly ShellWord[]): readonly (PathText | undefined)[] {
  return [{ text: ".", isPattern: false }, ...words.slice(1).flatMap((word) => pathsIn(word))];
}

function pathsIn(word: ShellWord): readonly (PathText | undefined)[] {
  const path = pathOf(word);
  if (path === undefined) return [undefined];
  const { text } = path;
  const parts = text
    .split(/[=:,]/)
    .slice(1)
    .filter((part) => part !== "");
  const glued = text.length > 2 ? [text.slice(2)] : [];
  const texts = text.startsWith("--") ? parts : text.startsWith("-") ? [...glued, ...parts] : [text, ...parts];
  return texts.map((each) => ({ ...path, text: each }));
}

/** A path, or one with a `*` in each place that the shell fills with names of files. */
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
            if (isPattern) return globs.some((glob) => glob.mayMatch(path)) ? "maybe" : "no";
            return certain(globs.some((glob) => glob.matches(path)));
          }),
        ),
  ]);
}
