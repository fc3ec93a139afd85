/**
 * The operation table. HTTP with OpenAPI and the docs page, WebSocket, MCP, the typed client, the CLI and PROTOCOL.md are projections of it.
 * An input is one flat object: its path parameters are in the path, the rest is in the query (GET, DELETE) or in the JSON body.
 */
import type * as z from "zod";
import { administrationOperations } from "./operations/administration.ts";
import { decidingOperations } from "./operations/deciding.ts";
import { filesOperations } from "./operations/files.ts";
import { lifecycleOperations } from "./operations/lifecycle.ts";
import { readingOperations } from "./operations/reading.ts";
import { typingOperations } from "./operations/typing.ts";
import { viewingOperations } from "./operations/viewing.ts";
import { featureOperations } from "../features/operations.ts";
import type { Operation, Scope } from "./operations/define.ts";

export type { Operation, Scope } from "./operations/define.ts";

export const operations = {
  ...administrationOperations,
  ...lifecycleOperations,
  ...typingOperations,
  ...readingOperations,
  ...viewingOperations,
  ...decidingOperations,
  ...filesOperations,
  ...featureOperations,
} as const satisfies Readonly<Record<string, Operation>>;

type Table = typeof operations;
/** The name of an operation, such as `sessions.create`; PROTOCOL.md lists all. */
export type OperationName = keyof Table;

/** In the order of the table. */
export const operationNames = Object.keys(operations) as OperationName[];

/** Names of the operations whose rows have this shape. */
export type OperationsWith<Shape> = {
  [Name in OperationName]: Table[Name] extends Shape ? Name : never;
}[OperationName];

/** The operations with one JSON document as input and one as output. */
export type JsonOperation = Exclude<OperationsWith<{ readonly output: z.ZodType }>, UploadOperation>;
export type UploadOperation = OperationsWith<{ readonly upload: "asciicast" | "file" }>;
export type BytesOperation = OperationsWith<{ readonly stream: { readonly item: "bytes" } }>;
/** The operations that stream items. */
export type ItemsOperation = OperationsWith<{ readonly stream: { readonly item: z.ZodType } }>;
/** The operations of one MCP tool. */
export type OperationOfTool<Tool extends string> = {
  [Name in JsonOperation]: Table[Name] extends { readonly mcp: readonly string[] }
    ? Tool extends Table[Name]["mcp"][number]
      ? Name
      : never
    : never;
}[JsonOperation];

/** The operations that an MCP tool calls. */
export const operationsOfTool = (tool: string): OperationName[] =>
  operationNames.filter((name) => (operations[name] as Operation).mcp?.includes(tool) ?? false);

/** The input of an operation, before defaults are applied. */
export type InputOf<Name extends OperationName> = z.input<Table[Name]["input"]>;
/** What a handler gets, after defaults. */
export type ParsedInputOf<Name extends OperationName> = z.output<Table[Name]["input"]>;
/** The result of an operation. */
export type OutputOf<Name extends OperationName> = Table[Name] extends {
  readonly output: infer Output extends z.ZodType;
}
  ? z.output<Output>
  : never;
export type ItemOf<Name extends ItemsOperation> = Table[Name] extends {
  readonly stream: { readonly item: infer Item extends z.ZodType };
}
  ? z.output<Item>
  : never;

/** Whether a caller with one scope may do what needs another. */
const rank: Readonly<Record<Scope, number>> = { read: 0, write: 1, admin: 2 };
export const includesScope = (scope: Scope, wanted: Scope): boolean => rank[scope] >= rank[wanted];
