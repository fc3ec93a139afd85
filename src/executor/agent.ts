/** The loop: a prompt, turns of the model, their calls, their results, until the model says something and asks for nothing. */
import { LecternError } from "../core/errors.ts";
import type { JudgedCall } from "../core/gate/tool-call.ts";
import type { ToolCall, Turn, WireDelta } from "../core/wire/turn.ts";
import type { ConversationMessage } from "../core/wire/write-request.ts";
import type { Executor } from "./executor.ts";
import type { ModelClient } from "./model-client.ts";
import type { Tool } from "./tool.ts";

export interface AgentOptions {
  readonly model: string;
  readonly system: string;
  readonly client: ModelClient;
  readonly executor: Executor;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly onDelta: (delta: WireDelta) => void;
  /** Turns for one prompt. Default 100. */
  readonly turnsMax?: number;
  /** Default 16,384. */
  readonly outputTokensMax?: number;
}

/** What a person can stop: first the calls that run, then the turn. */
export interface Stops {
  /** Aborted by the first Ctrl-C while calls run; asked anew before each round of calls. */
  readonly calls: () => AbortSignal;
  readonly turn: AbortSignal;
  /** The calls are over, the model is asked again. */
  readonly onTurn?: () => void;
}

export class AgentLoop {
  readonly #options: AgentOptions;
  readonly #messages: ConversationMessage[] = [];

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** The conversation so far. */
  get messages(): readonly ConversationMessage[] {
    return this.#messages;
  }

  /**
   * Resolves with the last turn. Throws `CANCELLED` when the turn was stopped, `LIMIT_EXCEEDED` after too many turns,
   * `NOT_AVAILABLE` where the model does not answer; the conversation then goes on with what was said before.
   */
  async run(prompt: string, stops: Stops): Promise<Turn> {
    const { turnsMax = 100 } = this.#options;
    const before = this.#messages.length;
    this.#messages.push({ type: "user", text: prompt });
    try {
      for (let turns = 1; turns <= turnsMax; turns += 1) {
        stops.onTurn?.();
        const turn = await this.#turn(stops.turn);
        if (turn.toolCalls.length === 0) return turn;
        await this.#runCalls(turn, stops);
      }
      throw new LecternError("LIMIT_EXCEEDED", `The model took ${turnsMax} turns for one prompt`);
    } catch (error) {
      // Without an answer the prompt is as if it had never been asked: an API refuses two in a row.
      if (this.#messages.length === before + 1) this.#messages.pop();
      if (stops.turn.aborted) throw new LecternError("CANCELLED", "The turn was stopped", { cause: error });
      throw error;
    }
  }

  async #turn(signal: AbortSignal): Promise<Turn> {
    const { client, model, onDelta, outputTokensMax = 16_384, system, tools } = this.#options;
    const offered = [...tools.values()].map(({ description, name, schema }) => ({ name, description, schema }));
    const request = { model, system, messages: this.#messages, tools: offered, outputTokensMax };
    const turn = await client.turn(request, onDelta, signal);
    const toolCalls = turn.toolCalls.map(sendable);
    if (turn.text !== "" || toolCalls.length > 0) {
      this.#messages.push({ type: "assistant", text: turn.text, toolCalls });
    }
    return turn;
  }

  async #runCalls(turn: Turn, stops: Stops): Promise<void> {
    const { executor } = this.#options;
    const signal = AbortSignal.any([stops.turn, stops.calls()]);
    const results = await executor.run(turn.toolCalls satisfies readonly JudgedCall[], signal);
    this.#messages.push({ type: "tool-results", results });
    stops.turn.throwIfAborted();
  }
}

/** A call whose arguments are no whole JSON is refused by the gate; an API takes it back only with some that are. */
const sendable = (call: ToolCall): ToolCall => (call.status === "complete" ? call : { ...call, argumentsText: "{}" });
