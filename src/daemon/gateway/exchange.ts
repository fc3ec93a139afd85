/** One request of an agent and its answer, as it is told to the session's journal. */
import type { ChainHead } from "../../core/gate/audit-chain.ts";
import { parseJson } from "../../core/json/parse-json.ts";
import { readRequest, type RequestPart, type WireRequest } from "../../core/wire/read-request.ts";
import { readToolSchemas, type ToolSchema } from "../../core/wire/tool-schemas.ts";
import type { Dialect, Turn, WireDelta, WireError, Usage } from "../../core/wire/turn.ts";
import type { UsageLimitEnd } from "../../core/wire/usage-limit.ts";
import type { SessionEvent } from "../../core/records.ts";
import { GatewayProblem } from "./gateway-problem.ts";

/** UTF-16 units of all texts of one event. */
const TEXT_CHARS_MAX = 131_072;

export interface ExchangeStart {
  readonly id: string;
  readonly dialect: Dialect;
  /** The body of the request, unpacked. */
  readonly body: string;
  /** Where the model stands in the path. */
  readonly path: string;
  readonly mark: (event: SessionEvent) => Promise<number>;
}

export interface ExchangeEnd {
  readonly turn: Turn | null;
  readonly callIds: readonly string[];
  readonly denials: ReadonlyMap<number, string>;
  readonly status: number | null;
  readonly attempts: number;
  readonly error: WireError | null;
  /** The model server reports a limit of usage. */
  readonly limit?: UsageLimitEnd | null;
  /** Of the audit log, if the turn had calls. */
  readonly auditHead?: ChainHead | undefined;
}

export class Exchange {
  readonly id: string;
  readonly dialect: Dialect;
  readonly request: WireRequest;
  readonly tools: ReadonlyMap<string, ToolSchema>;
  readonly #model: string | null;
  readonly #mark: ExchangeStart["mark"];
  readonly #startMs = performance.now();
  #firstTokenMs: number | null = null;

  /** Throws `GatewayProblem` for a request that the gateway cannot watch over. */
  constructor(start: ExchangeStart) {
    const body = parseBody(start.body);
    this.id = start.id;
    this.dialect = start.dialect;
    this.request = readRequest(start.dialect, body);
    this.tools = readToolSchemas(start.dialect, body);
    this.#model = this.request.model ?? /\/models\/([^:/?]+):/.exec(start.path)?.[1] ?? null;
    this.#mark = start.mark;
    if (this.request.choices > 1) {
      throw new GatewayProblem("gateway_refused", 400, {
        message: `The request wants ${this.request.choices} answers at once: the gateway watches over one`,
      });
    }
  }

  begin(): void {
    const parts = shortParts(this.request.parts);
    const { dialect, id: exchange } = this;
    void this.#mark({ type: "wire-request", exchange, dialect, model: this.#model, tools: this.tools.size, ...parts });
  }

  /** Looks at what came of a turn: the first sign of life, and tools as soon as they are named. */
  observe(deltas: readonly WireDelta[]): void {
    for (const delta of deltas) {
      if (delta.type !== "text-delta" && delta.type !== "thinking-delta" && delta.type !== "tool-call-start") continue;
      this.#firstTokenMs ??= Math.round(performance.now() - this.#startMs);
      if (delta.type !== "tool-call-start") continue;
      void this.#mark({ type: "wire-intent", exchange: this.id, call: delta.id, tool: delta.name });
    }
  }

  /** Resolves when the journal has it. */
  async end({ attempts, auditHead, callIds, denials, error, limit = null, status, turn }: ExchangeEnd): Promise<void> {
    const model = turn?.model ?? this.#model;
    const text = shortened(turn?.text ?? "", TEXT_CHARS_MAX);
    const thinking = shortened(turn?.thinking ?? "", TEXT_CHARS_MAX - text.length);
    await this.#mark({
      type: "wire-turn",
      exchange: this.id,
      model,
      text,
      thinking,
      calls: callIds,
      refused: callIds.filter((_, slot) => denials.has(slot)),
      serverTools: turn?.serverTools ?? [],
      finish: turn?.finish ?? "error",
      usage: turn?.usage ?? null,
      costUsd: costOf(model, turn?.usage ?? null),
      status,
      attempts,
      firstTokenMs: this.#firstTokenMs,
      durationMs: Math.round(performance.now() - this.#startMs),
      error: error ?? turn?.error ?? null,
      cutChars: (turn?.text.length ?? 0) + (turn?.thinking.length ?? 0) - text.length - thinking.length,
      ...(limit !== null && { limit }),
      ...(auditHead !== undefined && { auditHead }),
    });
  }
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text, { textCharsMax: Infinity });
  } catch (cause) {
    throw new GatewayProblem("gateway_refused", 400, { message: "The body of the request is no JSON", cause });
  }
}

const shortened = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : text.slice(0, Math.max(0, charsMax)).toWellFormed();

/** The last parts are the newest: what does not fit is cut from the first ones. */
function shortParts(parts: readonly RequestPart[]): {
  readonly parts: readonly RequestPart[];
  readonly cutChars: number;
} {
  let left = TEXT_CHARS_MAX;
  let cutChars = 0;
  const short = parts.toReversed().map((part) => {
    const text = shortened(part.text, left);
    left -= text.length;
    cutChars += part.text.length - text.length;
    return { ...part, text };
  });
  return { parts: short.toReversed(), cutChars };
}

/**
 * What models cost, in US dollars for a million tokens, by the vendors' public price lists of 2025 and early 2026. A model is found
 * by its name, with or without a date; one that is not here has no price. Prices for long prompts, batches and regions are not here.
 */
interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that is read from a cache, and input that is written to one. */
  readonly cached: number;
  readonly cacheWrite: number;
}

const price = (input: number, output: number, cached: number, cacheWrite = input): Price => ({
  input,
  output,
  cached,
  cacheWrite,
});

export const prices: Readonly<Record<string, Price>> = {
  "claude-opus-4": price(15, 75, 1.5, 18.75),
  "claude-opus-4-1": price(15, 75, 1.5, 18.75),
  "claude-opus-4-5": price(5, 25, 0.5, 6.25),
  "claude-opus-4-6": price(5, 25, 0.5, 6.25),
  "claude-sonnet-4": price(3, 15, 0.3, 3.75),
  "claude-sonnet-4-5": price(3, 15, 0.3, 3.75),
  "claude-sonnet-4-6": price(3, 15, 0.3, 3.75),
  "claude-3-7-sonnet": price(3, 15, 0.3, 3.75),
  "claude-3-5-sonnet": price(3, 15, 0.3, 3.75),
  "claude-haiku-4-5": price(1, 5, 0.1, 1.25),
  "claude-3-5-haiku": price(0.8, 4, 0.08, 1),
  "gpt-5": price(1.25, 10, 0.125),
  "gpt-5-codex": price(1.25, 10, 0.125),
  "gpt-5.1": price(1.25, 10, 0.125),
  "gpt-5.1-codex": price(1.25, 10, 0.125),
  "gpt-5-mini": price(0.25, 2, 0.025),
  "gpt-5-nano": price(0.05, 0.4, 0.005),
  "gpt-4.1": price(2, 8, 0.5),
  "gpt-4.1-mini": price(0.4, 1.6, 0.1),
  "gpt-4.1-nano": price(0.1, 0.4, 0.025),
  "gpt-4o": price(2.5, 10, 1.25),
  "gpt-4o-mini": price(0.15, 0.6, 0.075),
  o3: price(2, 8, 0.5),
  "o4-mini": price(1.1, 4.4, 0.275),
  "gemini-2.5-pro": price(1.25, 10, 0.125),
  "gemini-2.5-flash": price(0.3, 2.5, 0.03),
  "gemini-2.5-flash-lite": price(0.1, 0.4, 0.01),
};

/** How vendors write which edition of a model it is. */
const DATE = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/;

/** Null for a model that has no price. A provider's prefix (`anthropic/claude-...`) does not matter. */
export function costOf(model: string | null, usage: Usage | null): number | null {
  const name = (model?.split("/").at(-1) ?? "").replace(DATE, "");
  const known = Object.hasOwn(prices, name) ? prices[name] : undefined;
  if (known === undefined || usage === null) return null;
  const { cacheWriteTokens, cachedInputTokens, inputTokens, outputTokens } = usage;
  const fresh = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  const micro =
    fresh * known.input +
    cachedInputTokens * known.cached +
    cacheWriteTokens * known.cacheWrite +
    outputTokens * known.output;
  return Math.round(micro) / 1_000_000;
}
