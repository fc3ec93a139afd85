/**
 * The structural commit: may this call be judged at all? It must be whole, named, offered to the model, and valid
 * against the tool's own schema. Being parsable is not enough, and a healed call never passes.
 * The answer is a value with machine-readable reasons; nothing here throws for what a model or a server sent.
 */
import type { SchemaDialect, SchemaProblem, SchemaStore } from "./schemas.ts";
import type { Finish } from "../wire/turn.ts";
import type { JudgedCall, ToolDefinition } from "./tool-call.ts";
import { visibleText } from "./visible-text.ts";

/**
 * - `turn-open`: the turn is not over; `turn-failed`: it ended by `content_filter`, `error` or `truncated`
 * - `unnamed`, `tool-unknown`: no name, or one that the model was not offered
 * - `arguments-too-large`, `arguments-invalid`, `arguments-healed`: the text is over the limit, no JSON, or was closed by us
 * - `arguments-not-object`, `arguments-not-text`, `arguments-mismatch`: not what the tool takes
 * - `schema-unusable`: the tool's schema does not compile; `schema-too-complex`: checking it took more than its budget
 */
export type StructuralReasonCode =
  | "turn-open"
  | "turn-failed"
  | "unnamed"
  | "tool-unknown"
  | "arguments-too-large"
  | "arguments-invalid"
  | "arguments-healed"
  | "arguments-not-object"
  | "arguments-not-text"
  | "arguments-mismatch"
  | "schema-unusable"
  | "schema-too-complex";

export interface StructuralReason {
  readonly code: StructuralReasonCode;
  readonly message: string;
  /** Where the arguments do not fit; only for `arguments-mismatch`. */
  readonly problems: readonly SchemaProblem[];
}

/** Whether a call is whole, named, offered and fits its tool's schema; if not, every reason. */
export type StructuralCommit =
  | {
      readonly committed: true;
      readonly tool: ToolDefinition;
      /** Null where the tool was offered without a schema: its arguments are an object, and no more is known. */
      readonly dialect: SchemaDialect | null;
    }
  | { readonly committed: false; readonly reasons: readonly StructuralReason[] };

export interface StructuralOptions {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly schemas: SchemaStore;
  /** Characters of `argumentsText`; more is refused before anything looks at it. Default 4,194,304. */
  readonly argumentsCharsMax?: number;
}

/** `length` passes here and is stopped by the policy, where it can be switched; a turn that failed never passes. */
const endedTurns: ReadonlySet<Finish> = new Set(["stop", "tool_calls", "length"]);

/**
 * Decides the structural commit of one call. All reasons of the first failing stage are given: call, then arguments, then schema.
 *
 * @example
 * ```ts
 * const tools = new Map([["ls", { name: "ls", schema: { type: "object" } }]]);
 * commitStructure(call, { tools, schemas: new SchemaStore() }); // { committed: true, ... } or { committed: false, reasons }
 * ```
 */
export function commitStructure(call: JudgedCall, options: StructuralOptions): StructuralCommit {
  const tool = options.tools.get(call.name);
  const stages = [
    (): readonly StructuralReason[] => [...turnReasons(call), ...nameReasons(call, tool)],
    (): readonly StructuralReason[] => argumentReasons(call, options.argumentsCharsMax ?? 4_194_304),
  ];
  for (const stage of stages) {
    const reasons = stage();
    if (reasons.length > 0) return { committed: false, reasons };
  }
  return tool === undefined
    ? { committed: false, reasons: nameReasons(call, tool) }
    : commitSchema(call, tool, options);
}

function commitSchema(call: JudgedCall, tool: ToolDefinition, options: StructuralOptions): StructuralCommit {
  if (tool.schema === null || tool.schema === undefined) return { committed: true, tool, dialect: null };
  const compiled = options.schemas.compile(tool.schema);
  if (!compiled.usable) return refused("schema-unusable", compiled.message);
  const check = compiled.check(call.arguments);
  if (check.valid) return { committed: true, tool, dialect: compiled.dialect };
  if (check.reason === "too-complex") {
    return refused("schema-too-complex", "Cannot check the arguments: the schema takes too many steps");
  }
  return refused("arguments-mismatch", "The arguments do not fit the tool's schema", check.problems);
}

function turnReasons(call: JudgedCall): readonly StructuralReason[] {
  if (call.finish === null) return [reason("turn-open", "The turn is not over")];
  if (endedTurns.has(call.finish)) return [];
  return [reason("turn-failed", `The turn ended with "${call.finish}"`)];
}

function nameReasons(call: JudgedCall, tool: ToolDefinition | undefined): readonly StructuralReason[] {
  if (call.name === "") return [reason("unnamed", "The call names no tool")];
  return tool === undefined
    ? [reason("tool-unknown", `The tool "${visibleText(call.name)}" was not offered to the model`)]
    : [];
}

function argumentReasons(call: JudgedCall, charsMax: number): readonly StructuralReason[] {
  const chars = call.argumentsText.length;
  if (chars > charsMax) {
    return [reason("arguments-too-large", `The arguments have ${chars} characters, the limit is ${charsMax}`)];
  }
  if (call.status === "invalid") return [reason("arguments-invalid", "The arguments are no JSON")];
  if (call.status === "healed" || call.provenance === "healed") {
    return [reason("arguments-healed", "The arguments were cut off and closed by the reader")];
  }
  if (call.provenance === "empty" && call.finish === "length") {
    return [reason("arguments-healed", "The arguments were cut off before they began")];
  }
  if (call.kind === "custom") {
    const isText = typeof call.arguments === "string";
    return isText ? [] : [reason("arguments-not-text", "The arguments are no text, which this tool takes")];
  }
  if (typeof call.arguments !== "object" || call.arguments === null || Array.isArray(call.arguments)) {
    return [reason("arguments-not-object", "The arguments are no JSON object")];
  }
  return [];
}

const reason = (
  code: StructuralReasonCode,
  message: string,
  problems: readonly SchemaProblem[] = [],
): StructuralReason => ({ code, message, problems });

const refused = (
  code: StructuralReasonCode,
  message: string,
  problems: readonly SchemaProblem[] = [],
): StructuralCommit => ({ committed: false, reasons: [reason(code, message, problems)] });
