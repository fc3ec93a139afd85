/**
 * A session as a client of ACP sees it: its messages are sent as they grow, its questions are asked, and prompts are typed under keys, so
 * that a daemon that ends in between types nothing twice.
 */
import { setTimeout as delay } from "node:timers/promises";
import type {
  AgentContext,
  ContentBlock,
  PromptResponse,
  RequestPermissionRequest,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import { isFinal, type AnsweredReceipt } from "../../../../core/acting/receipt.ts";
import { LecternError, errorMessage } from "../../../../core/errors.ts";
import type { ChatMessage } from "../../../../core/chat/message.ts";
import { waits } from "../../../../core/waits.ts";
import type { SessionApproval } from "../../../../protocol/views.ts";
import type { LecternClient } from "../../../../client/client.ts";
import { askAgain, withDaemon } from "../../../../cli/ask-again.ts";
import type { CliContext } from "../../../../cli/context.ts";
import { interruptKeys } from "../../core/interrupt-keys.ts";
import { MessageUpdates } from "../../core/message-updates.ts";
import { permissionRequest } from "../../core/permission-request.ts";
import { promptParts } from "../../core/prompt-parts.ts";

const LIST_WAIT_MS = 60_000;
const PROMPT_WAIT_MS = 3_600_000;
const PROMPT_CHARS_MAX = 262_144;
/** An agent that has not stopped by then keeps working, and the turn is answered. */
const CANCEL_MS_MAX = 10_000;

export interface AgentSessionOptions {
  /** As the client names it. */
  readonly sessionId: string;
  /** Its id here. */
  readonly session: string;
  /** Whether its command is an agent: then a prompt is never typed for a shell, which would run it. */
  readonly isAgent: boolean;
  readonly peer: AgentContext;
  readonly context: CliContext;
}

interface Messages {
  readonly messages: readonly ChatMessage[];
  readonly next: number;
}

interface Turn {
  key: string;
  readonly stop: AbortController;
  isCancelled: boolean;
}

export class AgentSession {
  readonly #options: AgentSessionOptions;
  readonly #close = new AbortController();
  readonly #updates = new MessageUpdates();
  /** Requests for permission that the client has not answered, by the id of the question. */
  readonly #asked = new Map<string, AbortController>();
  readonly #turns = new Set<Turn>();
  /** Updates are sent in order, and none before the client has taken the one before it. */
  #sending: Promise<void> = Promise.resolve();
  /** Messages that end before it were seen. */
  #offset = 0;
  /** In the foreground; null for a shell, a REPL or another program. */
  #agent: string | null = null;
  #hasAgent: boolean;
  /** The prompt whose command reads. */
  #reading: string | undefined;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    this.#hasAgent = options.isAgent;
    options.context.signal.addEventListener("abort", () => this.close(), { once: true, signal: this.#close.signal });
  }

  get session(): string {
    return this.#options.session;
  }

  /** Sends the conversation, or only what changed at `fromOffset` or later. */
  async replay(fromOffset: number): Promise<void> {
    const { messages, next } = await this.#all();
    this.#updates.skip(messages.filter(({ end }) => end < fromOffset));
    await this.#send(messages.filter(({ end }) => end >= fromOffset));
    this.#offset = next;
  }

  /** Goes on after the messages that there are. */
  async skipMessages(): Promise<void> {
    const { messages, next } = await this.#all();
    this.#updates.skip(messages);
    this.#offset = next;
  }

  async #all(): Promise<Messages> {
    const { session } = this;
    const { status } = await this.#ask((client) => client.call("sessions.status", { session }));
    if (status !== null) this.#noteForeground(status);
    const all = await this.#messages(0);
    this.#hasAgent ||= all.messages.some(({ agent }) => agent !== null);
    return all;
  }

  /** Follows the session until `close`. */
  start(): void {
    for (const follow of [this.#followMessages(), this.#followQuestions()])
      void follow.catch((error: unknown) => {
        if (!this.#close.signal.aborted)
          this.#options.context.note(`lectern acp: session ${this.session} is not followed: ${errorMessage(error)}`);
      });
  }

  /** The client does not follow it any more. Its program runs on, and so do its prompts. */
  close(): void {
    this.#close.abort();
    for (const asked of this.#asked.values()) asked.abort();
  }

  /** Types a prompt after those before it. Resolves at the end of its turn, or when the program asks for text: the next prompt answers. */
  async prompt(key: string, content: readonly ContentBlock[]): Promise<PromptResponse> {
    const turn: Turn = { key, stop: new AbortController(), isCancelled: false };
    this.#turns.add(turn);
    try {
      const text = await this.#textOf(content);
      // It may have been cancelled while its files were put.
      if (turn.isCancelled) return { stopReason: "cancelled" };
      const receipt = (await this.#answered(turn, text)) ?? (await this.#prompted(turn, text));
      await this.#catchUp();
      if (turn.isCancelled || receipt.state === "cancelled") return { stopReason: "cancelled" };
      if (receipt.state === "failed")
        throw new LecternError("CONFLICT", `The prompt failed: ${receipt.reason ?? "nobody has taken it"}`);
      this.#reading = receipt.asks === null ? undefined : receipt.key;
      if (receipt.asks !== null) await this.#say(`${receipt.asks.question}: ${receipt.asks.howToAnswer}`, key);
      return { stopReason: "end_turn" };
    } catch (error) {
      if (turn.isCancelled) return { stopReason: "cancelled" };
      throw error;
    } finally {
      this.#turns.delete(turn);
    }
  }

  /** Takes back the prompts that wait, and interrupts the one that was typed. */
  async cancel(): Promise<void> {
    const turns = Array.from(this.#turns).filter(({ isCancelled }) => !isCancelled);
    if (turns.length === 0) return;
    for (const turn of turns) turn.isCancelled = true;
    for (const asked of this.#asked.values()) asked.abort();
    const signal = this.#close.signal;
    const client = await this.#options.context.client();
    const { session } = this;
    const isTyped = async ({ key }: Turn): Promise<boolean> =>
      await client.call("sessions.cancel", { session, key }, { signal }).then(
        () => false,
        (error: unknown) => error instanceof LecternError && error.code === "CONFLICT",
      );
    const typed = await Promise.all(turns.map(isTyped));
    if (typed.includes(true)) await this.#interrupt(client);
    await delay(CANCEL_MS_MAX, undefined, { signal, ref: false }).catch(() => undefined);
    for (const turn of turns) turn.stop.abort();
  }

  async #interrupt(client: LecternClient): Promise<void> {
    const { session } = this;
    const signal = this.#close.signal;
    for (const key of interruptKeys(this.#agent))
      await client.call("sessions.keys", { session, keys: [key], take: true }, { signal });
    // A call that the gateway holds is on no screen, and neither is a question of a protocol.
    const { approvals } = await client.call("approvals.list", { session }, { signal });
    for (const { id, source, digest, options } of approvals) {
      const option = source === "screen" ? undefined : options.find(({ effect }) => effect === "deny")?.id;
      if (option === undefined) continue;
      const given = { session, approval: id, option, digest, by: "acp" };
      await client.call("approvals.answer", given, { signal }).catch(ignoreAnswered);
    }
  }

  /** What a command reads that an earlier prompt has started. Undefined if nothing does. */
  async #answered(turn: Turn, text: string): Promise<AnsweredReceipt | undefined> {
    const { session } = this;
    const key = this.#reading;
    if (key === undefined) return undefined;
    const signal = this.#close.signal;
    const [receipt, { status }] = await this.#ask((client) =>
      Promise.all([
        client.call("sessions.receipt", { session, key }, { signal }),
        client.call("sessions.status", { session }, { signal }),
      ]),
    );
    // A dialog takes keys, whose meaning is on the screen only.
    if (receipt.asks === null || receipt.asks.approval !== null || status?.state === "blocked") return undefined;
    const input = { session, text, enter: true, key: turn.key };
    await this.#ask((client) => client.call("sessions.input", input, { signal }));
    turn.key = key;
    const wanted = { session, key, waitMs: PROMPT_WAIT_MS };
    return await this.#settled(turn, (client, options) => client.call("sessions.receipt", wanted, options));
  }

  async #prompted(turn: Turn, text: string): Promise<AnsweredReceipt> {
    const { session } = this;
    this.#updates.expect(text);
    const prompt = { session, key: turn.key, text, waitMs: PROMPT_WAIT_MS, shell: !this.#hasAgent };
    return await this.#settled(turn, (client, options) => client.call("sessions.prompt", prompt, options));
  }

  /** The receipt at the end of the turn, or with a question that is answered by typing. A prompt that was accepted is found by its key. */
  async #settled(
    { stop }: Turn,
    ask: (client: LecternClient, options: { readonly signal: AbortSignal }) => Promise<AnsweredReceipt>,
  ): Promise<AnsweredReceipt> {
    const signal = AbortSignal.any([this.#close.signal, stop.signal]);
    for (;;) {
      try {
        const receipt = await this.#ask((client) => ask(client, { signal }));
        const { asks } = receipt;
        if (asks === null ? isFinal(receipt) : asks.approval === null || asks.options.length === 0) return receipt;
        if (asks?.approval != null) await this.#untilAnswered(asks.approval, signal);
      } catch (error) {
        const approval = error instanceof LecternError ? error.details["approval"] : undefined;
        if (typeof approval !== "string") throw error;
        // Something is asked: the prompt is for afterwards.
        await this.#untilAnswered(approval, signal);
      }
    }
  }

  async #untilAnswered(approval: string, signal: AbortSignal): Promise<void> {
    const { session } = this;
    for (let version: number | undefined; ;) {
      const wanted = { session, version, waitMs: version === undefined ? 0 : LIST_WAIT_MS };
      const list = await this.#ask((client) => client.call("approvals.list", wanted, { signal }));
      if (!list.approvals.some(({ id }) => id === approval)) break;
      version = list.version;
    }
    await delay(waits.pollMs, undefined, { signal });
  }

  async #textOf(content: readonly ContentBlock[]): Promise<string> {
    const texts: string[] = [];
    for (const part of promptParts(content)) {
      if (part.type === "text") texts.push(part.text);
      else {
        const bytes = Buffer.from(part.data, part.isText ? "utf8" : "base64");
        const put = async (client: LecternClient) => await client.putFile(this.session, chunksOf(bytes), part);
        texts.push((await this.#ask(put)).path);
      }
    }
    const text = texts.join(" ").trim();
    if (text === "") throw new LecternError("INVALID_INPUT", "Cannot type an empty prompt: give it a text");
    if (text.length <= PROMPT_CHARS_MAX) return text;
    throw new LecternError(
      "TOO_LARGE",
      `Cannot type ${text.length} characters: a prompt has at most ${PROMPT_CHARS_MAX}; give the text as a file`,
    );
  }

  async #followMessages(): Promise<void> {
    const client = await this.#options.context.client();
    const updates = client.updates(this.session, {
      from: this.#offset,
      kinds: ["message", "status"],
      signal: this.#close.signal,
      beforeReconnect: withDaemon(this.#options.context),
    });
    for await (const update of updates) {
      if (update.kind === "message") await this.#send([update.message]);
      if (update.kind === "status") this.#noteForeground(update.status);
    }
  }

  async #followQuestions(): Promise<void> {
    const { session } = this;
    const signal = this.#close.signal;
    for (let version: number | undefined; !signal.aborted;) {
      const wanted = { session, version, waitMs: version === undefined ? 0 : LIST_WAIT_MS };
      const list = await this.#ask((client) => client.call("approvals.list", wanted, { signal }));
      version = list.version;
      const open = new Set(list.approvals.map(({ id }) => id));
      for (const [id, asked] of this.#asked) if (!open.has(id)) asked.abort();
      for (const approval of list.approvals)
        if (!this.#asked.has(approval.id))
          void this.#askPermission(approval).catch((error: unknown) => {
            if (!signal.aborted) this.#options.context.note(`lectern acp: ${errorMessage(error)}`);
          });
    }
  }

  /** Asks the client. If somebody else answers first, the client is told by `$/cancel_request`. */
  async #askPermission(approval: SessionApproval): Promise<void> {
    const request = permissionRequest(approval);
    const asked = new AbortController();
    this.#asked.set(approval.id, asked);
    if (request === null) return;
    const { peer, sessionId } = this.#options;
    // What led to the question comes before it.
    await this.#sending;
    const options = { cancellationSignal: asked.signal, stopWaitingOnCancel: true };
    const question: RequestPermissionRequest = { sessionId, ...request };
    const answer = await peer.request("session/request_permission", question, options).catch((error: unknown) => {
      if (asked.signal.aborted) return undefined;
      throw error;
    });
    if (answer?.outcome.outcome !== "selected" || asked.signal.aborted) return;
    const option = answer.outcome.optionId;
    const { id, digest } = approval;
    await this.#ask(async (client) => {
      const given = { session: this.session, approval: id, option, digest, by: "acp" };
      await client.call("approvals.answer", given, { signal: this.#close.signal }).catch(ignoreAnswered);
    });
  }

  /** Sends what the stream has not brought yet, and what was held back. */
  async #catchUp(): Promise<void> {
    const { messages, next } = await this.#messages(this.#offset);
    await this.#send(messages);
    this.#offset = next;
    await this.#notify(() => this.#updates.finish());
  }

  async #messages(after: number): Promise<Messages> {
    const wanted = { session: this.session, after };
    return await this.#ask((client) => client.call("sessions.messages", wanted, { signal: this.#close.signal }));
  }

  async #send(messages: readonly ChatMessage[]): Promise<void> {
    await this.#notify(() => messages.flatMap((message) => this.#updates.apply(message)));
  }

  async #say(text: string, messageId: string): Promise<void> {
    await this.#notify(() => [{ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } }]);
  }

  /** `make` is called when everything before it was sent. */
  async #notify(make: () => readonly SessionUpdate[]): Promise<void> {
    const { peer, sessionId } = this.#options;
    const before = this.#sending;
    const send = async (): Promise<void> => {
      await before;
      for (const update of make()) await peer.notify("session/update", { sessionId, update });
    };
    this.#sending = send();
    await this.#sending;
  }

  #noteForeground({ agent }: { readonly agent: string | null }): void {
    this.#agent = agent;
    this.#hasAgent ||= agent !== null;
  }

  async #ask<Answer>(call: (client: LecternClient) => Promise<Answer>): Promise<Answer> {
    return await askAgain(this.#options.context, call);
  }
}

/** Somebody was faster, or the question has changed and is asked again. */
function ignoreAnswered(error: unknown): void {
  if (!(error instanceof LecternError) || (error.code !== "NOT_FOUND" && error.code !== "CONFLICT")) throw error;
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
}
