/** Recordings through the composition that ships: a `SessionView`, fed as the daemon feeds it, with the ticks that it asks for. */
import { orderOf, type ChatMessage } from "../src/core/chat/message.ts";
import type { Step } from "../src/core/observe/step.ts";
import type { SessionEvent } from "../src/core/records.ts";
import type { ViewChange } from "../src/core/views/change.ts";
import { SessionReducers } from "../src/core/views/session-reducers.ts";
import { SessionView } from "../src/core/views/session-view.ts";
import { partsOf, type CastEvent } from "./frames.ts";

export interface ReplayOptions {
  /** The command that the session starts with; without one it has begun before. */
  readonly command?: readonly string[];
  /** Its user has given a schema, which allows all, for these events. */
  readonly eventNames?: readonly string[];
  /** What the gateway recorded meanwhile, in order of time. */
  readonly marks?: readonly { readonly seconds: number; readonly event: SessionEvent }[];
  /** Offsets at which records of output are cut in pieces. */
  readonly cutsAt?: readonly number[];
  /** Until when time goes on without output, seconds. */
  readonly untilSeconds?: number;
  /** The program ends 10 s after the last event. */
  readonly exits?: boolean;
}

interface Recorded {
  readonly columns: number;
  readonly rows: number;
  readonly events: readonly CastEvent[];
}

/** What the views of a recorded session report, in order. */
export function replay({ events, ...size }: Recorded, options: ReplayOptions = {}): ViewChange[] {
  const view = new SessionView(size);
  const changes: ViewChange[] = [];
  const cutsAt = (options.cutsAt ?? []).toSorted((one, two) => one - two);
  let offset = 0;
  let timeUs = 0;
  if (options.command !== undefined)
    changes.push(...view.step({ type: "start", command: options.command, offset, timeUs }));
  for (const name of options.eventNames ?? []) {
    const event = { type: "event-schema", name, schema: {} } as const;
    changes.push(...view.step({ type: "mark", event, offset, end: offset, timeUs }));
  }
  const marks = [...(options.marks ?? [])];
  for (const [seconds, type, data] of events) {
    while ((marks[0]?.seconds ?? Infinity) <= seconds) {
      const { seconds: at = 0, event } = marks.shift() ?? {};
      if (event !== undefined)
        changes.push(...view.step({ type: "mark", event, offset, end: offset, timeUs: Math.round(at * 1e6) }));
    }
    timeUs = Math.round(seconds * 1e6);
    const bytes = new TextEncoder().encode(data);
    if (type === "o") {
      for (const part of partsOf(bytes, offset, cutsAt)) {
        changes.push(...view.output(part, offset, timeUs).changes);
        offset += part.length;
      }
    } else if (type === "i") changes.push(...view.step({ type: "input", bytes, isSecret: false, offset, timeUs }));
    else if (type === "r") {
      const [columns = 80, rows = 24] = data.split("x").map(Number);
      changes.push(...view.resize(columns, rows, timeUs));
    }
  }
  if (options.untilSeconds !== undefined) changes.push(...view.advance(options.untilSeconds * 1e6));
  if (options.exits === true)
    changes.push(...view.step({ type: "exit", code: 0, signal: null, offset, timeUs: timeUs + 10_000_000 }));
  view.dispose();
  return changes;
}

/** Messages as they stand at the end, with their tags, in order of appearance. */
export function messagesIn(changes: readonly ViewChange[]): ChatMessage[] {
  const messages = new Map<string, ChatMessage>();
  for (const change of changes) {
    if (change.kind !== "message") continue;
    const { rawText, ...message } = change.message;
    messages.set(message.id, { ...message, text: rawText ?? message.text });
  }
  return [...messages.values()].toSorted((one, other) => orderOf(one) - orderOf(other));
}

/** The messages of steps. `restore`: the reducers are saved and made anew before each step. */
export function messagesOf(steps: readonly Step[], { restore = false } = {}): ChatMessage[] {
  let reducers = new SessionReducers();
  return messagesIn(
    steps.flatMap((step) => {
      if (restore) reducers = new SessionReducers({}, JSON.parse(JSON.stringify(reducers.save())));
      return reducers.step(step);
    }),
  );
}
