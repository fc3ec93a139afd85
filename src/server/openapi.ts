/** The operation table as an OpenAPI 3.1 document. */
import * as z from "zod";
import { errorTable } from "../core/errors.ts";
import { operationNames, operations, type Operation, type OperationName } from "../protocol/operations.ts";
import { namedTypes } from "../protocol/type-names.ts";
import { hasBody, pathParameters, PROTOCOL_VERSION, splitEndpoint, type Route } from "../protocol/routes.ts";
import { exampleOf, type JsonSchema } from "./schema-examples.ts";

export interface OperationDescription {
  readonly name: OperationName;
  readonly row: Operation;
  readonly route: Route;
  readonly parameters: readonly ParameterDescription[];
  /** Undefined if there is no JSON body. */
  readonly body: JsonSchema | undefined;
  /** Of the output, or of one item of a stream; undefined for bytes and frames. */
  readonly output: JsonSchema | undefined;
}

interface ParameterDescription {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export const describeOperations = (): OperationDescription[] => operationNames.map((name) => describe(name));

let document: JsonSchema | undefined;

export function openApiDocument(): JsonSchema {
  document ??= makeDocument();
  return document;
}

function describe(name: OperationName): OperationDescription {
  const row: Operation = operations[name];
  const route = splitEndpoint(row.endpoint);
  const inPath = pathParameters(route.path);
  const wantsJson = hasBody(route.method) && row.upload === undefined;
  const schema = toJsonSchema(row.input, "input");
  const properties = Object.entries(schema["properties"] as Record<string, JsonSchema>);
  const required = new Set((schema["required"] as string[] | undefined) ?? []);
  const parameters = properties
    .filter(([key]) => inPath.includes(key) || !wantsJson)
    .map(([key, property]) => ({
      name: key,
      in: inPath.includes(key) ? ("path" as const) : ("query" as const),
      required: required.has(key),
      schema: inPath.includes(key) ? property : querySchema(property),
    }));
  const rest = properties.filter(([key]) => !inPath.includes(key));
  const body: JsonSchema = {
    type: "object",
    properties: Object.fromEntries(rest),
    required: [...required].filter((key) => !inPath.includes(key)),
    additionalProperties: false,
  };
  const output = row.stream === undefined ? row.output : row.stream.item;
  return {
    name,
    row,
    route,
    parameters,
    body: wantsJson ? body : undefined,
    output: typeof output === "string" ? undefined : toJsonSchema(output, "output"),
  };
}

function toJsonSchema(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

/** A query value is text that stands for a number, a flag or a list: what it stands for says more than the text. */
function querySchema(property: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = property;
  if (!Array.isArray(anyOf)) return property;
  const meant = (anyOf as JsonSchema[]).find((option) => option["type"] !== "string");
  return meant === undefined ? property : { ...rest, ...meant };
}

const names = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries<z.ZodType>(namedTypes)) names.add(schema, { id });

const COMPONENTS = "#/components/schemas/";

/** The schema of an answer, with references to the named types. */
function referring(schema: z.ZodType): JsonSchema {
  const options = { metadata: names, io: "output", unrepresentable: "any" } as const;
  const { $schema: _, $defs: __, ...rest } = z.toJSONSchema(schema, options);
  return JSON.parse(JSON.stringify(rest).replaceAll("#/$defs/", COMPONENTS)) as JsonSchema;
}

/** Each named type with an example. */
function components(): Record<string, JsonSchema> {
  const uri = (id: string): string => COMPONENTS + id;
  const { schemas } = z.toJSONSchema(names, { uri, metadata: names, io: "output", unrepresentable: "any" });
  const named = Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema as JsonSchema]),
  );
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, { ...schema, examples: [exampleOf(schema, named)] }]),
  );
}

function makeDocument(): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const operation of describeOperations()) {
    const { path, method } = operation.route;
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOpenApi(operation) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Lectern",
      version: String(PROTOCOL_VERSION),
      description: "Runs any program in a real terminal and gives back a durable stream of what happened.",
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Problem: problemSchema, ...components() },
    },
  };
}

function toOpenApi({ name, row, parameters, body }: OperationDescription): JsonSchema {
  return {
    operationId: name,
    summary: row.summary,
    tags: [name.split(".", 1)[0]],
    "x-lectern-scope": row.scope,
    ...(row.person === true && { "x-lectern-person": true }),
    ...(row.stream !== undefined && { "x-lectern-transports": row.stream.transports }),
    parameters: parameters.map((parameter) =>
      parameter.schema["type"] === "array" ? { ...parameter, style: "form", explode: false } : parameter,
    ),
    ...requestBody(row, body),
    responses: {
      ...answer(row),
      default: {
        description: "A problem document (RFC 9457)",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

function requestBody({ upload }: Operation, body: JsonSchema | undefined): JsonSchema {
  if (upload === "file") return { requestBody: { required: true, content: { "application/octet-stream": {} } } };
  if (upload !== undefined) {
    const content = { "application/x-asciicast": {}, "application/x-ndjson": {}, "application/octet-stream": {} };
    return { requestBody: { required: true, content } };
  }
  return body === undefined
    ? {}
    : { requestBody: { required: true, content: { "application/json": { schema: body } } } };
}

function answer({ output, stream }: Operation): JsonSchema {
  if (stream === undefined)
    return { 200: { description: "Done", content: { "application/json": { schema: referring(output) } } } };
  if (stream.item === "frames")
    return { 101: { description: "A WebSocket with the subprotocol lectern.v1 and the frames of PROTOCOL.md" } };
  if (stream.item === "bytes")
    return { 200: { description: "Bytes as they are made", content: { "application/octet-stream": {} } } };
  return {
    // OpenAPI 3.1 has no keyword for the items of a stream; 3.2 calls this one `itemSchema`.
    200: {
      description: "Server-sent events",
      content: { "text/event-stream": { "x-item-schema": referring(stream.item) } },
    },
    ...(stream.resume === "offset" && { 204: { description: "The session has ended, and everything was read" } }),
  };
}

const problemSchema: JsonSchema = {
  type: "object",
  required: ["type", "title", "status", "detail", "code", "details"],
  properties: {
    type: { type: "string", format: "uri" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { enum: Object.keys(errorTable) },
    details: { type: "object" },
    issues: {
      type: "array",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};
