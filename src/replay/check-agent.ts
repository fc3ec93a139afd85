/** Plays a recording to the rules of one agent: what they read, frame by frame, and which of them never fit. */
import type { Agent } from "../core/agents/agent.ts";
import type { AgentFile } from "../core/agents/agent-file.ts";
import { builtInAgents } from "../core/agents/built-in-agents.ts";
import { compileAgent } from "../core/agents/compile.ts";
import { AgentRegistry } from "../core/agents/registry.ts";
import { userPattern } from "../core/agents/user-agents.ts";
import type { StatusState } from "../core/status/status.ts";
import type { ViewChange } from "../core/views/change.ts";
import { readRules, type RuleReading, type WatchedRules } from "../core/views/rule-readings.ts";
import { SessionView } from "../core/views/session-view.ts";
import { decodeMark } from "../protocol/payloads.ts";
import type { JournalRecord } from "../protocol/records.ts";
import { playRecord } from "../live/view-steps.ts";
import { framesOf } from "./recorded-frames.ts";

/** What the rules read, and the state that a session with this screen has. */
export interface CheckReading extends RuleReading {
  /** `by`: the rule or the kind of signal that decided, null if none did. Null before the first state. */
  readonly status: { readonly state: StatusState; readonly by: string | null } | null;
}

/** Longer than any pause between two frames. */
const settleMs = 1000;

export interface AgentCheck {
  readonly agent: string;
  readonly frames: number;
  /** One for each frame that changed what the rules read, and for each change of the state between frames. */
  readonly readings: readonly CheckReading[];
  /** Rules that fitted in no frame, such as `screen.spinner`. */
  readonly unused: readonly string[];
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
  const readings: CheckReading[] = [];
  const statuses = statusesIn(records, file);
  let status: StatusChange | undefined;
  let last: RuleReading | null = null;
  let shown = "";
  let frames = 0;
  const add = (reading: RuleReading): void => {
    const next = { ...reading, status: status === undefined ? null : stateIn(status, reading) };
    const words = JSON.stringify({ ...next, timeUs: 0, offset: 0 });
    if (words !== shown) readings.push(next);
    shown = words;
  };
  /** The status that follows from a frame belongs to it; one that time alone has changed is a reading of its own. */
  const follow = (to: { readonly offset: number; readonly timeUs: number }): void => {
    while (statuses[0] !== undefined && statuses[0].timeUs <= to.timeUs && statuses[0].offset <= to.offset) {
      status = statuses.shift();
      const { offset, timeUs } = status ?? to;
      if (last !== null && timeUs < to.timeUs) add({ ...last, offset, timeUs });
    }
  };
  for (const frame of framesOf(records)) {
    frames += 1;
    follow(frame);
    const reading = readRules(frame, rules);
    if (reading.title !== null) used.add(`titles.${reading.title.rule}`);
    if (reading.screen !== null) used.add(`screen.${reading.screen.rule.replaceAll(" ", "-")}`);
    for (const { rule } of reading.rows) if (rule !== null) used.add(`chat.rows.${rule}`);
    add(reading);
    last = reading;
  }
  follow({ offset: Infinity, timeUs: Infinity });
  return { agent: file.name, frames, readings, unused: rulesOf(rules.agent, file).filter((name) => !used.has(name)) };
}

type StatusChange = Extract<ViewChange, { readonly kind: "status" }>;

/** What a session reports that runs this agent. */
function statusesIn(records: readonly JournalRecord[], file: AgentFile): StatusChange[] {
  const generic = builtInAgents.named("generic");
  const agent = compileAgent(file, { compile: userPattern });
  const agents = new AgentRegistry(generic === undefined || agent.name === generic.name ? [agent] : [agent, generic]);
  const view = new SessionView({ columns: 80, rows: 24, agents });
  const [first] = records;
  const { offset = 0, timeUs = 0 } = first ?? {};
  const changes = [
    ...view.step({ type: "start", command: [], agent: file.name, offset, timeUs }),
    ...records.flatMap((record) => playRecord({ view, agent: file.name }, record)),
    // Nothing follows: what stands there is the last frame.
    ...view.advance((records.at(-1)?.timeUs ?? 0) + settleMs * 1000),
  ];
  view.dispose();
  return changes.filter((change) => change.kind === "status");
}

function stateIn({ status }: StatusChange, { dialog, screen, title }: RuleReading): CheckReading["status"] {
  const signal = status.evidence.find(({ isDecisive }) => isDecisive)?.signal ?? null;
  const { state } = status;
  if (signal === "title" && title !== null) return { state, by: `title.${title.rule}` };
  if (signal !== "screen") return { state, by: signal };
  if (status.approval !== null) return { state, by: "dialog" };
  return { state, by: screen === null || dialog !== null ? signal : `screen.${screen.rule}` };
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

const rulesOf = ({ titles, line }: Agent, { screen = {}, chat = {} }: AgentFile): string[] => [
  ...(line === null ? [] : ["screen.line"]),
  ...titles.map(({ name }) => `titles.${name}`),
  ...Object.keys(screen).map((name) => `screen.${name}`),
  ...Object.keys(chat.rows ?? {}).map((name) => `chat.rows.${name}`),
];
