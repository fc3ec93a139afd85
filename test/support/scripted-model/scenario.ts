/** What a scripted model says: a list of turns, each used once unless it says otherwise. Plain data, so that it can be a JSON file. */

/** One tool call. `arguments` as a text goes out as it is, whole JSON or not. */
export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** Of the Responses API: a tool that takes its arguments as free text. */
  readonly isCustom?: boolean;
}

/** Which requests a turn answers; all that is named must hold. */
export interface TurnCondition {
  /** An expression that the text since the model's last answer must match, be it the user's or a tool's result. */
  readonly last?: string;
  /** An expression that the name of the model must match. */
  readonly model?: string;
  /** Whether the request offers tools. */
  readonly tools?: boolean;
}

export interface ScriptedTurn {
  readonly when?: TurnCondition;
  /** How many requests it answers; default 1. */
  readonly times?: number | "always";
  readonly think?: string;
  readonly say?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly finish?: "stop" | "tool_calls" | "length" | "content_filter";
  readonly usage?: { readonly input: number; readonly output: number; readonly cached?: number };
  /** An answer with this status and an error instead of a turn. */
  readonly status?: number;
  readonly error?: { readonly type: string; readonly message: string };
  readonly retryAfterSeconds?: number;
  /** Characters of text and of arguments in one event; default 16. */
  readonly eventChars?: number;
  /** Before the first event, and between two events; default 0. */
  readonly firstDelayMs?: number;
  readonly delayMs?: number;
  /** The stream ends after so many events without its end: `cut` breaks the connection, `truncate` ends it in order. */
  readonly cut?: number;
  readonly truncate?: number;
  /** After so many events nothing comes any more, and the connection stays open. */
  readonly stall?: number;
  /** This text as it is, instead of a turn; `contentType` goes with it. */
  readonly raw?: string;
  readonly contentType?: string;
}

export interface Scenario {
  readonly turns: readonly ScriptedTurn[];
  /** What requests without tools get, such as those for a title; without it they take part in the turns. */
  readonly aside?: string;
  /** What comes when all turns were used; default: the status 500. */
  readonly fallback?: ScriptedTurn;
}

/** What a turn is chosen by. */
export interface AskedFor {
  readonly model: string;
  readonly tools: boolean;
  readonly last: string;
}

/** Chooses the turn of each request: the first that fits and is left. */
export class ScenarioTurns {
  readonly #scenario: Scenario;
  readonly #used: number[];

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#used = scenario.turns.map(() => 0);
  }

  next(asked: AskedFor): ScriptedTurn {
    const { aside, fallback, turns } = this.#scenario;
    if (aside !== undefined && !asked.tools) return { say: aside };
    const index = turns.findIndex((turn, at) => this.#isLeft(turn, at) && fits(turn.when ?? {}, asked));
    const turn = turns[index];
    if (turn === undefined)
      return fallback ?? { status: 500, error: { type: "script_over", message: "No turn is left" } };
    this.#used[index] = (this.#used[index] ?? 0) + 1;
    return turn;
  }

  /** Turns that no request has used. */
  get left(): number {
    return this.#used.filter((times) => times === 0).length;
  }

  #isLeft({ times = 1 }: ScriptedTurn, at: number): boolean {
    return times === "always" || (this.#used[at] ?? 0) < times;
  }
}

function fits(condition: TurnCondition, asked: AskedFor): boolean {
  if (condition.tools !== undefined && condition.tools !== asked.tools) return false;
  if (condition.model !== undefined && !new RegExp(condition.model).test(asked.model)) return false;
  return condition.last === undefined || new RegExp(condition.last, "s").test(asked.last);
}
