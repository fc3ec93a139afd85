/** The methods of ACP v1 that an agent has, over the sessions of a daemon. */
import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type AgentConnection,
  type AgentContext,
  type AgentRequestContext,
  type CloseSessionRequest,
  type CloseSessionResponse,
  type JsonRpcId,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type McpServer,
  type PromptRequest,
  type PromptResponse,
  type SessionInfo,
  type Stream,
} from "@agentclientprotocol/sdk";
import { LecternError, type ErrorCode } from "../../../../core/errors.ts";
import { displayCommand } from "../../../../core/text/command-line.ts";
import type { Session } from "../../../../protocol/session.ts";
import { askAgain } from "../../../../cli/ask-again.ts";
import { startPlaceOf, type CliContext } from "../../../../cli/context.ts";
import { AgentSession } from "./agent-session.ts";

/** A longer line ends the connection. */
const LINE_BYTES_MAX = 32 * 1024 * 1024;
const SESSIONS_PER_PAGE = 50;
/** Of sessions that are started here: wide, so that few lines are wrapped. */
const SIZE = { columns: 120, rows: 40 } as const;

export interface ServedSessions {
  /** Started by `session/new`; none: it is refused. */
  readonly command: readonly string[];
  /** Given by `session/new` instead of a new one. */
  readonly session: string | undefined;
  readonly version: string;
}

/** Serves until the client closes the connection. Rejects if the connection broke. */
export async function serveAgent(served: ServedSessions, context: CliContext): Promise<void> {
  const { stdin, stdout, signal } = context;
  const stream = ndJsonStream(Writable.toWeb(stdout), Readable.toWeb(stdin) as ReadableStream<Uint8Array>, {
    maxMessageBytes: LINE_BYTES_MAX,
  });
  const server = new AgentServer(served, context);
  const connection = server.connect(stream);
  signal.addEventListener("abort", () => connection.close(), { once: true });
  await connection.closed;
  server.close();
}

class AgentServer {
  readonly #served: ServedSessions;
  readonly #context: CliContext;
  /** By the id that the client uses, which may be a name. */
  readonly #sessions = new Map<string, AgentSession>();
  /** Prompts of this connection have their own keys: ids of requests begin anew with each. */
  readonly #connection = randomUUID().slice(0, 8);
  readonly #openRequests = new Set<JsonRpcId>();
  #prompts = 0;
  #takesNotices = false;

  constructor(served: ServedSessions, context: CliContext) {
    this.#served = served;
    this.#context = context;
  }

  connect(stream: Stream): AgentConnection {
    const { load, list, new: create, resume, prompt, cancel, close } = methods.agent.session;
    return agent({ name: "lectern" })
      .onRequest(methods.agent.initialize, ({ params }) => {
        this.#takesNotices = params.clientCapabilities?.session?.notices != null;
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentInfo: { name: "lectern", title: "Lectern", version: this.#served.version },
          agentCapabilities: {
            loadSession: true,
            promptCapabilities: { image: true, audio: true, embeddedContext: true },
            sessionCapabilities: { list: {}, resume: {}, close: {} },
          },
          authMethods: [],
        };
      })
      .onRequest(
        create,
        answered(async ({ params, client }) => await this.#create(params, client)),
      )
      .onRequest(
        list,
        answered(async ({ params }) => await this.#list(params)),
      )
      .onRequest(
        load,
        answered(async ({ params, client }) => {
          await this.#open(
            params.sessionId,
            client,
            async (session) => await session.replay(fromOffsetOf(params._meta)),
          );
          return {};
        }),
      )
      .onRequest(
        resume,
        answered(async ({ params, client }) => {
          await this.#open(params.sessionId, client, async (session) => await session.skipMessages());
          return {};
        }),
      )
      .onRequest(
        prompt,
        answered(async (request) => await this.#prompt(request)),
      )
      .onRequest(
        close,
        answered(async ({ params }) => await this.#closeSession(params)),
      )
      .onNotification(cancel, async ({ params }) => await this.#sessions.get(params.sessionId)?.cancel())
      .connect(stream);
  }

  async #prompt({ params, requestId, signal }: AgentRequestContext<PromptRequest>): Promise<PromptResponse> {
    const session = this.#require(params.sessionId);
    if (this.#openRequests.has(requestId))
      throw RequestError.invalidRequest(undefined, "this id belongs to a request without an answer");
    this.#openRequests.add(requestId);
    signal.addEventListener("abort", () => void session.cancel().catch(this.#note));
    try {
      this.#prompts += 1;
      return await session.prompt(`acp-${this.#connection}-${this.#prompts}`, params.prompt);
    } finally {
      this.#openRequests.delete(requestId);
    }
  }

  async #closeSession({ sessionId, _meta }: CloseSessionRequest): Promise<CloseSessionResponse> {
    const session = this.#require(sessionId);
    session.close();
    this.#sessions.delete(sessionId);
    if (lecternMeta(_meta)["kill"] === true) await this.#context.call("sessions.kill", { session: session.session });
    return {};
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }

  async #create(
    { cwd, mcpServers }: { readonly cwd: string; readonly mcpServers: readonly McpServer[] },
    client: AgentContext,
  ): Promise<{ sessionId: string }> {
    const { session: given, command } = this.#served;
    const [program, ...words] = command;
    if (given === undefined && program === undefined)
      throw new LecternError(
        "INVALID_INPUT",
        'Cannot start a session: name its program, as in "lectern acp -- claude", or load one that session/list names',
      );
    let sessionId: string;
    if (given !== undefined) {
      sessionId = (await this.#get(given)).id;
      await this.#open(sessionId, client, async (session) => await session.skipMessages());
    } else {
      const place = { ...startPlaceOf(this.#context), workingDirectory: cwd };
      const created = await this.#context.call("sessions.create", {
        command: [program ?? "", ...words],
        ...SIZE,
        ...place,
      });
      sessionId = this.#context.addressOf(created.id);
      this.#follow(sessionId, created, client);
    }
    if (mcpServers.length > 0) this.#refuseServers(sessionId, mcpServers, client);
    return { sessionId };
  }

  /** The program was told of its servers in its own files, if at all. */
  #refuseServers(sessionId: string, servers: readonly McpServer[], client: AgentContext): void {
    const names = servers.map(({ name }) => name).join(", ");
    const title = `MCP servers that were not passed on: ${names}`;
    const description = "The program in the terminal uses those of its own settings";
    if (!this.#takesNotices) this.#context.note(`lectern acp: ${title}: ${description}`);
    else
      setImmediate(() => {
        const update = { sessionUpdate: "notice", severity: "warning", title, description } as const;
        void client.notify("session/update", { sessionId, update }).catch(this.#note);
      });
  }

  async #list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const { sessions } = await askAgain(this.#context, (client) => client.call("sessions.list", {}));
    const wanted = cwd == null ? sessions : sessions.filter(({ workingDirectory }) => workingDirectory === cwd);
    const from = cursor == null ? 0 : wanted.findIndex(({ id }) => id === cursor) + 1;
    if (cursor != null && from === 0)
      throw new LecternError("INVALID_INPUT", "Cannot continue this list: its last session was removed; list again");
    const page = wanted.slice(from, from + SESSIONS_PER_PAGE);
    const last = page.at(-1);
    const isMore = last !== undefined && from + page.length < wanted.length;
    return { sessions: page.map(infoOf), ...(isMore && { nextCursor: last.id }) };
  }

  async #get(session: string): Promise<Session> {
    return await askAgain(this.#context, (client) => client.call("sessions.get", { session }));
  }

  /** `prepare` ends before the answer; what follows is sent after it. */
  async #open(
    sessionId: string,
    client: AgentContext,
    prepare: (session: AgentSession) => Promise<void>,
  ): Promise<void> {
    const session = this.#make(sessionId, await this.#get(sessionId), client);
    await prepare(session);
    this.#begin(sessionId, session);
  }

  #follow(sessionId: string, session: Session, client: AgentContext): void {
    this.#begin(sessionId, this.#make(sessionId, session, client));
  }

  #make(sessionId: string, { id, agent: name }: Session, peer: AgentContext): AgentSession {
    return new AgentSession({ sessionId, session: id, isAgent: name !== null, peer, context: this.#context });
  }

  #begin(sessionId: string, session: AgentSession): void {
    this.#sessions.get(sessionId)?.close();
    this.#sessions.set(sessionId, session);
    // A client does not know the session before it has the answer.
    setImmediate(() => session.start());
  }

  #require(sessionId: string): AgentSession {
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) return session;
    const why = `Cannot find session "${sessionId}" in this connection: open it with session/new, load or resume`;
    throw new LecternError("SESSION_NOT_FOUND", why);
  }

  readonly #note = (error: unknown): void => {
    if (!this.#context.signal.aborted) this.#context.note(`lectern acp: ${String(error)}`);
  };
}

type Handler<Params, Answer> = (context: AgentRequestContext<Params>) => Promise<Answer>;

/** Errors become answers that clients show. */
const answered =
  <Params, Answer>(handle: Handler<Params, Answer>): Handler<Params, Answer> =>
  async (context) => {
    try {
      return await handle(context);
    } catch (error) {
      throw requestError(error);
    }
  };

type Meta = Readonly<Record<string, unknown>> | null | undefined;

const lecternMeta = (meta: Meta): Readonly<Record<string, unknown>> => {
  const own = meta?.["lectern"];
  return typeof own === "object" && own !== null ? (own as Readonly<Record<string, unknown>>) : {};
};

/** Where a client that saw the session before goes on. */
function fromOffsetOf(meta: Meta): number {
  const { fromOffset } = lecternMeta(meta);
  return typeof fromOffset === "number" ? fromOffset : 0;
}

const infoOf = ({
  id,
  name,
  command,
  workingDirectory,
  lastMessage,
  status,
  endedAt,
  createdAt,
  state,
}: Session): SessionInfo => {
  const seenUs = lastMessage?.timeUs ?? status?.sinceUs;
  return {
    sessionId: id,
    cwd: workingDirectory,
    title: `${name}: ${displayCommand(command)}`,
    updatedAt: endedAt ?? (seenUs === undefined ? createdAt : new Date(seenUs / 1000).toISOString()),
    _meta: { lectern: { name, state, status: status?.state ?? null } },
  };
};

// Errors of Lectern as answers of JSON-RPC.

/** Of the protocol: a session or another thing does not exist. */
const NOT_FOUND = -32_002;
const INVALID_PARAMETERS = -32_602;
const FAILED = -32_603;

const numbers: ReadonlyMap<ErrorCode, number> = new Map([
  ["INVALID_INPUT", INVALID_PARAMETERS],
  ["MACHINE_NOT_FOUND", NOT_FOUND],
  ["NOT_FOUND", NOT_FOUND],
  ["SESSION_NOT_FOUND", NOT_FOUND],
  ["TOO_LARGE", INVALID_PARAMETERS],
  ["WORKING_DIRECTORY_NOT_FOUND", INVALID_PARAMETERS],
]);

/** What clients show is the message. Other errors pass: the SDK answers with an internal error. */
function requestError(error: unknown): unknown {
  if (!(error instanceof LecternError)) return error;
  return new RequestError(numbers.get(error.code) ?? FAILED, error.message, { code: error.code, ...error.details });
}
