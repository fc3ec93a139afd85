/** The operation table as an OpenAPI 3.1 document. */
import * as z from "zod";
import { errorTable } from "../protocol/errors.ts";
import { operations, type Operation } from "../protocol/operations.ts";
import { pathParameters, PROTOCOL_VERSION, routes, type OperationName, type Route } from "../protocol/routes.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** One operation with its schemas as JSON Schema. */
export interface OperationDescription {
  readonly name: OperationName;
  readonly route: Route;
  readonly summary: string;
  readonly parameters: readonly ParameterDescription[];
  /** Undefined where there is no JSON body. */
  readonly body: JsonSchema | undefined;
  /** Undefined where the answer is not JSON. */
  readonly output: JsonSchema | undefined;
}

interface ParameterDescription {
  readonly name: string;
  readonly in: "path" | "query";
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** Every operation of the table, in its order. */
export function describeOperations(): OperationDescription[] {
  return (Object.keys(routes) as OperationName[]).map((name) => describe(name));
}

let document: JsonSchema | undefined;

/** The document of `/openapi.json`; made once. */
export function openApiDocument(): JsonSchema {
  document ??= makeDocument();
  return document;
}

function describe(name: OperationName): OperationDescription {
  const route: Route = routes[name];
  const { summary, input, output }: Operation = operations[name];
  const inPath = pathParameters(route.path);
  const inBody = route.method === "POST" || route.method === "PATCH";
  const schema = toJsonSchema(input, "input");
  const properties = Object.entries(schema["properties"] as Record<string, JsonSchema>);
  const required = new Set((schema["required"] as string[] | undefined) ?? []);
  const parameters = properties
    .filter(([key]) => inPath.includes(key) || !inBody || name === "sessions.import")
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
  return {
    name,
    route,
    summary,
    parameters,
    body: inBody && name !== "sessions.import" ? body : undefined,
    output: output === null ? undefined : toJsonSchema(output, "output"),
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
      schemas: { Problem: problemSchema },
    },
  };
}

function toOpenApi({ name, route, summary, parameters, body, output }: OperationDescription): JsonSchema {
  return {
    operationId: name,
    summary,
    tags: [name.split(".", 1)[0]],
    "x-lectern-scope": route.scope,
    ...(route.person === true && { "x-lectern-person": true }),
    parameters: parameters.map((parameter) =>
      parameter.schema["type"] === "array" ? { ...parameter, style: "form", explode: false } : parameter,
    ),
    ...requestBody(name, body),
    responses: {
      ...answer(route, output),
      default: {
        description: "A problem document (RFC 9457)",
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

function requestBody(name: OperationName, body: JsonSchema | undefined): JsonSchema {
  if (name === "sessions.import") {
    const content = { "application/x-asciicast": {}, "application/x-ndjson": {}, "application/octet-stream": {} };
    return { requestBody: { required: true, content } };
  }
  return body === undefined
    ? {}
    : { requestBody: { required: true, content: { "application/json": { schema: body } } } };
}

function answer(route: Route, output: JsonSchema | undefined): JsonSchema {
  switch (route.kind) {
    case "json":
      return { 200: { description: "Done", content: { "application/json": { schema: output ?? {} } } } };
    case "bytes":
      return { 200: { description: "Bytes as they are made", content: { "application/octet-stream": {} } } };
    case "sse":
      return {
        200: { description: "Server-sent events", content: { "text/event-stream": {} } },
        204: { description: "The session has ended, and everything was read" },
      };
    case "websocket":
      return { 101: { description: "A WebSocket with the subprotocol lectern.v1; its frames stand in PROTOCOL.md" } };
  }
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
