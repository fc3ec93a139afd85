/** The messages of an agent whose protocol is read: exact, with no screen to look at. */
import type { DriverEvent, DriverTool } from "../acp/acp-fold.ts";
import { forgetOldest } from "../forget-oldest.ts";
import type { MessageRole } from "./message.ts";
import type { MessageLog, MessagePlace } from "./message-log.ts";

/** Tool calls that are open. */
const CALLS_MAX = 1000;

/** Plain data. */
export interface ProtocolChatState {
  /** The message that grows: its name in the protocol, its id, its text. */
  readonly open: {
    readonly message: string;
    readonly id: string;
    readonly role: MessageRole;
    readonly text: string;
  } | null;
  /** Ids of messages, by the id of the call. */
  readonly calls: Readonly<Record<string, string>>;
}

export class ProtocolChat {
  readonly #log: MessageLog;
  #open: ProtocolChatState["open"];
  readonly #calls: Map<string, string>;

  constructor(log: MessageLog, state?: ProtocolChatState) {
    this.#log = log;
    this.#open = state?.open ?? null;
    this.#calls = new Map(Object.entries(state?.calls ?? {}));
  }

  step(events: readonly DriverEvent[], agent: string | null, place: MessagePlace): void {
    for (const event of events) this.#apply(event, agent, place);
  }

  save(): ProtocolChatState {
    return { open: this.#open, calls: Object.fromEntries(this.#calls) };
  }

  #apply(event: DriverEvent, agent: string | null, place: MessagePlace): void {
    switch (event.type) {
      case "turn-start":
        this.#end(place);
        return this.#whole("user", event.prompt, agent, place);
      case "text":
        if (event.role !== "thought") this.#grow(event.role, event, agent, place);
        return;
      case "tool":
        this.#end(place);
        return this.#tool(event.tool, agent, place);
      case "turn-end":
        this.#end(place);
        if (event.stop === "error") this.#whole("error", event.message ?? "The turn failed", agent, place);
        return;
      case "notice":
      case "noise":
      case "question":
      case "question-gone":
      case "raw":
    }
  }

  #whole(role: MessageRole, text: string, agent: string | null, place: MessagePlace): void {
    this.#log.forget(this.#log.say({ id: null, role, agent, text, source: "protocol" }, place));
  }

  #grow(
    role: "user" | "assistant",
    { message, text }: { readonly message: string; readonly text: string },
    agent: string | null,
    place: MessagePlace,
  ): void {
    if (this.#open?.message !== message) this.#end(place);
    const before = this.#open;
    const whole = (before?.text ?? "") + text;
    const draft = { id: before?.id ?? null, role, agent, text: whole, isPartial: true, source: "protocol" } as const;
    this.#open = { message, role, text: whole, id: this.#log.say(draft, place) };
  }

  #end(place: MessagePlace): void {
    if (this.#open !== null) this.#log.finish(this.#open.id, place);
    this.#open = null;
  }

  #tool(tool: DriverTool, agent: string | null, place: MessagePlace): void {
    const { call, input, name, output, state, title } = tool;
    const known = this.#calls.get(call) ?? null;
    const isEnd = state === "completed" || state === "failed";
    const shown = { name: name ?? (title || tool.kind), input, call };
    const id = this.#log.say(
      { id: known, role: "tool-call", agent, text: title, tool: shown, isPartial: !isEnd, source: "protocol" },
      place,
    );
    forgetOldest(this.#calls.set(call, id), CALLS_MAX);
    if (!isEnd) return;
    this.#calls.delete(call);
    this.#log.forget(id);
    const result = { role: "tool-result", agent, text: output || `[${state}]`, source: "protocol" } as const;
    this.#log.forget(this.#log.say({ id: null, ...result, tool: { ...shown, input: null } }, place));
  }
}
