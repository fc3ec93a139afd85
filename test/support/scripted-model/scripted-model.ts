/** A model server on loopback that speaks four dialects and says what its scenario says. It records every request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { openAiChat } from "./openai-chat.ts";
import { openAiResponses } from "./openai-responses.ts";
import { type JsonBody, type ModelDialect, type RecordedRequest, type TurnRequest, turnRequestOf } from "./requests.ts";
import { type Scenario, ScenarioTurns, type ScriptedTurn } from "./scenario.ts";
import { type DialectWriter, fullTurn } from "./turn-events.ts";

const writers: Readonly<Record<ModelDialect, DialectWriter>> = {
  anthropic,
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
  gemini,
};

/** A turn that goes out, with times of `performance.now`. */
export interface SentTurn {
  readonly turn: ScriptedTurn;
  readonly firstByteMs: number;
  lastByteMs: number;
  /** What was written of its stream. */
  output: string;
  isOver: boolean;
}

interface Sending {
  readonly turn: TurnRequest;
  readonly scripted: ScriptedTurn;
  readonly writer: DialectWriter;
  readonly sending: SentTurn;
}

/** The names that lists of models give; any other is answered too. */
const models = ["scripted", "claude-sonnet-4-5", "gpt-5", "gemini-2.5-pro", "gemini-2.5-flash"];

/**
 * @example
 * ```ts
 * await using model = await ScriptedModel.start({ turns: [{ say: "Hello" }] });
 * await fetch(`${model.url}/v1/messages`, { method: "POST", body: '{"model":"m","messages":[]}' });
 * ```
 */
export class ScriptedModel implements AsyncDisposable {
  readonly requests: RecordedRequest[] = [];
  /** When the last event of a stream was sent, on the clock of `performance.now`; null before the first. */
  lastByteMs: number | null = null;
  /** The turns that went out, in the order in which they began. */
  readonly sent: SentTurn[] = [];
  readonly turns: ScenarioTurns;
  readonly #server: Server;
  /** Ids must be unique over all servers of a run. */
  readonly #unique = Math.random().toString(36).slice(2, 8);
  readonly #closing = new AbortController();
  #arrived = Promise.withResolvers<void>();

  private constructor(scenario: Scenario) {
    this.turns = new ScenarioTurns(scenario);
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async start(scenario: Scenario): Promise<ScriptedModel> {
    const model = new ScriptedModel(scenario);
    await new Promise<void>((done) => model.#server.listen(0, "127.0.0.1", done));
    return model;
  }

  /** Without a path and without a slash at the end. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The requests that were turns, of one dialect or of all. */
  turnRequests(dialect?: ModelDialect): RecordedRequest[] {
    return this.requests.filter(
      ({ turn }) => turn !== undefined && (dialect === undefined || turn.dialect === dialect),
    );
  }

  /** Resolves with the first request that fits, also with one that came before. */
  async request(fits: (request: RecordedRequest) => boolean): Promise<RecordedRequest> {
    for (;;) {
      const found = this.requests.find(fits);
      if (found !== undefined) return found;
      await this.#arrived.promise;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request);
    const path = request.url ?? "/";
    const turn = turnRequestOf(path, body);
    this.requests.push({ method: request.method ?? "GET", path, headers: request.headers, body, turn });
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers();
    if (turn === undefined) return sendJson(response, 200, otherAnswer(path));
    const scripted = this.turns.next(turn);
    const writer = writers[turn.dialect];
    const now = performance.now();
    const sending: SentTurn = { turn: scripted, firstByteMs: now, lastByteMs: now, output: "", isOver: false };
    this.sent.push(sending);
    try {
      await this.#send(response, { turn, scripted, writer, sending });
    } finally {
      sending.isOver = true;
    }
  }

  async #send(response: ServerResponse, { turn, scripted, writer, sending }: Sending): Promise<void> {
    if (scripted.status !== undefined) {
      const error = scripted.error ?? { type: "scripted_error", message: `Status ${scripted.status}` };
      if (scripted.retryAfterSeconds !== undefined) response.setHeader("retry-after", scripted.retryAfterSeconds);
      return sendJson(response, scripted.status, writer.error(error, scripted.status));
    }
    if (scripted.raw !== undefined) {
      response.writeHead(200, { "content-type": scripted.contentType ?? "text/event-stream" });
      response.end(scripted.raw);
      return;
    }
    const unique = `${this.#unique}${this.requests.length}`;
    const whole = fullTurn(scripted, { model: turn.model, unique });
    if (!turn.stream) return sendJson(response, 200, writer.answer(whole));
    await this.#stream(response, writer.stream(whole), { turn: scripted, sending });
  }

  async #stream(
    response: ServerResponse,
    events: readonly string[],
    { turn, sending }: { turn: ScriptedTurn; sending: SentTurn },
  ): Promise<void> {
    const signal = this.#closing.signal;
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
    response.flushHeaders();
    const wait = async (delayMs: number | undefined): Promise<void> => {
      if (delayMs) await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    };
    await wait(turn.firstDelayMs);
    const last = turn.cut ?? turn.truncate ?? turn.stall ?? events.length;
    for (const event of events.slice(0, last)) {
      if (response.destroyed || signal.aborted) return;
      this.lastByteMs = performance.now();
      sending.lastByteMs = this.lastByteMs;
      sending.output += event;
      if (!response.write(event)) await Promise.race([once(response, "drain"), once(response, "close")]);
      await wait(turn.delayMs);
    }
    // Without the mark that ends the body, and with everything sent before it.
    if (turn.cut !== undefined) response.socket?.end();
    else if (turn.stall === undefined) response.end();
  }
}

const once = (emitter: ServerResponse, name: string): Promise<void> =>
  new Promise((done) => emitter.once(name, () => done()));

async function readJson(request: IncomingMessage): Promise<JsonBody | undefined> {
  const chunks = (await request.toArray()) as Buffer[];
  try {
    return JSON.parse(Buffer.concat(chunks).toString()) as JsonBody;
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, answer: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
}

/** What agents ask besides turns: lists of models, and counts of tokens. */
function otherAnswer(path: string): object {
  if (path.includes("count_tokens") || path.includes("input_tokens")) return { input_tokens: 100 };
  if (path.includes(":countTokens")) return { totalTokens: 100 };
  const [, model] = /\/v1beta\/models\/([^/?:]+)/.exec(path) ?? [];
  if (model !== undefined) return { name: `models/${model}`, displayName: model };
  if (!path.includes("/models")) return {};
  if (path.includes("v1beta")) return { models: models.map((name) => ({ name: `models/${name}` })) };
  const data = models.map((id) => ({ id, object: "model", type: "model", created: 1, owned_by: "scripted" }));
  return { object: "list", data, has_more: false, first_id: models[0], last_id: models.at(-1) };
}
