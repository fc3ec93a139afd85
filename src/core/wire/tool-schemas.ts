/** Reads the tools that a request offers to the model. */
import { asList, asName, asObject, asText, fieldsOf, objectsIn, stringOf, type JsonObject } from "./shape.ts";
import type { Dialect, ToolCallKind } from "./turn.ts";

/** One tool that the client executes. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string | null;
  readonly kind: ToolCallKind;
  /** JSON Schema of the arguments; null where the request gives none (free text, tools of the API). */
  readonly schema: JsonObject | null;
}

/**
 * Reads the tools of a request, by name. Tools that the servers of the provider run are left out. The first of two tools with one name
 * counts. The schema form of Gemini (`parameters`, with types in capitals) becomes JSON Schema.
 *
 * @example
 * ```ts
 * readToolSchemas("anthropic", { tools: [{ name: "ls", input_schema: { type: "object" } }] }).get("ls")?.schema;
 * ```
 */
export function readToolSchemas(dialect: Dialect, request: unknown): ReadonlyMap<string, ToolSchema> {
  const schemas = new Map<string, ToolSchema>();
  for (const tool of toolsOf(dialect, fieldsOf(request))) {
    if (tool.name !== "" && !schemas.has(tool.name)) schemas.set(tool.name, tool);
  }
  return schemas;
}

/** In it, OpenAI's models are told of tools that have none. */
const noNamespace = "functions";

/**
 * The whole name of a tool of the Responses API that is declared in a namespace, as clients write it elsewhere: `mcp__github` and `mcp__github__`
 * with `delete` are `mcp__github__delete`. Without it two tools would have one name, and a rule for the whole name would not match.
 */
export function nameIn(namespace: string | undefined, name: string): string {
  if (namespace === undefined || namespace === noNamespace || name === "") return name;
  return /(?:__|[./:])$/.test(namespace) ? `${namespace}${name}` : `${namespace}__${name}`;
}

function toolsOf(dialect: Dialect, request: JsonObject): ToolSchema[] {
  const inner = asObject(request["request"]);
  // Code Assist wraps the request.
  const body = dialect === "gemini" && request["tools"] === undefined && inner !== undefined ? inner : request;
  const tools = objectsIn(body["tools"]);
  switch (dialect) {
    case "openai-chat":
      return [...tools.flatMap(chatTool), ...objectsIn(body["functions"]).map((each) => named(each, "parameters"))];
    case "openai-responses":
      return [...tools, ...toolsAmong(body["input"])].flatMap(responsesTool);
    case "anthropic":
      return tools.flatMap(anthropicTool);
    case "gemini":
      return tools.flatMap((tool) =>
        objectsIn(tool["functionDeclarations"] ?? tool["function_declarations"]).map(geminiTool),
      );
  }
}

/** Codex gives the tools of newer models as items of the conversation. */
const toolsAmong = (input: unknown): JsonObject[] =>
  objectsIn(input)
    .filter((item) => item["type"] === "additional_tools")
    .flatMap((item) => objectsIn(item["tools"]));

function chatTool(tool: JsonObject): ToolSchema[] {
  const custom = asObject(tool["custom"]);
  if (custom !== undefined) return [{ ...named(custom, ""), kind: "custom" }];
  const declared = asObject(tool["function"]);
  return declared === undefined ? [] : [named(declared, "parameters")];
}

function responsesTool(tool: JsonObject): ToolSchema[] {
  switch (tool["type"]) {
    case "function":
      return [named(tool, "parameters")];
    case "custom":
      return [{ ...named(tool, ""), kind: "custom" }];
    case "namespace":
      return objectsIn(tool["tools"])
        .flatMap(responsesTool)
        .map((inner) => ({ ...inner, name: nameIn(asName(tool["name"]), inner.name) }));
    case "computer_use_preview":
    case "computer":
      return [native("computer")];
    default: {
      const type = asName(tool["type"]);
      return type === undefined || serverTools.test(type) ? [] : [native(type)];
    }
  }
}

/** Tools of the Responses API that its servers run; all others, including unknown ones, are executed by the client. */
const serverTools = /^(?:web_search|file_search|code_interpreter|image_generation|mcp)(?:_|$)/;

/** Types of Anthropic tools that the client executes. */
const anthropicClientTools = /^(?:custom|bash|text_editor|computer|memory)(?:_|$)/;

function anthropicTool(tool: JsonObject): ToolSchema[] {
  const type = asName(tool["type"]);
  if (type !== undefined && !anthropicClientTools.test(type)) return [];
  return [named(tool, "input_schema")];
}

function geminiTool(declared: JsonObject): ToolSchema {
  const standard = asObject(declared["parametersJsonSchema"]) ?? asObject(declared["parameters_json_schema"]);
  const own = asObject(declared["parameters"]);
  const schema = standard ?? (own === undefined ? null : (asJsonSchema(own) as JsonObject));
  return { ...named(declared, ""), schema };
}

function named(tool: JsonObject, schemaField: string): ToolSchema {
  return {
    name: stringOf(tool["name"]),
    description: asText(tool["description"]) ?? null,
    kind: "function",
    schema: asObject(tool[schemaField]) ?? null,
  };
}

const native = (name: string): ToolSchema => ({ name, description: null, kind: "native", schema: null });

const schemaLists = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);
const schemaMaps = new Set(["properties", "$defs"]);
const counts = new Set(["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"]);

/** Gemini has types in capitals, counts as texts, and `nullable` beside the type. */
function asJsonSchema(value: unknown): unknown {
  const own = asObject(value);
  if (own === undefined) return value;
  const schema: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(own)) {
    if (key === "type" && typeof item === "string") schema["type"] = item.toLowerCase();
    else if (key === "items") schema["items"] = asJsonSchema(item);
    else if (schemaLists.has(key)) schema[key] = asList(item).map(asJsonSchema);
    else if (schemaMaps.has(key)) schema[key] = mapSchemas(fieldsOf(item));
    else if (counts.has(key)) schema[key] = typeof item === "string" ? Number(item) : item;
    else if (key !== "nullable" && key !== "propertyOrdering" && key !== "example") schema[key] = item;
  }
  if (own["nullable"] !== true) return schema;
  return { anyOf: [schema, { type: "null" }] };
}

const mapSchemas = (properties: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, asJsonSchema(schema)]));
