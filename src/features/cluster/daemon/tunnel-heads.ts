/** The heads of a tunnel as JSON: what is asked for, and how it is answered. Written by one version and read by another, so checked. */
import * as z from "zod";
import type { ErrorCode } from "../../../core/errors.ts";
import { jsonValueOf } from "../../../core/json/json-value.ts";

const HEADER_CHARS_MAX = 8192;
const PATH_CHARS_MAX = 16_384;
const headers = z.record(z.string().max(256), z.string().max(HEADER_CHARS_MAX));

/** The only headers that go to another machine: credentials stay here. */
export const tunnelRequestHeaders = ["accept", "content-type", "last-event-id"] as const;
/** And the only ones that come back. */
export const tunnelResponseHeaders = [
  "allow",
  "content-length",
  "content-type",
  "etag",
  "lectern-offset",
  "lectern-trimmed",
  "retry-after",
  "trailer",
] as const;

/** Those of `names` that there are. */
export const headersOf = (
  names: readonly string[],
  valueOf: (name: string) => string | undefined,
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = valueOf(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

const askSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("request"),
    method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
    path: z.string().max(PATH_CHARS_MAX),
    headers,
    /** A body follows as data. */
    hasBody: z.boolean(),
  }),
  z.strictObject({ type: z.literal("socket"), path: z.string().max(PATH_CHARS_MAX), protocol: z.string().max(256) }),
]);

const answerSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("response"), status: z.int().min(100).max(599), headers }),
  z.strictObject({ type: z.literal("opened") }),
  /** It could not be asked: a code of the error table. */
  z.strictObject({ type: z.literal("failed"), code: z.string().max(64), message: z.string().max(4096) }),
]);

export type AskHead = z.infer<typeof askSchema>;
export type AnswerHead =
  | Exclude<z.infer<typeof answerSchema>, { type: "failed" }>
  | { readonly type: "failed"; readonly code: ErrorCode; readonly message: string };

/** Undefined for anything else. */
export const readAskHead = (text: string): AskHead | undefined => askSchema.safeParse(jsonValueOf(text)).data;
export const readAnswerHead = (text: string): z.infer<typeof answerSchema> | undefined =>
  answerSchema.safeParse(jsonValueOf(text)).data;
