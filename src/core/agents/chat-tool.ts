/** Name and input of a tool, out of the text of its call. */
import type { ToolData } from "./agent-file.ts";
import { expand, replaceFirst, type CompilePattern } from "./pattern.ts";

export interface ShownTool {
  readonly name: string;
  readonly input: string | null;
}

export type ReadTool = (text: string) => ShownTool;

export function compileTool(data: ToolData, compile: CompilePattern): ReadTool {
  const { joinLines = false, jsonArgument = false, shellName = "shell" } = data;
  const calls = Object.values(data.calls ?? {}).map(({ pattern, ...rest }) => ({ ...rest, pattern: compile(pattern) }));
  const cut = data.cut === undefined ? null : compile(data.cut);
  return (given) => {
    const text = joinLines ? given.replaceAll("\n", " ") : given;
    for (const { pattern, name, input } of calls) {
      const match = pattern.exec(text);
      if (match !== null) return { name: expand(name, match), input: expand(input, match) };
    }
    const tool = toolOf(text, shellName);
    const { name, input } = tool;
    const value = jsonArgument && input !== null ? firstArgument(input) : undefined;
    if (value !== undefined) return { name, input: value };
    return cut === null || input === null ? tool : { name, input: replaceFirst(input, cut, "") };
  };
}

/** `name(input)`, `Name input` or `$ command`: how most agents show a tool. */
export function toolOf(text: string, shellName = "shell"): ShownTool {
  const lines = text.split("\n");
  const command = lines.find((line) => line.startsWith("$ "));
  if (command !== undefined) {
    const at = text.indexOf(command);
    return { name: shellName, input: text.slice(at + 2).trim() };
  }
  const call = /^([\w.-]+)\(([\s\S]*?)\)?$/.exec(text.trim());
  if (call !== null) return { name: call[1] ?? "", input: call[2] ?? null };
  const words = /^(\S+)\s+([\s\S]+)$/.exec(text.trim());
  return words === null ? { name: text.trim(), input: null } : { name: words[1] ?? "", input: words[2] ?? null };
}

/** The first argument of a call that is shown as JSON, maybe cut at the end of the row. */
function firstArgument(input: string): string | undefined {
  const value = /^\{"\w+":"((?:[^"\\]|\\.)*)/.exec(input.replaceAll("\n", " "))?.[1];
  return value?.replaceAll(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}
