/** What the tools of known agents beside the shell do: a table of their arguments. */
import type { ProgramEffect } from "./effects.ts";
import type { EffectKind } from "./program-entry.ts";
import { patchFiles } from "./patch-files.ts";
import { parsePointer, selectLeaves, type Leaf } from "./pointers.ts";
import { literalWord, unknownWord, type ShellWord } from "./shell-words.ts";
import type { JudgedCall } from "./tool-call.ts";

interface KnownTool {
  readonly does: readonly EffectKind[];
  /** Pointers to paths or addresses; each that is there counts, because agents name one argument in several ways. */
  readonly at: readonly string[];
  /** It walks the folder at the path; without a path, that of the session. */
  readonly walks?: true;
  /** Pointers to patterns of names, which begin in the folder that is walked. */
  readonly patterns?: readonly string[];
}

const paths = ["/file_path", "/filePath", "/path", "/absolute_path", "/notebook_path"];
const folders = [...paths, "/dir_path", "/directory"];

/** Claude Code, Codex, Gemini CLI, Qwen Code, opencode, pi and Copilot CLI, by the names of their tools. */
const tools: ReadonlyMap<string, KnownTool> = new Map(
  Object.entries<KnownTool>({
    "Read NotebookRead read read_file view view_image": { does: ["read"], at: paths },
    read_many_files: { does: ["read"], at: ["/paths/*", "/include/*"] },
    "Write Edit MultiEdit NotebookEdit write edit write_file edit_file replace create": { does: ["write"], at: paths },
    "LS ls list list_directory": { does: ["list"], at: folders, walks: true },
    "Glob glob find": { does: ["list"], at: folders, walks: true, patterns: ["/pattern"] },
    "Grep grep search_file_content grep_search": {
      does: ["read"],
      at: folders,
      walks: true,
      patterns: ["/glob", "/include", "/file_pattern"],
    },
    "WebFetch WebSearch webfetch websearch web_fetch google_web_search fetch": { does: ["network"], at: ["/url"] },
  }).flatMap(([names, tool]) => names.split(" ").map((name) => [name, tool])),
);

/** Arguments with which an agent leaves its own sandbox for one call, and the values with which it stays: Claude Code and Codex. */
const wallArguments: readonly (readonly [pointer: string, harmless: RegExp])[] = [
  ["/dangerouslyDisableSandbox", /^(?:f|F|0|$)/],
  ["/sandbox_permissions", /^(?:u|$)/],
  ["/with_escalated_permissions", /^(?:f|F|0|$)/],
];

/**
 * Undefined: what the tool does is not known.
 * `toolEffects({ name: "Read", arguments: { file_path: "a.ts" } }); // one effect, of the kind "read"`
 */
export function toolEffects(call: Pick<JudgedCall, "name" | "arguments">): readonly ProgramEffect[] | undefined {
  if (call.name === "apply_patch") return patchEffects(call.arguments);
  const tool = tools.get(call.name);
  if (tool === undefined) return undefined;
  const { does, patterns = [], walks } = tool;
  const named = tool.at.flatMap((pointer) => wordsAt(call.arguments, pointer));
  const targets = named.length > 0 ? named : [walks === true ? literalWord(".") : unknownWord("(no path)")];
  const isNetwork = does.includes("network");
  const given: readonly ShellWord[] = isNetwork && named.length === 0 ? [] : targets;
  return does.flatMap((kind) => [
    ...(isNetwork && given.length === 0 ? [effect(kind, null)] : []),
    ...given.map((target) => ({ ...effect(kind, target), ...(walks === true && { tree: "below" as const }) })),
    ...patterns.flatMap((pointer) =>
      wordsAt(call.arguments, pointer).flatMap((word) => patternWords(word).map((each) => effect(kind, each))),
    ),
  ]);
}

/** What the arguments of a call, of any tool, do to the walls that the agent has itself. */
export const wallEffects = (value: unknown): readonly ProgramEffect[] =>
  wallArguments.flatMap(([pointer, harmless]) =>
    leavesAt(value, pointer)
      .filter((leaf) => leaf.value !== null && !harmless.test(String(leaf.value)))
      .map((leaf) => effect("settings", literalWord(`${pointer.slice(1)}: ${String(leaf.value)}`))),
  );

const effect = (kind: EffectKind, target: ShellWord | null): ProgramEffect => ({
  kind,
  target,
  text: target?.text ?? "",
});

const leavesAt = (value: unknown, pointer: string): readonly Leaf[] =>
  selectLeaves(value, parsePointer(pointer) ?? []).leaves;

/** Agents cut white space and an `@` at the beginning, or they do not. */
const wordsAt = (value: unknown, pointer: string): readonly ShellWord[] =>
  leavesAt(value, pointer).flatMap((leaf) => {
    if (typeof leaf.value !== "string") return leaf.value === null ? [] : [unknownWord(String(leaf.value))];
    const bare = leaf.value.trim().replace(/^@\s*/, "");
    return [...new Set([leaf.value, bare])].map((text) => literalWord(text));
  });

/** A pattern may name each file that fits it: with braces, one that fits one of its forms. */
function patternWords({ text, value = "*" }: ShellWord): readonly ShellWord[] {
  const [, start = "", inner = "", end = ""] = /^([^{}]*)\{([^{}]*)\}([^{}]*)$/.exec(value) ?? [];
  const forms = inner === "" ? [value] : inner.split(",").map((part) => `${start}${part}${end}`);
  return forms.map((form) => {
    const shape = form.replaceAll(/[{}]+|\[[^\]]*\]|[*?]+/g, "*");
    return shape.includes("*") ? { text, value: undefined, path: shape } : literalWord(form, text);
  });
}

/** The text of the patch is the whole value or a member of it. */
function patchEffects(value: unknown): readonly ProgramEffect[] {
  const { leaves, overflow } = selectLeaves(value, []);
  const patches = leaves.flatMap((leaf) => (typeof leaf.value === "string" ? [patchFiles(leaf.value)] : []));
  const isWhole = patches.length > 0 && patches.length === leaves.length && !overflow;
  return [
    ...(isWhole && patches.every((patch) => patch.isWhole) ? [] : [effect("unknown", null)]),
    ...patches.flatMap(({ files }) => files.map(({ kind, path }) => effect(kind, literalWord(path)))),
  ];
}
