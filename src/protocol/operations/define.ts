/** The rows of the operation table and the schemas that they share. */
import * as z from "zod";
import { sessionReferenceSchema } from "../session.ts";

/** What a token may do: each scope includes the ones before it. */
export type Scope = "read" | "write" | "admin";
type Method = "GET" | "POST" | "PATCH" | "DELETE";
/** Method and path; `{name}` is a path parameter. */
type Endpoint = `${Method} /v1/${string}`;

/**
 * A response that is not one JSON document:
 * - a schema: items, as server-sent events or as JSON arrays in WebSocket frames
 * - `bytes`: a body of bytes
 * - `frames`: a WebSocket in both directions, with the frames of `attach-frames.ts`
 *
 * With `resume: "offset"` a reader continues at the input `from`, and server-sent events also at `Last-Event-ID`.
 */
type Stream =
  | {
      readonly item: z.ZodType;
      readonly resume: "offset" | "none";
      readonly transports: readonly ["sse"] | readonly ["sse", "websocket"];
    }
  | { readonly item: "bytes"; readonly resume: "offset" | "none"; readonly transports: readonly ["bytes"] }
  | { readonly item: "frames"; readonly resume: "offset"; readonly transports: readonly ["websocket"] };

/** One row of the operation table. */
export type Operation = {
  /** One line in the imperative, without a period. */
  readonly summary: string;
  readonly endpoint: Endpoint;
  readonly scope: Scope;
  /** Only for people: refused over the unix socket to a process inside a session, whatever its token. */
  readonly person?: true;
  /** Its handler shows a caller who is limited to one session only what concerns that one. Without it, such a caller is refused. */
  readonly narrows?: true;
  /** Commands of the CLI that give this operation to a user. */
  readonly cli?: readonly string[];
  /** MCP tools that call it. A caller who may not use all operations of a tool does not see the tool. */
  readonly mcp?: readonly string[];
  /** The request body is a recording or a file instead of JSON, and the input is in path and query only. */
  readonly upload?: "asciicast" | "file";
  readonly input: z.ZodObject;
} & (
  | { readonly output: z.ZodType; readonly stream?: undefined }
  | { readonly output?: undefined; readonly stream: Stream }
);

export const session = sessionReferenceSchema;

/** A number in a query: text that is a plain decimal integer. */
export const queryInt = (schema: z.ZodType<number, number>) =>
  z
    .union([
      z.int(),
      z
        .string()
        .regex(/^\d{1,16}$/, "a whole number")
        .transform(Number),
    ])
    .pipe(schema);

export const queryFlag = z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]);

/** Several names in a query: an array, or one text with commas, which is empty for none. */
export const queryList = <Name extends string>(names: z.ZodType<Name, Name>) =>
  z.union([
    z.array(names),
    z
      .string()
      .transform((text) => (text === "" ? [] : text.split(",")))
      .pipe(z.array(names as z.ZodType<Name, string>)),
  ]);

/** Checks a row and keeps its literal types. */
export const define = <const Row extends Operation>(row: Row): Row => row;
