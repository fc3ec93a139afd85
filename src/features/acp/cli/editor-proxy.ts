/**
 * Stands between an editor and an agent that is a session: what either writes reaches the other as it is, and outlives the editor.
 *
 * Laws: with the first editor of a session, the bytes of each direction are those without Lectern. A later editor is answered `initialize`
 * and its conversations from the journal; its ids are made different from those of the editors before it. A question is answered once.
 */
import { answerKey, requestText } from "../../../core/acp/acp-answer.ts";
import {
  CANCEL_REQUEST,
  AcpLines,
  encodeMessage,
  isRequest,
  type AcpLine,
  type RpcMessage,
} from "../../../core/acp/acp-lines.ts";
import type { AcpSide } from "../../../core/acp/acp-fold.ts";
import { withoutSecrets } from "../../../core/acp/acp-secrets.ts";
import { LecternError } from "../../../core/errors.ts";
import { forgetOldest } from "../../../core/forget-oldest.ts";
import { asText, fieldsOf } from "../../../core/wire/shape.ts";
import type { AgentLink } from "../daemon/agent-link.ts";
import {
  againMethod,
  continuedInitialize,
  ProxyMemory,
  replayOf,
  sessionOf,
  type AgentSession,
} from "../core/proxy-memory.ts";

/** JSON-RPC: an internal error. */
const INTERNAL_ERROR = -32603;
/** Ids of requests that Lectern itself sends begin so. */
const OWN_ID = "lectern:";
/** Requests whose parameters a fresh agent gets again, of so many conversations. */
const GIVEN_METHODS: ReadonlySet<string> = new Set(["initialize", "session/new", "session/load", "session/resume"]);
const GIVEN_MAX = 1000;

export interface ProxySurroundings {
  /** Writes to the editor; waits for one that does not read. */
  readonly toEditor: (bytes: Uint8Array) => Promise<void>;
  /** What the agent wrote to its standard error. */
  readonly toErrors: (bytes: Uint8Array) => void;
  /** Starts the agent again after it has ended. */
  readonly startAgain: () => Promise<AgentLink>;
}

/** What passes on the output of an agent. In an object, so that nobody awaits it by mistake. */
interface Pump {
  readonly promise: Promise<void>;
}

interface Joined {
  readonly link: AgentLink;
  readonly memory: ProxyMemory;
  readonly lines: Readonly<Record<AcpSide, AcpLines>>;
}

export class EditorProxy {
  readonly #surroundings: ProxySurroundings;
  /** Another editor was here before: only conversations that this one has begun or loaded are its own. */
  readonly #isContinued: boolean;
  readonly #connection: string;
  #agent: Joined | null;
  /** Of the agent that has ended, or of this one. */
  #memory: ProxyMemory;
  /** The offset up to which the journal was read. */
  #offset = 0;
  readonly #sessions = new Set<string>();
  /** Parameters that this editor gave, with their secrets, which the journal does not have: of conversations by id, and of `initialize`. */
  readonly #given = new Map<string, RpcMessage["params"]>();
  /** Requests of this editor without an answer. */
  readonly #asked = new Map<string, RpcMessage>();
  /** Questions of the agent that this editor has been asked. */
  readonly #questions = new Set<string>();
  /** Requests of Lectern without an answer. */
  readonly #own = new Map<string, (answer: RpcMessage) => void>();
  /** Updates are not for the editor: a fresh agent shows a conversation again that the editor has. */
  #isSwallowing = false;
  /** What is being replayed comes before what is new. */
  #replayed: Promise<void> = Promise.resolve();
  #ownCount = 0;
  #how = "";

  private constructor(agent: Joined, surroundings: ProxySurroundings, connection: string | null) {
    this.#agent = agent;
    this.#memory = agent.memory;
    this.#surroundings = surroundings;
    this.#isContinued = connection !== null;
    this.#connection = connection ?? "";
  }

  /** `connection`: unique, for an editor that continues; null for the first one. */
  static async join(link: AgentLink, surroundings: ProxySurroundings, connection: string | null): Promise<EditorProxy> {
    const agent = joined(link);
    const proxy = new EditorProxy(agent, surroundings, connection);
    if (connection === null) return proxy;
    const { end } = link;
    for await (const record of link.records(link.start, { to: end })) {
      if (record.type !== "bytes" || record.stream === "stderr") continue;
      for (const line of agent.lines[record.stream].feed(record.bytes)) agent.memory.step(record.stream, line);
    }
    proxy.#offset = end;
    return proxy;
  }

  /** Passes on what the agent writes, until it has ended. */
  async pump(signal: AbortSignal): Promise<void> {
    const agent = this.#agent;
    if (agent === null) return;
    for await (const record of agent.link.records(this.#offset, { signal })) {
      await this.#replayed;
      if (record.type === "exit") {
        // What follows in the editor's direction is of Lectern, on a line of its own.
        await this.#pumped(agent, "agent", agent.lines.agent.end());
        return await this.#ended(record.how);
      }
      this.#offset = record.next;
      const { bytes, stream } = record;
      if (stream === "stderr") this.#surroundings.toErrors(bytes);
      else await this.#pumped(agent, stream, agent.lines[stream].feed(bytes));
    }
  }

  async #pumped({ memory }: Joined, side: AcpSide, lines: readonly AcpLine[]): Promise<void> {
    for (const line of lines) {
      memory.step(side, line);
      await (side === "agent" ? this.#fromAgent(line) : this.#fromClient(line));
    }
  }

  /** What the editor writes, line by line. Resolves with the pump of an agent that was started for it. */
  async take(line: AcpLine, signal: AbortSignal): Promise<Pump | null> {
    const isAsked = line.type === "message" && isRequest(line.message);
    if (this.#agent !== null) {
      await this.#pass(this.#agent, line);
      return null;
    }
    // Nobody is there for the rest: what it was about has ended.
    if (!isAsked) return null;
    return await this.#revive(line.message, line, signal);
  }

  async #pass({ link, memory }: Joined, line: AcpLine): Promise<void> {
    if (line.type !== "message") return await this.#send(link, line.bytes);
    const { message } = line;
    if (message.method === undefined) return await this.#answer(link, message, line.bytes);
    if (isRequest(message)) {
      this.#noteGiven(message.method === "initialize" ? message.method : sessionOf(message), message);
      if (this.#isContinued && (await this.#answerFromJournal(message, { link, memory }))) return;
      this.#asked.set(JSON.stringify(message.id), message);
      await this.#join(sessionOf(message), memory);
    }
    const sent = this.#isContinued ? this.#withOwnIds(message) : message;
    await this.#send(link, sent === message ? line.bytes : encodeMessage(sent), sent);
  }

  #noteGiven(about: string | null, { method = "", params }: RpcMessage): void {
    if (about === null || !GIVEN_METHODS.has(method)) return;
    this.#given.set(about, params);
    forgetOldest(this.#given, GIVEN_MAX);
  }

  /** From now on a conversation is this editor's, with what it was asked and nobody has answered. */
  async #join(session: string | null, memory: ProxyMemory): Promise<void> {
    if (!this.#isContinued || session === null || this.#sessions.has(session)) return;
    this.#sessions.add(session);
    for (const request of memory.openRequests(session)) await this.#ask(request, encodeMessage(request));
  }

  /** An answer to the agent. The first one counts, whoever gives it. */
  async #answer(link: AgentLink, message: RpcMessage, bytes: Uint8Array): Promise<void> {
    const id = JSON.stringify(message.id);
    const request = this.#agent?.memory.openRequest(message.id);
    this.#questions.delete(id);
    if (request === undefined) return;
    const key = request.method === "session/request_permission" ? answerKey(requestText(request)) : undefined;
    try {
      await link.write(bytes, { key });
    } catch (error) {
      if (!isGone(error) && !(error instanceof LecternError && error.code === "CONFLICT")) throw error;
    }
  }

  async #send(link: AgentLink, bytes: Uint8Array, message?: RpcMessage): Promise<void> {
    try {
      await link.write(bytes, { recorded: message === undefined ? null : withoutSecrets(message) });
    } catch (error) {
      // Its end is in the journal, and answers what is open.
      if (!isGone(error)) throw error;
    }
  }

  /** True if a request of a continued connection was answered without the agent. */
  async #answerFromJournal(message: RpcMessage, { link, memory }: Pick<Joined, "link" | "memory">): Promise<boolean> {
    if (message.method === "initialize" && memory.initialize !== null) {
      await this.#reply(message, continuedInitialize(memory.initialize));
      return true;
    }
    const session = sessionOf(message);
    const known = memory.session(session);
    if (session === null || known === undefined) return false;
    if (message.method !== "session/load" && message.method !== "session/resume") return false;
    const replay = async (): Promise<void> => {
      if (message.method === "session/load") await this.#replay(link, session);
      await this.#reply(message, known.result);
      await this.#join(session, memory);
    };
    this.#replayed = replay();
    await this.#replayed;
    return true;
  }

  async #replay(link: AgentLink, session: string): Promise<void> {
    const lines = { client: new AcpLines(), agent: new AcpLines() };
    for await (const record of link.records(link.start, { to: this.#offset })) {
      if (record.type !== "bytes" || record.stream === "stderr") continue;
      const { stream } = record;
      for (const line of lines[stream].feed(record.bytes))
        for (const bytes of replayOf(session, stream, line)) await this.#surroundings.toEditor(bytes);
    }
  }

  async #fromAgent(line: AcpLine): Promise<void> {
    const { toEditor } = this.#surroundings;
    if (line.type !== "message") return this.#isSwallowing ? undefined : await toEditor(line.bytes);
    const { message } = line;
    if (message.method === undefined) return await this.#answered(message, line.bytes);
    const session = sessionOf(message);
    if (this.#isSwallowing && message.method === "session/update") return;
    if (this.#isContinued && session !== null && !this.#sessions.has(session)) return;
    if (isRequest(message)) return await this.#ask(message, line.bytes);
    await toEditor(line.bytes);
  }

  async #ask(request: RpcMessage, bytes: Uint8Array): Promise<void> {
    this.#questions.add(JSON.stringify(request.id));
    await this.#surroundings.toEditor(bytes);
  }

  /** An answer of the agent: to this editor, to one that is gone, or to Lectern. */
  async #answered(message: RpcMessage, bytes: Uint8Array): Promise<void> {
    const own = this.#own.get(String(message.id));
    if (own !== undefined) return own(message);
    const id = this.#isContinued ? this.#idOf(message) : message.id;
    if (id === undefined) return;
    const request = this.#asked.get(JSON.stringify(id));
    this.#asked.delete(JSON.stringify(id));
    const made = request?.method === "session/new" ? fieldsOf(message.result)["sessionId"] : sessionOf(request ?? {});
    if (typeof made === "string") {
      this.#sessions.add(made);
      if (request?.method === "session/new") this.#noteGiven(made, request);
    }
    await this.#surroundings.toEditor(this.#isContinued ? encodeMessage({ ...message, id: id ?? null }) : bytes);
  }

  /** What the agent was sent: if somebody else has answered, the editor does not have to. */
  async #fromClient(line: AcpLine): Promise<void> {
    if (line.type !== "message" || line.message.method !== undefined) return;
    if (!this.#questions.delete(JSON.stringify(line.message.id))) return;
    const params = { requestId: line.message.id };
    await this.#surroundings.toEditor(encodeMessage({ method: CANCEL_REQUEST, params }));
  }

  /** Each open request gets an error, as from an agent that says why. */
  async #ended(how: string): Promise<void> {
    this.#how = how;
    this.#agent = null;
    for (const resolve of this.#own.values()) resolve({ error: { message: this.#whyEnded } });
    for (const request of this.#asked.values()) await this.#refuse(request, this.#whyEnded);
    this.#asked.clear();
    this.#questions.clear();
  }

  get #whyEnded(): string {
    return `The agent has ended (${this.#how}); the next prompt starts it again`;
  }

  /** Starts the agent again, with the conversation that the request is about. */
  async #revive(request: RpcMessage, line: AcpLine, signal: AbortSignal): Promise<Pump | null> {
    const before = this.#memory;
    let agent: Joined;
    try {
      agent = joined(await this.#surroundings.startAgain());
    } catch (error) {
      await this.#refuse(request, (error as Error).message);
      return null;
    }
    this.#agent = agent;
    this.#offset = agent.link.start;
    const pump = { promise: this.pump(signal) };
    try {
      if (before.initialize !== null && request.method !== "initialize") await this.#introduce(agent, before, request);
    } catch (error) {
      await this.#refuse(request, (error as Error).message);
      return pump;
    }
    this.#memory = agent.memory;
    await this.#pass(agent, line);
    return pump;
  }

  async #introduce({ link }: Joined, before: ProxyMemory, request: RpcMessage): Promise<void> {
    const { initialize } = before;
    if (initialize === null) return;
    const answer = await this.#request(link, "initialize", this.#given.get("initialize") ?? initialize.params);
    const session = sessionOf(request);
    const known = session === null ? undefined : before.session(session);
    if (session === null || known === undefined) return;
    const method = againMethod({ params: {}, result: answer });
    if (method === null)
      throw new Error("The agent was started again, but it cannot load conversations: begin a new one");
    this.#isSwallowing = true;
    try {
      await this.#request(link, method, { ...fieldsOf(this.#given.get(session) ?? known.params), sessionId: session });
    } finally {
      this.#isSwallowing = false;
    }
  }

  /** A request of Lectern itself. Rejects with the error of the agent. */
  async #request(link: AgentLink, method: string, params: RpcMessage["params"]): Promise<AgentSession["result"]> {
    this.#ownCount += 1;
    const id = `${OWN_ID}${this.#ownCount}`;
    const { promise, resolve } = Promise.withResolvers<RpcMessage>();
    this.#own.set(id, resolve);
    const request = { id, method, params };
    await this.#send(link, encodeMessage(request), request);
    const answer = await promise;
    this.#own.delete(id);
    if (answer.error === undefined) return fieldsOf(answer.result);
    throw new Error(`The agent was started again, but "${method}" failed: ${reasonOf(answer.error)}`);
  }

  async #reply({ id = null }: RpcMessage, result: unknown): Promise<void> {
    await this.#surroundings.toEditor(encodeMessage({ id, result }));
  }

  async #refuse({ id = null }: RpcMessage, message: string): Promise<void> {
    await this.#surroundings.toEditor(encodeMessage({ id, error: { code: INTERNAL_ERROR, message } }));
  }

  /** Ids of an editor begin anew, while an answer to one that is gone may still come. */
  #withOwnIds(message: RpcMessage): RpcMessage {
    const ownId = (id: unknown): string => `${OWN_ID}${this.#connection}:${JSON.stringify(id)}`;
    if (isRequest(message)) return { ...message, id: ownId(message.id) };
    if (message.method !== CANCEL_REQUEST) return message;
    const params = fieldsOf(message.params);
    return { ...message, params: { ...params, requestId: ownId(params["requestId"]) } };
  }

  /** Undefined for an answer to somebody else. */
  #idOf({ id }: RpcMessage): RpcMessage["id"] {
    const prefix = `${OWN_ID}${this.#connection}:`;
    return typeof id === "string" && id.startsWith(prefix)
      ? (JSON.parse(id.slice(prefix.length)) as string)
      : undefined;
  }
}

const joined = (link: AgentLink): Joined => ({
  link,
  memory: new ProxyMemory(),
  lines: { client: new AcpLines(), agent: new AcpLines() },
});

/** Its message, and what many agents put beside one such as "Internal error". */
function reasonOf(error: unknown): string {
  const { data, message } = fieldsOf(error);
  const details = asText(fieldsOf(data)["details"]) ?? asText(fieldsOf(data)["message"]) ?? asText(data);
  return [asText(message) ?? "no reason", ...(details === undefined ? [] : [details])].join(": ");
}

const isGone = (error: unknown): boolean =>
  error instanceof LecternError && (error.code === "SESSION_ENDED" || error.code === "HOST_UNREACHABLE");
