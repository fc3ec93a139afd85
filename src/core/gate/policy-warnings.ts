/**
 * Warnings about rules that do not do what they seem to do. Some are read from the rules; the others are found by trying calls with the
 * policy, so that what another rule denies is not reported.
 */
import { nearestWord } from "../text/nearest.ts";
import { decide, type Decision } from "./decide.ts";
import { optionSamples } from "./option-samples.ts";
import { resolvePath } from "./paths.ts";
import { shellArguments } from "./policy-files.ts";
import {
  compilePolicy,
  isAboutShell,
  knownShellToolNames,
  toolSettings,
  type Policy,
  type PolicyResult,
  type Rule,
} from "./policy.ts";
import { knownProgramToolNames } from "./program-calls.ts";
import {
  policySchema,
  type ArgumentConditionData,
  type PathConditionData,
  type PolicyData,
  type RuleData,
} from "./policy-schema.ts";
import type { FilePath, FileProblem, Place } from "./data-file.ts";
import { policyReaders } from "./policy-text.ts";
import { fileReader } from "./yaml-file.ts";

const readPolicy = fileReader<PolicyData>(policySchema);

/** Tools of known agents beside the shell; a name near one of them is probably misspelt. */
const otherTools =
  "Read Write Edit MultiEdit NotebookEdit Glob Grep LS TodoWrite Task WebFetch WebSearch read write edit glob grep list webfetch " +
  "read_file write_file edit_file replace list_directory search_file_content grep_search web_fetch view create find ls todowrite todoread todo_write write_todos TodoRead task exit_plan_mode ExitPlanMode BashOutput NotebookRead apply_patch update_plan view_image";

const workingDirectory = "/users/me/project";
const context = { workingDirectory, home: "/users/me", labels: [] };

/** Files whose content something executes later, with what does. */
const executedFiles: readonly (readonly [path: string, by: string])[] = [
  [".git/hooks/pre-commit", "git"],
  [".git/config", "git"],
  [".husky/pre-commit", "git"],
  [".github/workflows/x.yml", "CI"],
  [".vscode/tasks.json", "the editor"],
  [".claude/settings.json", "the agent"],
  ["package.json", "npm"],
  ["/users/me/.bashrc", "the shell"],
];

/**
 * Reads a policy as `checkPolicy` does, and adds the warnings that need more time. Each warning has a `code`:
 * `never-matches`, `unknown-tool`, `not-covered`, `writes-executed`, `more-than-named`, beside those of `checkPolicy`.
 */
export function reviewPolicy(text: string): PolicyResult {
  const file = readPolicy(text);
  if (!file.ok) return file;
  const result = compilePolicy(file.data, file.place, policyReaders);
  if (!result.ok) return result;
  const found = new Review(file.data, result.policy, file.place).warnings();
  const warnings = [...result.warnings, ...found].toSorted((left, right) => left.line - right.line);
  return { ...result, warnings };
}

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "string" ? [value] : value;
const isLiteral = (glob: string): boolean => !/[*?]/.test(glob);

class Review {
  readonly #data: PolicyData;
  readonly #policy: Policy;
  readonly #place: (path: FilePath) => Place;
  readonly #found: FileProblem[] = [];

  constructor(data: PolicyData, policy: Policy, place: (path: FilePath) => Place) {
    this.#data = data;
    this.#policy = policy;
    this.#place = place;
  }

  warnings(): readonly FileProblem[] {
    (this.#data.rules ?? []).forEach((rule, index) => {
      const path = ["rules", index];
      this.#warnAboutNeverMatching(rule, path);
      this.#warnAboutTools(rule, path);
      if (rule.effect === "allow") this.#warnAboutOptions(rule, path);
    });
    this.#warnAboutExecutedFiles();
    return this.#found;
  }

  #warn(path: FilePath, code: string, message: string): void {
    this.#found.push({ ...this.#place(path), severity: "warning", message, code });
  }

  #warnAboutNeverMatching(rule: RuleData, path: FilePath): void {
    const commands = listOf(rule.command);
    for (const option of listOf(rule.options)) {
      const spellings = option.split("|").map((spelling) => spelling.trim());
      const closed = commands.filter((command) => !command.endsWith("**") && !mayHold(command, spellings));
      if (closed.length > 0) {
        const message = `"${closed.join('", "')}" has exactly these words, so it never has the option "${option}": add "**" at its end`;
        this.#warn([...path, "command"], "never-matches", message);
      }
    }
    for (const label of listOf(rule.session)) {
      if (isLiteral(label) && !label.includes("="))
        this.#warn([...path, "session"], "never-matches", `A label is matched as "key=value": "${label}" has no "="`);
    }
    if (rule.paths !== undefined) this.#warnAboutFolders(rule.paths, [...path, "paths"]);
    (rule.arguments ?? []).forEach((condition, index) => {
      this.#warnAboutFolders(condition, [...path, "arguments", index]);
      if (condition.exists === false && hasValues(condition)) {
        const message = `Nothing is at "${condition.at}" and its value is compared: remove one of the conditions`;
        this.#warn([...path, "arguments", index], "never-matches", message);
      }
    });
  }

  #warnAboutFolders({ outside, under }: PathConditionData, path: FilePath): void {
    const outer = listOf(outside);
    const inner = listOf(under);
    if (inner.length === 0 || outer.length === 0) return;
    const absolute = (folder: string): string => resolvePath(folder, context) ?? folder;
    const isInside = (folder: string): boolean =>
      outer.some((root) => `${absolute(folder)}/`.startsWith(`${absolute(root)}/`));
    if (inner.every(isInside)) {
      this.#warn(
        path,
        "never-matches",
        `Every path under "${inner.join('", "')}" is inside of "outside", so this never matches`,
      );
    }
  }

  #warnAboutTools(rule: RuleData, path: FilePath): void {
    const shellTools = knownShellToolNames();
    const known = [
      ...shellTools,
      ...knownProgramToolNames(),
      ...otherTools.split(" "),
      ...this.#policy.tools.flatMap(({ tools }) => tools.map(({ source }) => source)),
    ];
    for (const tool of listOf(rule.tool)) {
      const near = isLiteral(tool) && !known.includes(tool) && tool.length > 3 ? nearestWord(tool, known) : undefined;
      if (near === undefined) continue;
      this.#warn([...path, "tool"], "unknown-tool", `No known agent has the tool "${tool}": did you mean "${near}"?`);
    }
    if (rule.effect === "allow" || rule.tool === undefined || !isAboutShell(rule)) return;
    const twins = this.#policy.rules.filter((other, at) => this.#isTwin(rule, at) && other.tools !== null);
    const open = shellTools.filter((tool) => !twins.some(({ tools }) => tools?.some((glob) => glob.matches(tool))));
    // One shell tool of the list is meant, and the others are forgotten.
    if (open.length === 0 || open.length === shellTools.length) return;
    const message = `This ${rule.effect} does not hold for the shell tools "${open.join('", "')}" of other agents: remove "tool" to cover each`;
    this.#warn([...path, "tool"], "not-covered", message);
  }

  /** The rule itself, and one with the same conditions for other tools. */
  #isTwin(rule: RuleData, at: number): boolean {
    const conditions = ({ id: _id, reason: _reason, tool: _tool, ...rest }: RuleData): string => JSON.stringify(rest);
    const other = this.#data.rules?.[at];
    return other !== undefined && conditions(other) === conditions(rule);
  }

  #warnAboutOptions(rule: RuleData, path: FilePath): void {
    for (const command of listOf(rule.command)) {
      const words = command.split(/\s+/);
      if (words.length < 2 || words.at(-1) !== "**" || !isLiteral(words.slice(0, -1).join(" "))) continue;
      const found = optionSamples(words.slice(0, -1)).find(({ text }) => this.#shell(text).effect === "allow");
      if (found === undefined) continue;
      const message = `"${command}" also allows "${found.text}", which ${found.phrase}: name the words that are meant, or deny the options`;
      this.#warn([...path, "command"], "more-than-named", message);
    }
  }

  #warnAboutExecutedFiles(): void {
    const opened = new Map<string, { readonly rule: Rule | undefined; readonly paths: string[] }>();
    for (const [file, by] of executedFiles) {
      for (const decision of this.#writesOf(file)) {
        if (decision.effect !== "allow") continue;
        const rule = this.#policy.rules.find(({ id }) => id === decision.rule?.id);
        const known = opened.get(rule?.id ?? "") ?? { rule, paths: [] };
        const shown = `${file.replace("/users/me", "~")} (executed by ${by})`;
        if (!known.paths.includes(shown)) known.paths.push(shown);
        opened.set(rule?.id ?? "", known);
      }
    }
    for (const { paths, rule } of opened.values()) {
      const path = rule === undefined ? ["default"] : ["rules", this.#policy.rules.indexOf(rule)];
      const what = rule === undefined ? "What no rule denies may" : `The rule "${rule.id}" lets an agent`;
      const more = paths.length > 2 ? ` and ${paths.length - 2} more` : "";
      this.#warn(
        path,
        "writes-executed",
        `${what} write ${paths.slice(0, 2).join(", ")}${more}: deny or ask about these paths`,
      );
    }
  }

  /** The ways of agents to write a file. */
  #writesOf(file: string): readonly Decision[] {
    const tools = [
      ["Write", { file_path: file, content: "x" }],
      ["write", { filePath: file, content: "x" }],
      ["write_file", { path: file, content: "x" }],
    ] as const;
    const byTool = tools.map(([name, given]) =>
      decide(this.#policy, { name, arguments: given, finish: "tool_calls" }, context),
    );
    return [...byTool, this.#shell(`> ${file}`), this.#shell(`cp x ${file}`), this.#shell(`tee ${file}`)].map(decided);
  }

  #shell(text: string): Decision {
    const pointer = toolSettings(this.#policy, "Bash")?.shell ?? ["command"];
    return decide(
      this.#policy,
      { name: "Bash", arguments: shellArguments(pointer, text), finish: "tool_calls" },
      context,
    );
  }
}

/** Of an allowed call the part that writes: its last action. */
const decided = (decision: Decision): Decision => ({
  ...decision,
  ...(decision.verdicts.at(-1) ?? decision),
  effect: decision.effect,
});

/** Could one of the words of a command without "**" be the option? */
const mayHold = (command: string, spellings: readonly string[]): boolean =>
  command
    .split(/\s+/)
    .slice(1)
    .some((word) => !isLiteral(word) || word.startsWith("-") || spellings.includes(word));

const hasValues = ({ equals, except, glob, in: lists, outside, regex, under }: ArgumentConditionData): boolean =>
  [equals, except, glob, lists, regex, under, outside].some((value) => value !== undefined);
