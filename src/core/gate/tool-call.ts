/**
 * What the gate judges: the calls of a turn as the reader of the model's stream gives them, and the tools that the model
 * was offered. The gate trusts nothing in a call that it can check itself.
 */
import type { ToolCall } from "../wire/turn.ts";

/**
 * The part of a `ToolCall` that the gate looks at. The audit hashes `argumentsText`, never the parsed value
 * (nodejs/node#63785).
 *
 * @example
 * ```ts
 * const call: JudgedCall = {
 *   id: "call_1", kind: "function", name: "read_file", argumentsText: '{"path":"a.ts"}', arguments: { path: "a.ts" },
 *   status: "complete", provenance: "wire", finish: "tool_calls",
 * };
 * ```
 */
export type JudgedCall = Pick<
  ToolCall,
  "id" | "kind" | "name" | "argumentsText" | "arguments" | "status" | "provenance" | "finish"
>;

/** A tool that the model was offered; each `ToolSchema` of `readToolSchemas` is one. */
export interface ToolDefinition {
  readonly name: string;
  /** JSON Schema of the arguments; null where the tool was offered without one (a vendor's built-in tool, free text). */
  readonly schema: unknown;
}

/**
 * The offered tools by name. Where two carry one name the first stays, and the others are named in `repeated`:
 * a server that offers a tool under the name of another must not replace its schema.
 *
 * @example
 * ```ts
 * toolsByName([{ name: "ls", schema: null }]).tools.has("ls"); // true
 * ```
 */
export function toolsByName<Definition extends ToolDefinition>(
  definitions: Iterable<Definition>,
): {
  readonly tools: ReadonlyMap<string, Definition>;
  readonly repeated: readonly string[];
} {
  const tools = new Map<string, Definition>();
  const repeated: string[] = [];
  for (const definition of definitions) {
    if (tools.has(definition.name)) repeated.push(definition.name);
    else tools.set(definition.name, definition);
  }
  return { tools, repeated };
}
