/** What the rules of one agent read from a screen: for people who write them. */
import type { Agent, LineRules } from "../agents/agent.ts";
import { cursorLine } from "../agents/cursor-line.ts";
import type { AgentState } from "../agents/agent-file.ts";
import { blockStarts } from "../agents/block-starts.ts";
import type { ChatRules } from "../agents/chat-rules.ts";
import type { ChatWindow } from "../agents/chat-window.ts";
import type { RowRole } from "../agents/chat-rows.ts";
import { screenRuleOf, titleRuleOf } from "../agents/fitting-rule.ts";
import { findInputBox, type InputBox } from "../agents/input-box.ts";
import { withoutRight } from "../agents/row-parts.ts";
import { readDialog } from "../dialogs/dialog.ts";
import type { Frame } from "../screen/frame.ts";

/** Rows are counted from 0. */
export interface RuleReading {
  readonly timeUs: number;
  readonly offset: number;
  /** The rule for titles that fits; `state` is null if it only shows which agent it is. */
  readonly title: { readonly rule: string; readonly state: AgentState | null; readonly text: string } | null;
  readonly screen: { readonly rule: string; readonly state: AgentState; readonly text: string } | null;
  readonly box: InputBox | null;
  readonly dialog: { readonly question: string; readonly options: readonly string[] } | null;
  /** Where the conversation is; null if it is not shown. */
  readonly window: ChatWindow | null;
  readonly rows: readonly RowRuleReading[];
}

export interface RowRuleReading {
  readonly row: number;
  /** Null if none fits: the row continues what is above. */
  readonly rule: string | null;
  readonly role: RowRole | null;
  readonly isStart: boolean;
  readonly text: string;
}

/** The rules of an agent, and which of them has fitted the row that was read last. */
export interface WatchedRules {
  readonly agent: Agent;
  readonly chat: ChatRules;
  /** The name of the rule since the last call; null if none fitted. */
  readonly takeRule: () => string | null;
}

export function readRules(frame: Frame, rules: WatchedRules): RuleReading {
  const { agent, chat } = rules;
  const { lines, offset, timeUs } = frame;
  const box = findInputBox(lines, agent.boxes);
  const dialog = readDialog(frame, { profile: agent, verdict: null, prompt: null, isAtShellPrompt: false });
  const window = agent.line === null ? chat.window(frame) : null;
  return {
    timeUs,
    offset,
    title: titleReading(frame, agent),
    screen: agent.line === null ? screenReading(frame, agent, box) : lineReading(frame, agent.line),
    box,
    dialog: dialog && { question: dialog.question, options: dialog.options.map(({ label }) => label) },
    window,
    rows: window === null ? [] : rowReadings(frame, window, rules),
  };
}

function titleReading({ title }: Frame, agent: Agent): RuleReading["title"] {
  const rule = titleRuleOf(agent, title);
  return rule === null ? null : { rule: rule.name, state: rule.says, text: title };
}

function screenReading({ lines }: Frame, agent: Agent, box: InputBox | null): RuleReading["screen"] {
  const found = screenRuleOf(agent, { lines, box });
  return found === null ? null : { rule: found.rule.name, state: found.rule.says, text: found.text };
}

/** Null where the agent works. */
function lineReading(frame: Frame, { prompt }: LineRules): RuleReading["screen"] {
  const match = prompt.exec(cursorLine(frame).before);
  return match === null ? null : { rule: "line", state: "waiting", text: match[0].trim() };
}

function rowReadings(frame: Frame, window: ChatWindow, { chat, takeRule }: WatchedRules): RowRuleReading[] {
  const { columns = frame.columns, from, to } = window;
  const starts = blockStarts(frame.lines, frame.scrolled);
  return frame.lines.slice(from, to).map((line, index) => {
    const { isStart = false, role, text } = chat.read(withoutRight(line, columns), columns, starts[from + index]);
    return { row: from + index, rule: takeRule(), role, isStart, text };
  });
}
