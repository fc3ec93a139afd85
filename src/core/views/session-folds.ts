/** The folds of one session, in the order in which they need each other: approvals, then status and chat, then events; what it cost, and what is about to be called. */
import { builtInAgents } from "../agents/built-in-agents.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import { ApprovalFold, type ApprovalFoldState } from "../approvals/approval-fold.ts";
import { ChatFold, type ChatFoldState } from "../chat/chat-fold.ts";
import { SessionEvents, type SessionEventsOptions, type SessionEventsState } from "../events/session-events.ts";
import type { TaggedEvent } from "../events/tagged-event.ts";
import { StatusFold, type StatusFoldState } from "../status/status-fold.ts";
import type { ViewChange } from "./change.ts";
import type { Step } from "../observe/step.ts";
import { IntentFold, type Intent } from "../intents/intent-fold.ts";
import { UsageFold, type SessionUsage } from "../usage/usage-fold.ts";

export interface SessionFoldsOptions {
  /** The agents that are recognised, and how their screens are read. Default: the built-in ones. */
  readonly agents?: AgentRegistry;
  readonly events?: SessionEventsOptions;
}

/** Plain data. */
export interface SessionFoldsState {
  readonly events: SessionEventsState;
  readonly approvals: ApprovalFoldState;
  readonly status: StatusFoldState;
  readonly chat: ChatFoldState;
  readonly usage: SessionUsage | null;
  /** Missing in what an older version saved. */
  readonly intents?: readonly Intent[];
  readonly place: Place;
}

/** Where and when the last step was. */
interface Place {
  readonly offset: number;
  readonly timeUs: number;
}

export class SessionFolds {
  readonly #events: SessionEvents;
  readonly #approvals: ApprovalFold;
  readonly #status: StatusFold;
  readonly #chat: ChatFold;
  readonly #usage: UsageFold;
  readonly #intents: IntentFold;
  #place: Place;

  constructor(options: SessionFoldsOptions, state?: SessionFoldsState) {
    this.#events = new SessionEvents(options.events, state?.events);
    const { agents = builtInAgents } = options;
    this.#approvals = new ApprovalFold(state?.approvals, agents);
    this.#status = new StatusFold(state?.status, agents);
    this.#chat = new ChatFold(state?.chat, agents);
    this.#usage = new UsageFold(state?.usage);
    this.#intents = new IntentFold(state?.intents);
    this.#place = state?.place ?? { offset: 0, timeUs: 0 };
  }

  get wakeUs(): number | null {
    const times = [this.#events.wakeUs, this.#approvals.wakeUs, this.#status.wakeUs, this.#chat.wakeUs];
    return times.reduce((one, other) => (one === null || other === null ? (one ?? other) : Math.min(one, other)), null);
  }

  /** What is needed to say which keys answer the approval that stands, and what was typed and not entered. */
  get approvals(): Pick<ApprovalFold, "open" | "foreground" | "keysFor" | "draftContext"> {
    return this.#approvals;
  }

  output(bytes: Uint8Array, offset: number, timeUs: number): ViewChange[] {
    return this.#events.output(bytes, offset, timeUs).map((event) => eventChange(event, timeUs));
  }

  step(step: Step): ViewChange[] {
    this.#place = placeOf(step, this.#place);
    const place = this.#place;
    const changes: ViewChange[] = [];
    // A question is known before the step that shows it: otherwise a status would be told that lasts no time.
    const steps: Step[] = [];
    for (const approval of this.#approvals.step(step)) {
      changes.push({ kind: "approval", ...place, approval });
      steps.push({ type: "approval", approval });
    }
    for (const each of [...steps, step]) {
      for (const status of this.#status.step(each)) changes.push({ kind: "status", ...place, status });
      for (const message of this.#chat.step(each)) changes.push({ kind: "message", ...place, message });
    }
    for (const usage of this.#usage.step(step)) changes.push({ kind: "usage", ...place, usage });
    for (const intents of this.#intents.step(step)) changes.push({ kind: "intents", ...place, intents });
    for (const event of this.#eventsOf(step)) changes.push(eventChange(event, place.timeUs));
    return changes;
  }

  save(): SessionFoldsState {
    return {
      events: this.#events.save(),
      approvals: this.#approvals.save(),
      status: this.#status.save(),
      chat: this.#chat.save(),
      usage: this.#usage.save(),
      intents: this.#intents.save(),
      place: this.#place,
    };
  }

  #eventsOf(step: Step): readonly TaggedEvent[] {
    switch (step.type) {
      case "start":
        this.#events.start(step.eventNonce ?? null);
        return [];
      case "input":
        this.#events.input(step.bytes);
        return [];
      case "frame":
        return this.#chat.changedRows.flatMap(({ rows, message, role }) =>
          this.#events.see(rows, {
            scope: message,
            isAssistant: role === "assistant",
            offset: step.frame.offset,
          }),
        );
      case "mark":
        return this.#mark(step);
      case "tick":
        return this.#events.tick(step.timeUs);
      case "exit":
        return this.#events.end();
      default:
        return [];
    }
  }

  #mark({ event, offset, end }: Extract<Step, { type: "mark" }>): TaggedEvent[] {
    if (event.type === "event-schema") this.#events.schema(event.name, event.schema);
    if (event.type !== "event") return [];
    const { name, payload, carrier, trust } = event;
    const text = JSON.stringify(payload);
    return [this.#events.sent({ name, text, id: `${carrier}:${offset}`, carrier, trust, offset, end })];
  }
}

/** A change belongs behind what made it. Time alone makes no offset. */
function placeOf(step: Step, last: Place): Place {
  switch (step.type) {
    case "osc":
      return { offset: step.sequence.end, timeUs: step.timeUs };
    case "frame":
      return { offset: step.frame.offset, timeUs: step.frame.timeUs };
    case "tick":
      return { ...last, timeUs: step.timeUs };
    case "approval":
      return last;
    case "mark":
    case "shell-mark":
      return { offset: step.end, timeUs: step.timeUs };
    default:
      return { offset: step.offset, timeUs: step.timeUs };
  }
}

const eventChange = (event: TaggedEvent, timeUs: number): ViewChange => ({
  kind: "event",
  offset: event.end,
  timeUs,
  event,
});
