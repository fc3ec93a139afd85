/**
 * What the next editor needs to know of a connection: a fold over both of its directions, from the start of the agent on.
 *
 * Law: the same lines give the same memory, so every reader of the journal has the same.
 */
import {
  CANCEL_REQUEST,
  encodeMessage,
  isRequest,
  type AcpLine,
  type RpcMessage,
} from "../../../core/acp/acp-lines.ts";
import type { AcpSide } from "../../../core/acp/acp-fold.ts";
import { forgetOldest } from "../../../core/forget-oldest.ts";
import { asList, asText, fieldsOf, type JsonObject } from "../../../core/wire/shape.ts";

/** Open requests of each side, and sessions of the agent: the oldest are forgotten. */
const REQUESTS_MAX = 1000;
const SESSIONS_MAX = 1000;

/** A conversation of the agent: how it was begun, and the answer to that. */
export interface AgentSession {
  readonly params: JsonObject;
  readonly result: JsonObject;
}

export class ProxyMemory {
  /** The first `initialize` that was answered. */
  #initialize: AgentSession | null = null;
  readonly #sessions = new Map<string, AgentSession>();
  readonly #ofClient = new Map<string, RpcMessage>();
  readonly #ofAgent = new Map<string, RpcMessage>();
  /** Asked in a turn that did not come to its end: a late answer is passed on, but nobody is asked again. */
  readonly #aborted = new WeakSet<RpcMessage>();

  get initialize(): AgentSession | null {
    return this.#initialize;
  }

  session(id: string | null): AgentSession | undefined {
    return id === null ? undefined : this.#sessions.get(id);
  }

  /** Requests of the agent that wait for an answer, oldest first. */
  openRequests(session: string): readonly RpcMessage[] {
    const all = [...this.#ofAgent.values()];
    return all.filter((request) => sessionOf(request) === session && !this.#aborted.has(request));
  }

  /** The request of the agent with this id, if nobody has answered it. */
  openRequest(id: RpcMessage["id"]): RpcMessage | undefined {
    return this.#ofAgent.get(JSON.stringify(id));
  }

  step(side: AcpSide, line: AcpLine): void {
    if (line.type !== "message") return;
    const { message } = line;
    const [own, others] = side === "client" ? [this.#ofClient, this.#ofAgent] : [this.#ofAgent, this.#ofClient];
    const key = JSON.stringify(message.id);
    if (isRequest(message)) {
      own.set(key, message);
      forgetOldest(own, REQUESTS_MAX);
    } else if (message.method === undefined) {
      const request = others.get(key);
      others.delete(key);
      if (side !== "agent" || request === undefined) return;
      if (request.method === "session/prompt") this.#turnEnded(request, message);
      if (message.error === undefined) this.#answered(request, message);
    } else if (message.method === CANCEL_REQUEST && side === "agent") {
      own.delete(JSON.stringify(fieldsOf(message.params)["requestId"]));
    }
  }

  #turnEnded(prompt: RpcMessage, { error, result }: RpcMessage): void {
    const session = sessionOf(prompt);
    const isAbout = (request: RpcMessage): boolean => sessionOf(request) === session;
    if (error === undefined && fieldsOf(result)["stopReason"] !== "cancelled") return;
    if ([...this.#ofClient.values()].some((other) => other.method === "session/prompt" && isAbout(other))) return;
    for (const request of this.#ofAgent.values()) if (isAbout(request)) this.#aborted.add(request);
  }

  #answered(request: RpcMessage, answer: RpcMessage): void {
    const params = fieldsOf(request.params);
    const result = fieldsOf(answer.result);
    if (request.method === "initialize") this.#initialize ??= { params, result };
    const isNew = request.method === "session/new";
    if (!isNew && request.method !== "session/load" && request.method !== "session/resume") return;
    const id = (isNew ? result : params)["sessionId"];
    if (typeof id !== "string") return;
    const { sessionId: _given, ...begun } = params;
    const { sessionId: _made, ...known } = result;
    this.#sessions.set(id, { params: begun, result: known });
    forgetOldest(this.#sessions, SESSIONS_MAX);
  }
}

/** The agent's session that a message is about; null if it names none. */
export const sessionOf = ({ params }: RpcMessage): string | null => asText(fieldsOf(params)["sessionId"]) ?? null;

/** The messages that show a conversation again, as the agent's own `session/load` would. */
export function replayOf(session: string, side: AcpSide, line: AcpLine): Uint8Array[] {
  if (line.type !== "message" || sessionOf(line.message) !== session) return [];
  const { message } = line;
  if (side === "agent") return message.method === "session/update" ? [line.bytes] : [];
  if (message.method !== "session/prompt") return [];
  return asList(fieldsOf(message.params)["prompt"]).map((content) =>
    encodeMessage({
      method: "session/update",
      params: { sessionId: session, update: { sessionUpdate: "user_message_chunk", content } },
    }),
  );
}

/** What a continued connection answers to `initialize`: that of the agent, and that conversations can be loaded, which the journal does. */
export function continuedInitialize({ result }: AgentSession): JsonObject {
  const capabilities = fieldsOf(result["agentCapabilities"]);
  return { ...result, agentCapabilities: { ...capabilities, loadSession: true } };
}

/** How a fresh agent is given a conversation: null if it cannot be. */
export function againMethod({ result }: AgentSession): "session/resume" | "session/load" | null {
  const capabilities = fieldsOf(result["agentCapabilities"]);
  const canResume = fieldsOf(capabilities["sessionCapabilities"])["resume"];
  if (canResume !== undefined && canResume !== null) return "session/resume";
  return capabilities["loadSession"] === true ? "session/load" : null;
}
