/** Typed events as they go over the wire; see `TaggedEvent` in `core/events`. */
import * as z from "zod";
import { TRUST_LEVELS } from "../core/events/tagged-event.ts";
import { offsetSchema } from "./session.ts";

export const eventNameSchema = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, "a name such as TASK_COMPLETE");
export const trustSchema = z.enum(TRUST_LEVELS);

const base = z.strictObject({
  type: z.literal("tagged-event"),
  /** The same for each sighting of one event. */
  id: z.string(),
  name: z.string(),
  attributes: z.record(z.string(), z.string()),
  carrier: z.enum(["socket", "wire", "encoded", "text"]),
  trust: trustSchema,
  offset: offsetSchema,
  end: offsetSchema,
});

export const taggedEventSchema = z.discriminatedUnion("valid", [
  base.extend({ valid: z.literal(true), payload: z.unknown() }),
  base.extend({
    valid: z.literal(false),
    error: z.strictObject({ code: z.enum(["invalid-name", "malformed-json", "schema-mismatch"]), message: z.string() }),
    /** The payload as it was sent. */
    text: z.string(),
  }),
]);
