/** What a tool does, as clients choose its icon, by the names that agents give their tools. */

export type ToolKind = "read" | "edit" | "delete" | "search" | "execute" | "fetch" | "other";

const kinds: readonly (readonly [RegExp, ToolKind])[] = [
  [/bash|shell|exec|command|terminal|^run/i, "execute"],
  [/fetch|web|browse|http/i, "fetch"],
  [/delete|remove/i, "delete"],
  [/edit|write|patch|replace|create|update/i, "edit"],
  [/grep|glob|search|find|^ls$|list/i, "search"],
  [/read|view|cat|open/i, "read"],
];

export const toolKind = (name: string): ToolKind => kinds.find(([names]) => names.test(name))?.[1] ?? "other";
