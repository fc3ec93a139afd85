/** The change of an agent's edit tool as the lines of a diff, from the arguments of the call. Pure. */
import { jsonValueOf } from "../../core/json/json-value.ts";

/** Unchanged lines that are shown around a change. */
const CONTEXT_LINES = 3;

/** Undefined if these are not the arguments of an edit tool. */
export function diffOfInput(input: string): string | undefined {
  const value = jsonValueOf(input);
  if (typeof value !== "object" || value === null) return undefined;
  const { file_path: file, path, edits } = value as Readonly<Record<string, unknown>>;
  const changes = (Array.isArray(edits) ? edits : [value]).map(changeOf);
  if (changes.length === 0 || changes.includes(undefined)) return undefined;
  const name = [file, path].find((each) => typeof each === "string");
  const head = name === undefined ? [] : [`@@ ${name} @@`];
  return [...head, ...changes.flatMap((change) => change ?? [])].join("\n");
}

/** `old_string` and `new_string` (Claude Code, Gemini CLI, Qwen Code), `oldText` and `newText` (pi), `oldString` and `newString` (opencode). */
function changeOf(value: unknown): string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const facts = value as Readonly<Record<string, unknown>>;
  const old = facts["old_string"] ?? facts["oldText"] ?? facts["oldString"];
  const next = facts["new_string"] ?? facts["newText"] ?? facts["newString"];
  return typeof old === "string" && typeof next === "string" ? changedLines(old, next) : undefined;
}

/** Keeps the common lines at the beginning and the end; everything between is removed and added. */
function changedLines(old: string, next: string): string[] {
  const before = old === "" ? [] : old.split("\n");
  const after = next === "" ? [] : next.split("\n");
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  const kept = (lines: readonly string[]): string[] => lines.map((line) => ` ${line}`);
  return [
    ...kept(before.slice(Math.max(0, head - CONTEXT_LINES), head)),
    ...before.slice(head, before.length - tail).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...kept(before.slice(before.length - tail).slice(0, CONTEXT_LINES)),
  ];
}
