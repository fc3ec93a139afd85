/** What comes out of a session. */
import * as z from "zod";
import { offsetSchema } from "../session.ts";
import { eventNameSchema, taggedEventSchema, trustSchema } from "../views.ts";
import { define, queryFlag, queryInt, queryList, session } from "./define.ts";

const recordTypes = z.enum(["output", "input", "resize", "mark", "exit", "gap"]);

const recordTypesQuery = queryList(recordTypes);

/** One record as JSON; `data` is base64 and stands only in `output`. */
const recordSchema = z.looseObject({
  type: z.string(),
  offset: offsetSchema,
  next: offsetSchema,
  timeUs: z.int(),
  data: z.string().optional(),
});

export const readingOperations = {
  "sessions.logs": define(
    "The end of the output as text without escape sequences",
    z.strictObject({
      session,
      tail: queryInt(z.int().min(0).max(1_000_000)).optional(),
      from: queryInt(offsetSchema).optional(),
      bytesMax: queryInt(z.int().min(1).max(16_777_216)).default(1_048_576),
    }),
    z.strictObject({
      text: z.string(),
      from: offsetSchema,
      next: offsetSchema,
      /** In the journal, before `from`. */
      omittedBytes: z.int(),
      /** Not in the journal any more: they were trimmed or removed. */
      trimmedBytes: z.int(),
    }),
  ),
  "sessions.records": define(
    "Records from an offset, at most `bytesMax` of payload",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      bytesMax: queryInt(z.int().min(1).max(4_194_304)).default(262_144),
      types: recordTypesQuery.optional(),
    }),
    z.strictObject({ records: z.array(recordSchema), next: offsetSchema, end: offsetSchema }),
  ),
  "sessions.output": define(
    "Output bytes as they were recorded, from an offset or of the tail; with `follow` until the exit; header `lectern-trimmed` if some are missing",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).optional(),
      tailBytes: queryInt(z.int().min(0)).optional(),
      follow: queryFlag.default(false),
    }),
    null,
  ),
  "sessions.export": define(
    "The whole recording in another format; header `lectern-trimmed` if its beginning is missing",
    z.strictObject({
      session,
      format: z.enum(["asciicast-v3", "asciicast-v2", "raw", "text"]).default("asciicast-v3"),
    }),
    null,
  ),
  "sessions.events": define(
    "Records as server-sent events; `id:` is where to resume, `Last-Event-ID` resumes",
    z.strictObject({ session, from: queryInt(offsetSchema).optional(), types: recordTypesQuery.optional() }),
    null,
  ),
  "sessions.tagged": define(
    "Typed events that programs of a session sent; with `waitMs` it waits for the next one",
    z.strictObject({
      session,
      from: queryInt(offsetSchema).default(0),
      name: eventNameSchema.optional(),
      /** At least this far. `unverified` gives all. */
      trust: trustSchema.default("unverified"),
      limit: queryInt(z.int().min(1).max(10_000)).default(1000),
      /** Where there is none yet: how long to wait for the first one. */
      waitMs: queryInt(z.int().min(0).max(60_000)).default(0),
    }),
    z.strictObject({
      events: z.array(taggedEventSchema),
      /** Where to go on. */
      next: offsetSchema,
      /** Nothing comes after these. */
      ended: z.boolean(),
    }),
  ),
  "sessions.attach": define(
    "Live terminal over a WebSocket, subprotocol lectern.v1",
    z.strictObject({
      session,
      /** Resume here. Where it is left out: the screen as it is now, and what follows it. */
      from: queryInt(offsetSchema).optional(),
      /** Instead of the screen the last so many bytes of output, from the start of a line. */
      tailBytes: queryInt(z.int().min(0).max(16_777_216)).optional(),
      readOnly: queryFlag.default(false),
      /** Never skip: a reader that is too slow is sent everything all the same, as fast as it reads. */
      lossless: queryFlag.default(false),
      /** What the writer is called while this reader types, such as "a page on Linux"; with it the reader is told who types. */
      name: z
        .string()
        .regex(/^[^\p{C}]{1,64}$/u, "1 to 64 printable characters")
        .optional(),
      /** Each key takes the input lease over. Without this, keys are refused while somebody else types, until a `take` message. */
      take: queryFlag.default(false),
    }),
    null,
  ),
} as const;
