/** Plays a recording to the rules of one agent: what they read, frame by frame, and which of them never fit. */
import type { Agent } from "../core/agents/agent.ts";
import type { AgentFile } from "../core/agents/agent-file.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import { compileAgent } from "../core/agents/compile.ts";
import type { AgentRegistry } from "../core/agents/registry.ts";
import { userPattern } from "../core/agents/user-agents.ts";
import { FrameReader, type Frame } from "../core/screen/frame.ts";
import { Screen } from "../core/screen/screen.ts";
import { readRules, type RuleReading, type WatchedRules } from "../core/views/rule-readings.ts";
import { decodeMark } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { batchOf } from "../live/view-batch.ts";

export interface AgentCheck {
  readonly agent: string;
  readonly frames: number;
  /** One for each frame that changed what the rules read. */
  readonly readings: readonly RuleReading[];
  /** Rules that fitted in no frame, such as `screen.spinner`. */
  readonly unused: readonly string[];
}

/** All frames of a recording. */
function* framesOf(records: readonly JournalRecord[]): Generator<Frame> {
  const reader = new FrameReader(new Screen({ columns: 80, rows: 24 }));
  for (const record of records) {
    yield* reader.settle(record.timeUs);
    if (record.type === "output") yield* reader.output(record.payload, record.offset, record.timeUs).frames;
    for (const { type, columns, rows } of batchOf([record], record.offset, []).pieces)
      if (type === "resize") yield* reader.resize(columns, rows);
    const mark = record.type === "mark" ? decodeMark(record.payload) : null;
    if (mark?.type === "session-start") yield* reader.resize(mark.columns, mark.rows);
  }
  yield* reader.settle(Infinity);
}

/** The agent that a recording shows first; null if it shows none that is known. */
export function agentIn(records: readonly JournalRecord[], agents: AgentRegistry): string | null {
  for (const record of records) {
    const mark = record.type === "mark" ? decodeMark(record.payload) : null;
    const agent = mark?.type === "session-start" ? agents.ofArguments(mark.command) : null;
    if (agent !== null) return agent;
  }
  for (const frame of framesOf(records)) {
    const agent = agents.ofTitle(frame.title)?.name ?? agents.onScreen(frame)?.agent;
    if (agent !== undefined) return agent;
  }
  return null;
}

/** `command` is the line that started the agent: it decides between variants. */
export function checkAgent(records: readonly JournalRecord[], file: AgentFile, command = ""): AgentCheck {
  const used = new Set<string>();
  const rules = watched(file, command);
  const readings: RuleReading[] = [];
  let last = "";
  let frames = 0;
  for (const frame of framesOf(records)) {
    frames += 1;
    const reading = readRules(frame, rules);
    if (reading.title !== null) used.add(`titles.${reading.title.rule}`);
    if (reading.screen !== null) used.add(`screen.${reading.screen.rule.replaceAll(" ", "-")}`);
    for (const { rule } of reading.rows) if (rule !== null) used.add(`chat.rows.${rule}`);
    const shown = JSON.stringify({ ...reading, timeUs: 0, offset: 0 });
    if (shown !== last) readings.push(reading);
    last = shown;
  }
  return { agent: file.name, frames, readings, unused: rulesOf(rules.agent, file).filter((name) => !used.has(name)) };
}

function watched(file: AgentFile, command: string): WatchedRules {
  let rule: string | null = null;
  const agent = compileAgent(file, { compile: userPattern, onRule: (name) => (rule = name) });
  const variant = agent.variants.find((each) => each.command.test(command));
  const chat = variant?.chat ?? agent.chat ?? builtInAgents.chatOf(file.name, command);
  return {
    agent,
    chat,
    takeRule: () => {
      const taken = rule;
      rule = null;
      return taken;
    },
  };
}

const rulesOf = ({ titles }: Agent, { screen = {}, chat = {} }: AgentFile): string[] => [
  ...titles.map(({ name }) => `titles.${name}`),
  ...Object.keys(screen).map((name) => `screen.${name}`),
  ...Object.keys(chat.rows ?? {}).map((name) => `chat.rows.${name}`),
];
