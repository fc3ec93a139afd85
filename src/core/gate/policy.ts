/** Compiles the data of a policy file: checks every glob, expression and pointer once, and gives each rule its line. */
import { sandboxProblems, type SandboxData } from "../sandbox/sandbox-schema.ts";
import type { CommandPattern } from "./globs.ts";
import { compileGlob, type Glob } from "./globs.ts";
import { effectKinds } from "./effect-words.ts";
import type { EffectKind } from "./program-entry.ts";
import { pathList, pathListNames, type PathList } from "./path-lists.ts";
import { parsePointer } from "./pointers.ts";
import type { SchemaPattern } from "../json-schema/applied-keywords.ts";
import type {
  ArgumentConditionData,
  Effect,
  LimitData,
  PathConditionData,
  PolicyData,
  PolicyMode,
  RuleData,
  PolicyToolData,
} from "./policy-schema.ts";
import { placedMessage, type FilePath, type FileProblem, type Place } from "./data-file.ts";
import { needsPatterns, type PatternReader } from "./schemas.ts";
import type { ShellJudge } from "./shell-analysis.ts";
import { didYouMean } from "../text/nearest.ts";

/** A compiled policy; `checkPolicy` makes one. */
export interface Policy {
  readonly mode: PolicyMode;
  readonly default: Effect;
  readonly opaque: Effect;
  readonly length: "deny" | "judge";
  readonly tools: readonly ToolSettings[];
  readonly rules: readonly Rule[];
  readonly limits: readonly LimitSettings[];
  /** The walls around a session with this policy; null: none by itself. */
  readonly sandbox: SandboxData | null;
  /** Reads the texts of shell tools; null: their calls are denied. */
  readonly shell: ShellJudge | null;
  /** Reads the patterns of tools' schemas; null: a schema with one cannot be used. */
  readonly patterns: PatternReader | null;
}

/** Null: unknown. */
export interface ToolFacts {
  /** Pointer to the shell text. */
  readonly shell: readonly string[] | null;
  /** Pointers to the working directory; a call uses one of them. */
  readonly directories: readonly (readonly string[])[] | null;
  readonly timeoutMs: number | null;
}

/** One entry of `tools`. */
interface ToolSettings extends ToolFacts {
  readonly tools: readonly Glob[];
}

export interface LimitSettings {
  readonly id: string;
  readonly line: number;
  readonly tools: readonly Glob[] | null;
  readonly scope: "session" | "all";
  /** Null if only `concurrent` is limited. */
  readonly rate: { readonly calls: number; readonly perMs: number; readonly burst: number } | null;
  readonly concurrent: number | null;
}

/** A null field is a condition that the rule does not have. */
export interface Rule {
  readonly id: string;
  readonly effect: Effect;
  readonly line: number;
  readonly reason: string | null;
  readonly tools: readonly Glob[] | null;
  readonly sessions: readonly Glob[] | null;
  readonly arguments: readonly ArgumentCondition[];
  readonly commands: readonly CommandPattern[] | null;
  /** All must be present; each is a list of alternative spellings. */
  readonly options: readonly (readonly string[])[] | null;
  /** What it does: the rule is about each such effect, not about the words of a command. */
  readonly does: ReadonlySet<EffectKind> | null;
  readonly paths: PathCondition | null;
  readonly redirect: "read" | "write" | "any" | null;
  readonly assigns: readonly Glob[] | null;
}

export interface ArgumentCondition extends PathCondition {
  readonly at: readonly string[];
  readonly equals: { readonly value: string | number | boolean | null } | null;
  readonly patterns: readonly SchemaPattern[] | null;
  readonly exists: boolean | null;
}

export interface PathCondition {
  readonly under: readonly string[] | null;
  readonly outside: readonly string[] | null;
  readonly globs: readonly Glob[] | null;
  /** The path is in one of the lists. */
  readonly in: readonly PathList[] | null;
  /** The path is in none of the lists. */
  readonly except: readonly PathList[] | null;
}

/** A policy with warnings about its file, or the problems because of which there is none. */
export type PolicyResult =
  | { readonly ok: true; readonly policy: Policy; readonly warnings: readonly FileProblem[] }
  | { readonly ok: false; readonly problems: readonly FileProblem[] };

interface KnownTool {
  readonly tool: readonly string[];
  readonly shell: string;
  readonly directories: readonly string[];
}

/** Shell tools of known agents, by name. */
export const knownShellToolNames = (): readonly string[] => knownShellTools.flatMap(({ tool }) => tool);

/** Shell tools of known agents; entries of the policy take precedence. `*` in a pointer: each element is a text. */
const knownShellTools: readonly KnownTool[] = [
  // "bash" and "shell_command" take `workdir` in opencode and Codex, and no directory elsewhere.
  { tool: ["Bash", "bash", "shell", "shell_command", "container.exec"], shell: "/command", directories: ["/workdir"] },
  { tool: ["local_shell"], shell: "/command", directories: ["/working_directory", "/workdir"] },
  // Gemini CLI (`directory` before 0.20) and Qwen Code.
  { tool: ["run_shell_command"], shell: "/command", directories: ["/dir_path", "/directory"] },
  { tool: ["execute_command"], shell: "/command", directories: ["/cwd"] },
  { tool: ["exec_command"], shell: "/cmd", directories: ["/workdir"] },
  { tool: ["run_commands"], shell: "/commands/*", directories: ["/cwd"] },
  // A command that runs on, whose lines the model is told: Claude Code and Qwen Code.
  { tool: ["Monitor"], shell: "/command", directories: [] },
  { tool: ["monitor"], shell: "/command", directories: ["/directory"] },
];

/** Compiles data that fits the schema; `place` gives the line of each part. A rule that needs a reader that is null is a problem. */
export function compilePolicy(
  data: PolicyData,
  place: (path: FilePath) => Place,
  readers: Pick<Policy, "shell" | "patterns">,
): PolicyResult {
  const compiler = new PolicyCompiler(place, readers);
  const policy = compiler.policy(data);
  const errors = compiler.problems.filter((problem) => problem.severity === "error");
  return errors.length > 0
    ? { ok: false, problems: compiler.problems }
    : { ok: true, policy, warnings: compiler.problems };
}

const listOf = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

/** Has the rule a condition on the parts of a shell text? */
export const isAboutShell = (rule: RuleData): boolean =>
  [rule.command, rule.options, rule.redirect, rule.assigns].some((value) => value !== undefined) ||
  (rule.paths !== undefined && rule.does === undefined);

class PolicyCompiler {
  readonly problems: FileProblem[] = [];
  readonly #place: (path: FilePath) => Place;
  readonly #readers: Pick<Policy, "shell" | "patterns">;

  constructor(place: (path: FilePath) => Place, readers: Pick<Policy, "shell" | "patterns">) {
    this.#place = place;
    this.#readers = readers;
  }

  policy(data: PolicyData): Policy {
    this.#refuseRepeated(data.rules ?? [], "rules");
    this.#refuseRepeated(data.limits ?? [], "limits");
    const tools = (data.tools ?? []).map((tool, index) => this.#tool(tool, ["tools", index]));
    const known = knownShellTools.map((tool) => this.#known(tool));
    const policy: Policy = {
      mode: data.mode ?? "enforce",
      default: data.default ?? "ask",
      opaque: data.opaque ?? "ask",
      length: data.length ?? "deny",
      tools: [...tools, ...known],
      rules: (data.rules ?? []).map((rule, index) => this.#rule(rule, ["rules", index])),
      limits: (data.limits ?? []).map((limit, index) => this.#limit(limit, ["limits", index])),
      sandbox: data.sandbox ?? null,
      ...this.#readers,
    };
    if (this.#readers.shell === null) this.#refuseShell(data, policy);
    for (const { path, message } of sandboxProblems(data.sandbox ?? {})) this.#report(["sandbox", ...path], message);
    (data.rules ?? []).forEach((rule, index) => this.#warn(rule, policy, ["rules", index]));
    return policy;
  }

  #report(path: FilePath, message: string): void {
    const place = this.#place(path);
    this.problems.push({ ...place, severity: "error", message: placedMessage(place, path, message) });
  }

  #advise(path: FilePath, code: string, message: string): void {
    const place = this.#place(path);
    this.problems.push({ ...place, severity: "warning", message: placedMessage(place, path, message), code });
  }

  /** Calls of shell tools are denied without a judge; a policy that expects one must not be taken for one that has it. */
  #refuseShell(data: PolicyData, policy: Policy): void {
    const remedy = 'pass the judge: checkPolicy(policy, { shell }) with { shell } from "lectern/shell"';
    (data.tools ?? []).forEach((tool, index) => {
      if (tool.shell !== undefined)
        this.#report(
          ["tools", index, "shell"],
          `The tool "${listOf(tool.tool).join('", "')}" takes shell text: ${remedy}`,
        );
    });
    (data.rules ?? []).forEach((rule, index) => {
      const named = listOf(rule.tool ?? []).some(
        (tool) => !/[*?]/.test(tool) && toolSettings(policy, tool)?.shell != null,
      );
      if (named || isAboutShell(rule))
        this.#report(["rules", index], `The rule "${rule.id}" is about shell commands: ${remedy}`);
    });
  }

  #refuseRepeated(items: readonly { readonly id: string }[], key: string): void {
    const seen = new Set<string>();
    items.forEach(({ id }, index) => {
      if (seen.has(id)) this.#report([key, index, "id"], `The id "${id}" is used twice`);
      seen.add(id);
    });
  }

  #globs(value: string | readonly string[] | undefined, path: FilePath): readonly Glob[] | null {
    return value === undefined ? null : listOf(value).flatMap((source) => this.#glob(source, path) ?? []);
  }

  #glob(source: string, path: FilePath): Glob | undefined {
    const result = compileGlob(source);
    if (result.ok) return result.glob;
    this.#report(path, result.message);
    return undefined;
  }

  #pointer(text: string | undefined, path: FilePath): readonly string[] | null {
    if (text === undefined) return null;
    const segments = parsePointer(text);
    if (segments === undefined)
      this.#report(path, `"${text}" is not a JSON Pointer: it must begin with "/", as in "/command"`);
    return segments ?? null;
  }

  #known({ tool, shell, directories }: KnownTool): ToolSettings {
    return {
      tools: this.#globs(tool, []) ?? [],
      shell: this.#pointer(shell, []),
      directories: directories.flatMap((text) => [this.#pointer(text, []) ?? []]),
      timeoutMs: null,
    };
  }

  #tool(data: PolicyToolData, path: FilePath): ToolSettings {
    const directory = this.#pointer(data.directory, [...path, "directory"]);
    return {
      tools: this.#globs(data.tool, [...path, "tool"]) ?? [],
      shell: this.#pointer(data.shell, [...path, "shell"]),
      directories: directory === null ? null : [directory],
      timeoutMs: data.timeoutSeconds === undefined ? null : data.timeoutSeconds * 1_000,
    };
  }

  #limit(data: LimitData, path: FilePath): LimitSettings {
    const { calls, concurrent } = data;
    if (calls === undefined && concurrent === undefined)
      this.#report(path, `The limit "${data.id}" names neither calls nor concurrent`);
    const rate =
      calls === undefined ? null : { calls, perMs: (data.perSeconds ?? 60) * 1_000, burst: data.burst ?? calls };
    const tools = this.#globs(data.tool, [...path, "tool"]);
    const { line } = this.#place(path);
    return { id: data.id, line, tools, scope: data.scope ?? "session", rate, concurrent: concurrent ?? null };
  }

  #rule(data: RuleData, path: FilePath): Rule {
    const { assigns, redirect } = data;
    const aboutCommands = data.command !== undefined || data.options !== undefined;
    if (assigns !== undefined && (aboutCommands || redirect !== undefined || data.paths !== undefined)) {
      this.#report(
        [...path, "assigns"],
        'A rule with "assigns" has no "command", "options", "paths" or "redirect": write two rules',
      );
    }
    if (data.does !== undefined && (assigns !== undefined || redirect !== undefined)) {
      const other = assigns === undefined ? "redirect" : "assigns";
      const remedy = assigns === undefined ? `write "does: [read, write]" alone` : "write two rules";
      this.#report([...path, "does"], `A rule with "does" has no "${other}": ${remedy}`);
    }
    if (redirect !== undefined && aboutCommands)
      this.#report([...path, "redirect"], 'A rule with "redirect" has no "command" or "options": write two rules');
    return {
      id: data.id,
      effect: data.effect,
      line: this.#place(path).line,
      reason: data.reason ?? null,
      tools: this.#globs(data.tool, [...path, "tool"]),
      sessions: this.#globs(data.session, [...path, "session"]),
      arguments: (data.arguments ?? []).map((item, index) => this.#argument(item, [...path, "arguments", index])),
      commands: this.#commands(data.command, [...path, "command"]),
      options: this.#options(data.options, [...path, "options"]),
      does: this.#does(data.does, [...path, "does"]),
      paths: data.paths === undefined ? null : this.#paths(data.paths, [...path, "paths"]),
      redirect: redirect ?? null,
      assigns: this.#globs(assigns, [...path, "assigns"]),
    };
  }

  #argument(data: ArgumentConditionData, path: FilePath): ArgumentCondition {
    const patterns =
      data.regex === undefined
        ? null
        : listOf(data.regex).flatMap((source) => this.#pattern(source, [...path, "regex"]));
    return {
      ...this.#paths(data, path),
      at: this.#pointer(data.at, [...path, "at"]) ?? [],
      equals: data.equals === undefined ? null : { value: data.equals },
      patterns,
      exists: data.exists ?? null,
    };
  }

  #pattern(source: string, path: FilePath): readonly SchemaPattern[] {
    const { patterns } = this.#readers;
    try {
      if (patterns !== null) return [patterns(source)];
      this.#report(path, needsPatterns);
    } catch (error) {
      this.#report(path, error instanceof Error ? error.message : String(error));
    }
    return [];
  }

  #paths(data: PathConditionData, path: FilePath): PathCondition {
    return {
      under: this.#folders(data.under, [...path, "under"]),
      outside: this.#folders(data.outside, [...path, "outside"]),
      globs: this.#globs(data.glob, [...path, "glob"]),
      in: this.#lists(data.in, [...path, "in"]),
      except: this.#lists(data.except, [...path, "except"]),
    };
  }

  #does(value: string | readonly string[] | undefined, path: FilePath): ReadonlySet<EffectKind> | null {
    if (value === undefined) return null;
    const kinds = listOf(value).flatMap((word) => {
      const kind = effectKinds.find((known) => known === word);
      if (kind === undefined) this.#report(path, unknownName("effect", word, effectKinds));
      return kind ?? [];
    });
    return new Set(kinds);
  }

  #lists(value: string | readonly string[] | undefined, path: FilePath): readonly PathList[] | null {
    if (value === undefined) return null;
    return listOf(value).flatMap((name) => {
      const list = pathList(name);
      if (list === undefined) this.#report(path, unknownName("list", name, pathListNames));
      return list ?? [];
    });
  }

  #folders(value: string | readonly string[] | undefined, path: FilePath): readonly string[] | null {
    if (value === undefined) return null;
    for (const folder of listOf(value)) {
      if (!/^(?:\.$|[.~]?\/)/.test(folder))
        this.#report(
          path,
          `"${folder}" is not an absolute directory: begin with "/" or "~/", or write "." for the working directory and "./${folder}" for one in it; a name anywhere is glob: "**/${folder}"`,
        );
      if (/[*?]/.test(folder)) this.#report(path, `"${folder}" has wildcards: use "glob" instead`);
    }
    return listOf(value);
  }

  #commands(value: string | readonly string[] | undefined, path: FilePath): readonly CommandPattern[] | null {
    return value === undefined ? null : listOf(value).flatMap((source) => this.#command(source, path) ?? []);
  }

  #command(source: string, path: FilePath): CommandPattern | undefined {
    const [first = "", ...rest] = source.trim().split(/\s+/);
    const open = rest.at(-1) === "**";
    const fixed = open ? rest.slice(0, -1) : rest;
    const gap = fixed.indexOf("**");
    if (first === "" || first === "**" || (gap >= 0 && fixed.indexOf("**", gap + 1) > 0) || fixed.at(-1) === "**") {
      this.#report(
        path,
        `"${source}" is not a command: write a name, words, and "**" between words and at the end, once each`,
      );
      return undefined;
    }
    if (/["'$`;|&<>]/.test(source)) {
      this.#report(path, `"${source}" has shell syntax: write the words of one command as the program gets them`);
      return undefined;
    }
    const name = this.#glob(first, path);
    const globs = (list: readonly string[]): readonly Glob[] => list.flatMap((word) => this.#glob(word, path) ?? []);
    const words = globs(gap < 0 ? fixed : fixed.slice(0, gap));
    const later = globs(gap < 0 ? [] : fixed.slice(gap + 1));
    return name === undefined ? undefined : { source, name, words, later, open };
  }

  #options(value: string | readonly string[] | undefined, path: FilePath): readonly (readonly string[])[] | null {
    if (value === undefined) return null;
    return listOf(value).map((alternatives) => {
      const spellings = alternatives.split("|").map((spelling) => spelling.trim());
      const odd = spellings.find((spelling) => !/^[-+]+[^\s=]+$/.test(spelling));
      if (odd !== undefined)
        this.#report(path, `"${odd}" is not an option: write "-r" or "--recursive", alternatives with "|"`);
      return spellings;
    });
  }

  /** Warns about rules that have no effect or allow more than intended. */
  #warn(data: RuleData, policy: Policy, path: FilePath): void {
    const aboutShell = isAboutShell(data);
    const named = listOf(data.tool ?? []).filter((tool) => !/[*?]/.test(tool));
    const unread = named.filter((tool) => toolSettings(policy, tool)?.shell == null);
    const patterns = listOf(data.tool ?? []).filter((tool) => /[*?]/.test(tool));
    const readable = policy.tools.filter((settings) => settings.shell !== null);
    unread.push(
      ...patterns.filter((tool) => !readable.some(({ tools }) => meet(tools, this.#globs(tool, path) ?? []))),
    );
    if (aboutShell && unread.length > 0) {
      const message = `The tool "${unread.join('", "')}" has no shell text, so this rule never matches it: name it under "tools" with "shell"`;
      this.#advise([...path, "tool"], "no-shell-text", message);
    }
    if (aboutShell && data.effect !== "allow" && policy.opaque === "allow") {
      const message = `"opaque: allow" allows every text that hides a command from this rule: write "opaque: ask"`;
      this.#advise([...path, "effect"], "opaque-allowed", message);
    }
    if (data.effect !== "allow") return;
    this.#warnAboutText(data, policy, path);
    const loose = (data.arguments ?? []).findIndex((item) =>
      listOf(item.regex ?? []).some((source) => !source.startsWith("^") || !source.endsWith("$")),
    );
    if (loose >= 0) {
      this.#advise(
        [...path, "arguments", loose, "regex"],
        "not-anchored",
        "An expression that allows should begin with ^ and end with $",
      );
    }
  }

  /** A pattern for a whole shell text allows whatever else the text contains: `^git .*` matches `git x; rm y`. */
  #warnAboutText(data: RuleData, policy: Policy, path: FilePath): void {
    const tools = this.#globs(data.tool ?? "*", path) ?? [];
    (data.arguments ?? []).forEach((item, index) => {
      const at = parsePointer(item.at)?.join("/");
      const isText = policy.tools.some((settings) => settings.shell?.join("/") === at && meet(settings.tools, tools));
      if (!isText || (item.glob === undefined && item.regex === undefined)) return;
      const message = `This allows every command of a text that matches: use "command", which checks each one`;
      this.#advise([...path, "arguments", index], "whole-text", message);
    });
  }
}

const unknownName = (what: string, word: string, known: readonly string[]): string =>
  `Unknown ${what} "${word}": ${didYouMean(word, known) ?? `wanted one of ${known.join(", ")}`}`;

/** Could one tool match both lists? Compares the sources, so wildcards on both sides can be missed. */
const meet = (left: readonly Glob[], right: readonly Glob[]): boolean =>
  left.some((one) => right.some((other) => one.matches(other.source) || other.matches(one.source)));

/**
 * Settings of a tool; undefined if there are none. Each key comes from the first entry that has it, entries of the policy before
 * built-in ones: an entry with only a time limit keeps the built-in pointer to the shell text.
 */
export function toolSettings(policy: Policy, tool: string): ToolFacts | undefined {
  const entries = policy.tools.filter((settings) => settings.tools.some((glob) => glob.matches(tool)));
  if (entries.length === 0) return undefined;
  const first = <Key extends keyof ToolFacts>(key: Key): ToolFacts[Key] | null =>
    entries.find((entry) => entry[key] !== null)?.[key] ?? null;
  return { shell: first("shell"), directories: first("directories"), timeoutMs: first("timeoutMs") };
}
