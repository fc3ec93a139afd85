/**
 * The one shape that the gate judges. It is what a reader of a model's stream knows about a call once its turn is over;
 * the gate trusts nothing in it that it can check itself.
 */

/**
 * How the turn ended. `truncated`: the stream closed without the provider's own end. `null` in a call: the turn is still open.
 */
export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter" | "error" | "truncated";

/**
 * One tool call of a model's turn.
 *
 * @example
 * ```ts
 * const call: ToolCall = {
 *   id: "call_1", idSynthetic: false, name: "read_file", argumentsText: '{"path":"a.ts"}', arguments: { path: "a.ts" },
 *   status: "complete", provenance: "wire", finish: "tool_calls", source: "openai-chat",
 * };
 * ```
 */
export interface ToolCall {
  readonly id: string;
  /** The provider gave no id; this one was made up, and is unique in its session. */
  readonly idSynthetic: boolean;
  /** Empty where the stream never named the tool. */
  readonly name: string;
  /** As received. The audit hashes this text, never the parsed value (nodejs/node#63785). */
  readonly argumentsText: string;
  /** The parsed value; null where `status` is `invalid`. */
  readonly arguments: unknown;
  /** `healed`: the text was cut off and closed by us; never executable by itself. */
  readonly status: "complete" | "healed" | "invalid";
  /** `empty`: nothing on the wire, `{}` in `arguments`. */
  readonly provenance: "wire" | "empty" | "healed";
  readonly finish: FinishReason | null;
  /** Where the call comes from, such as a dialect: "anthropic". Free text for the audit. */
  readonly source: string;
}

/** A tool that the model was offered. */
export interface ToolDefinition {
  readonly name: string;
  /** JSON Schema of the arguments; null where the tool was offered without one (a vendor's built-in tool). */
  readonly inputSchema: unknown;
}

/**
 * The offered tools by name. Where two carry one name the first stays, and the others are named in `repeated`:
 * a server that offers a tool under the name of another must not replace its schema.
 *
 * @example
 * ```ts
 * toolsByName([{ name: "ls", inputSchema: null }]).tools.has("ls"); // true
 * ```
 */
export function toolsByName(definitions: Iterable<ToolDefinition>): {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly repeated: readonly string[];
} {
  const tools = new Map<string, ToolDefinition>();
  const repeated: string[] = [];
  for (const definition of definitions) {
    if (tools.has(definition.name)) repeated.push(definition.name);
    else tools.set(definition.name, definition);
  }
  return { tools, repeated };
}
