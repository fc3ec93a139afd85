/**
 * Normalizes git commands for rules: `git -C . push origin +main` matches as `git push --force`. Global options that can run programs,
 * aliases, and options that name a program count as code (git(1), git-push(1)).
 */
import { splitWords } from "./program-words.ts";
import { programNamed } from "./programs.ts";
import { literalWord, valueAt, type ShellWord } from "./shell-words.ts";

/** Settings that run nothing. */
const harmlessSetting =
  /^(?:(?:user|author|committer)\.(?:name|email)|color\.[\w.]+|core\.(?:quotepath|autocrlf|eol|filemode|abbrev|longpaths)|advice\.\w+|(?:commit|tag)\.gpgsign|init\.defaultbranch|(?:core\.(?:pager|editor)|pager\.\w+)=(?:cat|true|false|:)?$|diff\.(?:renames|context|noprefix|mnemonicprefix|algorithm|renamelimit)|merge\.(?:conflictstyle|ff)|log\.\w+|safe\.directory|http\.(?:version|postbuffer)|pull\.(?:rebase|ff)|push\.default|push\.autosetupremote|rebase\.autostash|rerere\.enabled|column\.ui)(?:=|$)/i;

interface GitWords {
  /** Index of the subcommand; undefined if there is none, or it is unknown. */
  readonly at: number | undefined;
  /** The global options do not change what is run. */
  readonly isHarmless: boolean;
  readonly isCode: boolean;
}

/** The words before the subcommand, by the record of git. Other repositories have a configuration that can run programs. */
export function readGlobals(words: readonly ShellWord[]): GitWords {
  const git = programNamed("git");
  if (git === undefined) return { at: undefined, isHarmless: false, isCode: true };
  const { operands, options, unknown } = splitWords(words, git);
  const [first] = operands;
  const isCode =
    (first !== undefined && first.word.value === undefined) ||
    unknown.some(({ word }) => word.value !== undefined) ||
    options.some(({ name, spec, value }) => {
      const isHarmlessValue = name === "-c" && harmlessSetting.test(value?.value ?? "");
      return spec.section === "code" && !isHarmlessValue;
    });
  if (!isCode && options.some(({ spec }) => spec.section === "ends"))
    return { at: undefined, isHarmless: true, isCode: false };
  const isHarmless = !isCode && options.every(({ spec }) => spec.section === "nothing");
  return { at: first?.word.value === undefined ? undefined : first.at, isHarmless, isCode };
}

const configValues = /^(?:-f|--(?:file|blob|type|default|comment|value|url))$/;
const configQuestions =
  /^(?:-l|--(?:get.*|list|unset.*|remove-section|rename-section)|get|list|unset|remove-section|rename-section)$/;

/** Does `git config` set what git may run, such as an alias or `core.fsmonitor`, or open an editor? Asking and removing do not. */
export function setsProgram(words: readonly ShellWord[]): boolean {
  const values = words.map((word) => word.value ?? (word.isOne === true ? "\0" : undefined));
  if (values.some((value) => value === undefined || /^(?:-e|--edit|edit)$/.test(value))) return true;
  const { operands, options } = withoutConfigOptions(values);
  if ([...options, operands[0] ?? ""].some((value) => configQuestions.test(value))) return false;
  const [name = "", value] = operands[0] === "set" ? withoutConfigOptions(operands.slice(1)).operands : operands;
  return value !== undefined && !harmlessSetting.test(`${name}=${value}`);
}

/** The options end at the first operand: `git config alias.x --get` sets it. */
function withoutConfigOptions(values: readonly (string | undefined)[]): {
  readonly options: readonly string[];
  readonly operands: readonly string[];
} {
  let at = 0;
  const options: string[] = [];
  for (; values[at]?.startsWith("-") === true && values[at] !== "--"; at += 1) {
    options.push(values[at] ?? "");
    if (configValues.test(values[at] ?? "")) at += 1;
  }
  return { options, operands: values.slice(values[at] === "--" ? at + 1 : at).map((value) => value ?? "") };
}

export interface RuleWords {
  /** For rules that allow: without harmless options. */
  readonly allowed: readonly ShellWord[];
  /** For rules that ask or deny: without any global options. */
  readonly restricted: readonly ShellWord[];
  /** Options that the operands of a push or a fetch are equivalent to. */
  readonly options: readonly ShellWord[];
  /** Other spellings of the command, for rules that ask or deny. */
  readonly others: readonly (readonly ShellWord[])[];
}

/** `git-push`, in any directory, is `git push`: git also installs its subcommands as programs (git(1), `--exec-path`). */
export function withoutGitDash(words: readonly ShellWord[]): readonly ShellWord[] {
  const name = words[0]?.value;
  const dash = name?.lastIndexOf("git-") ?? -1;
  if (name === undefined || dash < 0 || !/^(?:.*\/)?git-[a-z][a-z0-9-]*$/s.test(name)) return words;
  const subcommand = name.slice(name.lastIndexOf("/") + 1 + "git-".length);
  return [literalWord("git"), literalWord(subcommand), ...words.slice(1)];
}

/** The words that rules match; the written ones if the command is not git. */
export function ruleWords(words: readonly ShellWord[]): RuleWords {
  const read = withoutGitDash(words);
  if (read === words) return gitRuleWords(words);
  // A rule that allows `git push` does not allow a program of another name.
  return { ...gitRuleWords(read), allowed: words, others: [words] };
}

function gitRuleWords(words: readonly ShellWord[]): RuleWords {
  const written = { allowed: words, restricted: words, options: [], others: [] };
  const name = words[0]?.value;
  if (name === undefined || (name !== "git" && !name.endsWith("/git"))) return written;
  const { at, isHarmless } = readGlobals(words);
  if (at === undefined) return written;
  const plain = [...words.slice(0, 1), ...words.slice(at)];
  const subcommand = valueAt(words, at);
  return {
    ...written,
    allowed: isHarmless ? plain : words,
    restricted: plain,
    options: /^(?:push|send-pack)$/.test(subcommand)
      ? pushOptions(plain)
      : /^(?:fetch|pull)$/.test(subcommand) && plain.some(({ value = "" }) => forcesLocal.test(value))
        ? [literalWord("--force")]
        : [],
    others: words[at]?.value === "send-pack" ? [[literalWord("git"), literalWord("push"), ...words.slice(at + 1)]] : [],
  };
}

/** `+main:main` of a fetch overwrites a branch of this repository, other than `+main` and what goes to `refs/remotes/`. */
const forcesLocal = /^\+[^:]*:(?!refs\/remotes\/)./;

const pushValues = /^(?:-[a-zA-Z]*o|--push-option|--repo|--receive-pack|--exec)$/;

/** `+main` and `--mirror` force, `:main` deletes; a `--` that is the value of an option does not end the options. */
function pushOptions(words: readonly ShellWord[]): readonly ShellWord[] {
  const rest = words.slice(2).map((word) => word.value ?? "");
  const hidden = rest.findIndex((value, at) => value === "--" && pushValues.test(rest[at - 1] ?? ""));
  const behind = hidden < 0 ? [] : rest.slice(hidden + 1);
  const forces = rest.some((value) => /^\+./.test(value) || /^--mi?r?r?o?r?$/.test(value));
  const deletes = rest.some((value) => /^\+?:./.test(value));
  return [
    ...(forces ? ["--force"] : []),
    ...(deletes ? ["--delete"] : []),
    ...behind.filter((value) => value.startsWith("-")),
  ].map((value) => literalWord(value));
}
