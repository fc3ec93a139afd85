/** How the conversation with an agent is read from its screen, compiled from an agent file. */
import type { ChatData } from "./agent-file.ts";
import { compileRows, type ReadRow } from "./chat-rows.ts";
import { compileTool, type ReadTool } from "./chat-tool.ts";
import { compileWindow, type FindWindow } from "./chat-window.ts";
import type { CompilePattern, Pattern } from "./pattern.ts";
import { RowTests } from "./row-test.ts";

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
