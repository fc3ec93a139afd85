/** How the conversation with an agent is read from its screen, compiled from an agent file. */
import type { ChatData, ToolData } from "./agent-file.ts";
import { compileRows, type ReadRow } from "./chat-rows.ts";
import { compileWindow, type FindWindow } from "./chat-window.ts";
import { type CompilePattern, type Pattern, expand, replaceFirst } from "./pattern.ts";
import { RowTests } from "./row-test.ts";

interface ShownTool {
  readonly name: string;
  readonly input: string | null;
}

type ReadTool = (text: string) => ShownTool;

export interface ChatRules {
  /** Its own among all rules: the agent's name, or with that of a variant, `opencode-mini`. */
  readonly name: string;
  /** As in `ChatMessage.agent`. */
  readonly agent: string;
  /** Columns at the right edge to which the agent never writes text. */
  readonly margin: number;
  /** It breaks words behind these. */
  readonly breaksBehind: Pattern | null;
  /** Marks that blink or change while a row stays the same row. Not counted when rows are compared; a group in it is. */
  readonly changing: Pattern | null;
  /** Answers have no mark: what is in front of the first prompt is a welcome. */
  readonly hasPlainAnswers: boolean;
  /** Calls are shown while their input still grows, maybe in another form. */
  readonly streamsCalls: boolean;
  /** What ran is printed while it is still drawn: the same call is shown twice, and a redraw can leave rows or erase too many. */
  readonly printsTwice: boolean;
  /** Text of a tool call that still runs, if the agent shows it again as a new one when it has run. */
  readonly pending: Pattern | null;
  readonly window: FindWindow;
  readonly read: ReadRow;
  readonly tool: ReadTool;
}

export interface ChatRulesOptions {
  readonly name: string;
  readonly agent: string;
  readonly compile: CompilePattern;
  readonly onRule?: (name: string) => void;
}

/** Throws for a pattern that is not valid and a mark that is not defined. */
export function compileChat(data: ChatData, { name, agent, compile, onRule }: ChatRulesOptions): ChatRules {
  const { margin = 0, indent = 0, window = {} } = data;
  const pattern = (source: string | undefined): Pattern | null => (source === undefined ? null : compile(source));
  const tests = new RowTests(data.marks ?? {}, compile);
  const scrollbar = pattern(data.scrollbar);
  return {
    name,
    agent,
    margin,
    breaksBehind: pattern(data.breaksBehind),
    changing: pattern(data.changing),
    hasPlainAnswers: data.plainAnswers ?? false,
    streamsCalls: data.streamsCalls ?? false,
    printsTwice: data.printsTwice ?? false,
    pending: pattern(data.pending),
    window: compileWindow(window, tests, { compile, hasScrollbar: scrollbar !== null }),
    read: compileRows(data.rows ?? {}, { tests, compile, indent, scrollbar, ...(onRule && { onRule }) }),
    tool: compileTool(data.tool ?? {}, compile),
  };
}

/** Name and input of a tool, out of the text of its call. */
function compileTool(data: ToolData, compile: CompilePattern): ReadTool {
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
