/**
 * The structural commit: a call must be complete, named, offered to the model, and valid by the tool's schema before a policy judges it.
 * A healed call never passes. Refusals are values with machine-readable reasons; nothing here throws for input of a model or a server.
 */
import type { SchemaDialect } from "../json-schema/schema-form.ts";
import type { SchemaProblem } from "../json-schema/schema-run.ts";
import type { SchemaStore } from "./schemas.ts";
import type { Finish } from "../wire/turn.ts";
import type { JudgedCall, ToolDefinition } from "./tool-call.ts";
import { visibleText } from "./visible-text.ts";

/**
 * - `turn-open`: the turn is not over; `turn-failed`: it ended by `content_filter`, `error` or `truncated`
 * - `unnamed`, `tool-unknown`: no name, or one that was not offered to the model
 * - `arguments-too-large`, `arguments-invalid`, `arguments-healed`: the text is over the limit, invalid JSON, or was completed here
 * - `arguments-not-object`, `arguments-not-text`, `arguments-mismatch`: the tool takes other arguments
 * - `schema-unusable`: the tool's schema does not compile; `schema-too-complex`: the check exceeded its limit
 * - `too-costly`: the call could not be judged in the time that it has
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
  | "schema-too-complex"
  | "too-costly";

export interface StructuralReason {
  readonly code: StructuralReasonCode;
  readonly message: string;
  /** Only for `arguments-mismatch`. */
  readonly problems: readonly SchemaProblem[];
}

/** The result of the structural commit; if refused, every reason of the failing stage. */
export type StructuralCommit =
  | {
      readonly committed: true;
      readonly tool: ToolDefinition;
      /** Null if the tool was offered without a schema: its arguments are only known to be an object. */
      readonly dialect: SchemaDialect | null;
    }
  | { readonly committed: false; readonly reasons: readonly StructuralReason[] };

export interface StructuralOptions {
  readonly tools: ReadonlyMap<string, ToolDefinition>;
  readonly schemas: SchemaStore;
  /** Characters of `argumentsText`; more is refused before parsing. Default 4,194,304. */
  readonly argumentsCharsMax?: number;
}

/** `length` passes here, because the policy decides about it; a failed turn never passes. */
const endedTurns: ReadonlySet<Finish> = new Set(["stop", "tool_calls", "length"]);

/**
 * Decides the structural commit of one call. Returns all reasons of the first failing stage: call, then arguments, then schema.
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
  if (check.reason === "too-complex")
    return refused("schema-too-complex", "Cannot check the arguments: the schema takes too many steps");
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
  if (chars > charsMax)
    return [reason("arguments-too-large", `The arguments have ${chars} characters, the limit is ${charsMax}`)];
  if (call.status === "invalid") return [reason("arguments-invalid", "The arguments are not valid JSON")];
  if (call.status === "healed" || call.provenance === "healed")
    return [reason("arguments-healed", "The arguments were cut off and completed by the reader")];
  if (call.provenance === "empty" && call.finish === "length")
    return [reason("arguments-healed", "The arguments were cut off before they began")];
  if (call.kind === "custom") {
    const isText = typeof call.arguments === "string";
    return isText ? [] : [reason("arguments-not-text", "The arguments are not text, which this tool takes")];
  }
  if (typeof call.arguments !== "object" || call.arguments === null || Array.isArray(call.arguments))
    return [reason("arguments-not-object", "The arguments are not a JSON object")];
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
