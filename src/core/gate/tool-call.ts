/** The input of the gate: the calls of a turn, as the reader of the model's stream gives them, and the tools of the request. */
import type { ToolCall } from "../wire/turn.ts";

/**
 * The fields of a `ToolCall` that the gate uses. The audit log hashes `argumentsText`, never the parsed value (nodejs/node#63785).
 */
export type JudgedCall = Pick<
  ToolCall,
  "id" | "kind" | "name" | "argumentsText" | "arguments" | "status" | "provenance" | "finish"
>;

/** A tool that was offered to the model; each `ToolSchema` of `readToolSchemas` is one. */
export interface ToolDefinition {
  readonly name: string;
  /** JSON Schema of the arguments; null if the tool was offered without one (a vendor's built-in tool, free text). */
  readonly schema: unknown;
}

/**
 * The offered tools by name. Of tools with the same name the first is used and the others are listed in `repeated`: a server must not
 * replace the schema of another server's tool. `toolsByName([{ name: "ls", schema: null }]).tools.has("ls"); // true`
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
