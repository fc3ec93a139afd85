/** The pure pieces: values in, values out; no files, sockets, timers or clock. They run in Node and in browsers. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export { commitStructure } from "./core/gate/structural.ts";
export type {
  StructuralCommit,
  StructuralOptions,
  StructuralReason,
  StructuralReasonCode,
} from "./core/gate/structural.ts";
export { SchemaStore } from "./core/gate/schemas.ts";
export type {
  CompiledSchema,
  SchemaCheck,
  SchemaDialect,
  SchemaProblem,
  SchemaStoreOptions,
} from "./core/gate/schemas.ts";
export { toolsByName } from "./core/gate/tool-call.ts";
export type { FinishReason, ToolCall, ToolDefinition } from "./core/gate/tool-call.ts";
export { canonicalJson } from "./core/gate/canonical-json.ts";
