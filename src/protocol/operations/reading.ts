/** Operations that read the output of a session. */
import * as z from "zod";
import { offsetSchema } from "../session.ts";
import { eventNameSchema } from "../names.ts";
import { taggedEventSchema, trustSchema } from "../views.ts";
import { define, queryFlag, queryInt, queryList, session } from "./define.ts";

const recordTypes = z.enum(["output", "input", "resize", "mark", "exit", "gap"]);

const recordTypesQuery = queryList(recordTypes);

/** One record as JSON; `data` is base64, only for `output`. */
const recordSchema = z.looseObject({
  type: z.string(),
  offset: offsetSchema,
  next: offsetSchema,
  timeUs: z.int(),
  data: z.string().optional(),
});

export const readingOperations = {
  "sessions.logs": define({
    summary: "Read the end of the output, or a page from an offset on, as text without escape sequences",
    endpoint: "GET /v1/sessions/{session}/logs",
    scope: "read",
    cli: ["logs"],
    mcp: ["read", "open", "wait"],
    input: z.strictObject({
      session,
      tail: queryInt(z.int().min(0).max(1_000_000)).optional(),
      from: queryInt(offsetSchema).optional(),
      bytesMax: queryInt(z.int().min(1).max(16_777_216)).default(1_048_576),
      /** The text with its trusted event tags. */
      raw: queryFlag.default(false),
    }),
    output: z.strictObject({
      text: z.string(),
      from: offsetSchema,
      next: offsetSchema,
      /** There is output after `next`: the page was full, and ends with a line if it has one. */
      more: z.boolean(),
      /** Bytes in the journal before `from`. */
      omittedBytes: z.int(),
      /** No longer in the journal: trimmed or removed. */
      trimmedBytes: z.int(),
      /** Between `from` and `next`, and damaged in the files of the journal. */
      damagedBytes: z.int(),
      /** Trusted event tags that were left out of `text`. */
      tags: z.int(),
    }),
  }),
  "sessions.records": define({
    summary: "Read records from an offset, at most `bytesMax` of payload",
    endpoint: "GET /v1/sessions/{session}/records",
    scope: "read",
    cli: ["logs"],
    input: z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      bytesMax: queryInt(z.int().min(1).max(4_194_304)).default(262_144),
      types: recordTypesQuery.optional(),
    }),
    output: z.strictObject({ records: z.array(recordSchema), next: offsetSchema, end: offsetSchema }),
  }),
  "sessions.output": define({
    summary:
      "Read the recorded output bytes from an offset or the last `tailBytes`; with `follow` until the exit; header `lectern-trimmed` if some are missing, trailer `lectern-damaged` if some are damaged",
    endpoint: "GET /v1/sessions/{session}/output",
    scope: "read",
    cli: ["logs"],
    input: z.strictObject({
      session,
      from: queryInt(offsetSchema).optional(),
      tailBytes: queryInt(z.int().min(0)).optional(),
      follow: queryFlag.default(false),
    }),
    stream: { item: "bytes", resume: "offset", transports: ["bytes"] },
  }),
  "sessions.export": define({
    summary:
      "Export the whole recording in another format, or its turns, requests and tool calls as spans of OpenTelemetry; header `lectern-trimmed` if its start is missing, trailer `lectern-damaged` if parts are damaged",
    endpoint: "GET /v1/sessions/{session}/export",
    scope: "read",
    cli: ["export"],
    input: z.strictObject({
      session,
      format: z.enum(["asciicast-v3", "asciicast-v2", "raw", "text", "otlp-json"]).default("asciicast-v3"),
      /** Of spans: also the texts of prompts, answers and calls, with secrets masked. */
      content: queryFlag.default(false),
    }),
    stream: { item: "bytes", resume: "none", transports: ["bytes"] },
  }),
  "sessions.follow": define({
    summary: "Stream records from an offset until the exit",
    endpoint: "GET /v1/sessions/{session}/follow",
    scope: "read",
    cli: ["logs"],
    input: z.strictObject({ session, from: queryInt(offsetSchema).optional(), types: recordTypesQuery.optional() }),
    stream: { item: recordSchema, resume: "offset", transports: ["sse"] },
  }),
  "sessions.events": define({
    summary: "List the typed events that programs of a session sent; with `waitMs` wait for the next one",
    endpoint: "GET /v1/sessions/{session}/events",
    scope: "read",
    cli: ["events"],
    input: z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      name: eventNameSchema.optional(),
      /** The least trust. `unverified` returns all. */
      trust: trustSchema.default("unverified"),
      limit: queryInt(z.int().min(1).max(10_000)).default(1000),
      /** How long to wait for the first one if there is none. */
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    output: z.strictObject({
      events: z.array(taggedEventSchema),
      next: offsetSchema,
      /** There is nothing after these. */
      ended: z.boolean(),
    }),
  }),
  "sessions.attach": define({
    summary: "Attach to the live terminal over a WebSocket, subprotocol lectern.v1",
    endpoint: "GET /v1/sessions/{session}/attach",
    scope: "read",
    cli: ["attach"],
    input: z.strictObject({
      session,
      /** The offset to resume at. Default: the current screen, and what follows it. */
      from: queryInt(offsetSchema).optional(),
      /** Instead of the screen, so many bytes of the last output, from the start of a line. */
      tailBytes: queryInt(z.int().min(0).max(16_777_216)).optional(),
      readOnly: queryFlag.default(false),
      /** Never skip output, however slow the reader is. */
      lossless: queryFlag.default(false),
      /** The name of this reader as a writer, such as "a page on Linux"; with a name it gets `writer` messages. */
      name: z
        .string()
        .regex(/^[^\p{C}]{1,64}$/u, "1 to 64 printable characters")
        .optional(),
      /** Each key takes over the input lease. Without it keys are refused while another writer types, until a `take` message. */
      take: queryFlag.default(false),
    }),
    stream: { item: "frames", resume: "offset", transports: ["websocket"] },
  }),
} as const;
