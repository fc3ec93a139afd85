/**
 * The operation table. CLI, HTTP with OpenAPI, WebSocket, MCP and the typed client are projections of it.
 * An input is one flat object: its path parameters stand in the path, the rest in the query (GET, DELETE) or the JSON body.
 */
import type * as z from "zod";
import { administrationOperations } from "./operations/administration.ts";
import { decidingOperations } from "./operations/deciding.ts";
import { lifecycleOperations } from "./operations/lifecycle.ts";
import { readingOperations } from "./operations/reading.ts";
import { typingOperations } from "./operations/typing.ts";
import { viewingOperations } from "./operations/viewing.ts";
import type { Operation } from "./operations/define.ts";
import type { OperationName } from "./routes.ts";

export type { Operation } from "./operations/define.ts";

export const operations = {
  ...administrationOperations,
  ...lifecycleOperations,
  ...typingOperations,
  ...readingOperations,
  ...viewingOperations,
  ...decidingOperations,
} as const satisfies Record<OperationName, Operation>;

/** What a caller gives, before defaults. */
export type InputOf<Name extends OperationName> = z.input<(typeof operations)[Name]["input"]>;
/** What a handler gets, after defaults. */
export type ParsedInputOf<Name extends OperationName> = z.output<(typeof operations)[Name]["input"]>;
export type OutputOf<Name extends OperationName> = (typeof operations)[Name]["output"] extends z.ZodType
  ? z.output<Exclude<(typeof operations)[Name]["output"], null>>
  : never;
