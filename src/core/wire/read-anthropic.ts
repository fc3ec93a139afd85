/**
 * Anthropic Messages. Tools that Anthropic's servers run (`server_tool_use`, `mcp_tool_use`) are not calls for the client.
 *
 * @see https://docs.anthropic.com/en/docs/build-with-claude/streaming
 */
import { asCount, asIndex, asList, asName, asObject, asText, fieldsOf, stringOf, type JsonObject } from "./shape.ts";
import type { Finish, ToolSlot } from "./turn.ts";
import type { TurnBuilder } from "./turn-builder.ts";

const finishes: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

export class AnthropicReader {
  /** Whether open blocks are calls, by index. The latest block is also at `undefined`, for events without an index. */
  readonly #isCall = new Map<number | undefined, boolean>();
  /** Blocks that cannot have arguments, by index as above. */
  readonly #isText = new Set<number | undefined>();
  #blocks = 0;
  #begun = false;
  /** Whether the latest block may get deltas and an end. */
  #isOpen = false;
  /** The latest block is a call that came with its arguments. */
  #hasInput = false;

  read(event: JsonObject, turn: TurnBuilder): void {
    if (turn.strict && this.#isMisplaced(event, turn))
      return turn.fail("MALFORMED", "The events of a content block are not in their order");
    switch (event["type"]) {
      case "content_block_delta":
        return this.#readDelta(asIndex(event["index"]), fieldsOf(event["delta"]), turn);
      case "content_block_start":
        return this.#startBlock(asIndex(event["index"]), fieldsOf(event["content_block"]), turn);
      case "content_block_stop": {
        const slot = this.#callAt(asIndex(event["index"]), turn);
        this.#isOpen = false;
        if (slot !== undefined) turn.endCall(slot);
        return;
      }
      case "message_start": {
        this.#begun = true;
        const message = fieldsOf(event["message"]);
        turn.identify(message["id"], message["model"]);
        return readUsage(message["usage"], turn);
      }
      case "message_delta":
        readStopReason(fieldsOf(event["delta"])["stop_reason"], turn);
        return readUsage(event["usage"], turn);
      case "message_stop":
        return turn.close();
      case "error":
        return readAnthropicError(event, turn);
      default: // `ping` and unknown events.
    }
  }

  /**
   * Anthropic's library ignores blocks before `message_start`, takes an end for that of the latest block, and gives that one out once
   * more with each end. Blocks come one after the other.
   */
  #isMisplaced({ index, type }: JsonObject, turn: TurnBuilder): boolean {
    switch (type) {
      case "message_start":
        return this.#begun;
      case "content_block_start":
        return !this.#begun;
      case "content_block_delta":
      case "content_block_stop":
        return turn.callCount > 0 && (!this.#isOpen || index !== this.#blocks - 1);
      default:
        return false;
    }
  }

  #startBlock(index: number | undefined, block: JsonObject, turn: TurnBuilder): void {
    const isCall = block["type"] === "tool_use";
    // Anthropic's library assumes that the index is the number of earlier blocks.
    const isElsewhere = index !== this.#blocks;
    this.#blocks += 1;
    if (turn.strict && isElsewhere && (isCall || turn.callCount > 0))
      return turn.fail("MALFORMED", "A content block has an unexpected index");
    this.#isOpen = true;
    this.#hasInput = isCall && Object.keys(fieldsOf(block["input"])).length > 0;
    this.#isCall.set(index, isCall).set(undefined, isCall);
    const isText = /^(?:text|thinking|redacted_thinking)$/.test(stringOf(block["type"]));
    for (const key of [index, undefined]) {
      if (isText) this.#isText.add(key);
      else this.#isText.delete(key);
    }
    startBlock(index, block, turn);
  }

  #readDelta(index: number | undefined, delta: JsonObject, turn: TurnBuilder): void {
    switch (delta["type"]) {
      case "text_delta":
        return turn.addText(stringOf(delta["text"]));
      case "thinking_delta":
        return turn.addThinking(stringOf(delta["thinking"]));
      case "input_json_delta":
        return this.#readArguments(index, stringOf(delta["partial_json"]), turn);
      default: // `signature_delta`, `citations_delta` and unknown deltas.
    }
  }

  #readArguments(index: number | undefined, text: string, turn: TurnBuilder): void {
    // Without these arguments their call would be a different one.
    if (!this.#isCall.has(index)) return turn.fail("MALFORMED", "Arguments came for a block that was not started");
    const slot = this.#callAt(index, turn);
    // Clients take the one or the other.
    if (turn.strict && slot !== undefined && this.#hasInput)
      return turn.fail("MALFORMED", `The tool call "${slot.name}" has its arguments twice`);
    if (slot !== undefined) return turn.appendArguments(slot, text);
    if (turn.strict && this.#isText.has(index)) turn.fail("MALFORMED", "Arguments came for a block that is not a call");
  }

  #callAt(index: number | undefined, turn: TurnBuilder): ToolSlot | undefined {
    if (this.#isCall.get(index) !== true) return undefined;
    return index === undefined ? turn.latestCall : turn.callAt(index);
  }
}

/** Reads a whole answer that was not streamed. */
export function readAnthropicMessage(message: JsonObject, turn: TurnBuilder): void {
  if (message["type"] === "error") return readAnthropicError(message, turn);
  turn.identify(message["id"], message["model"]);
  for (const [index, value] of asList(message["content"]).entries()) {
    const block = fieldsOf(value);
    startBlock(index, block, turn);
    const slot = turn.callAt(index);
    if (slot !== undefined) turn.endCall(slot);
  }
  readUsage(message["usage"], turn);
  readStopReason(message["stop_reason"], turn);
  turn.close();
}

function startBlock(index: number | undefined, block: JsonObject, turn: TurnBuilder): void {
  switch (block["type"]) {
    case "text":
      return turn.addText(stringOf(block["text"]));
    case "thinking":
      return turn.addThinking(stringOf(block["thinking"]));
    case "server_tool_use":
    case "mcp_tool_use":
      return turn.addServerTool(stringOf(block["name"]));
    case "tool_use": {
      const id = asName(block["id"]);
      const name = asName(block["name"]);
      const slot = turn.openCall(index, { ...(id && { id }), ...(name && { name }) });
      const input = asObject(block["input"]);
      // Streams start with an empty object and send the arguments in deltas.
      if (input !== undefined && Object.keys(input).length > 0) turn.appendArguments(slot, JSON.stringify(input));
      return;
    }
    default:
  }
}

function readStopReason(value: unknown, turn: TurnBuilder): void {
  const reason = asName(value);
  if (reason !== undefined) turn.setFinish(finishes[reason] ?? "error", reason);
}

function readUsage(value: unknown, turn: TurnBuilder): void {
  const usage = asObject(value);
  if (usage === undefined) return;
  const fresh = asCount(usage["input_tokens"]);
  const cached = asCount(usage["cache_read_input_tokens"]);
  const written = asCount(usage["cache_creation_input_tokens"]);
  turn.setUsage({
    // Anthropic counts cached input separately.
    inputTokens: fresh === undefined ? undefined : fresh + (cached ?? 0) + (written ?? 0),
    outputTokens: asCount(usage["output_tokens"]),
    cachedInputTokens: cached,
    cacheWriteTokens: written,
  });
}

function readAnthropicError(event: JsonObject, turn: TurnBuilder): void {
  const error = fieldsOf(event["error"]);
  turn.fail(asName(error["type"]) ?? "error", asText(error["message"]) ?? null);
}
