/** What a machine of a cluster tells about itself each second. */
import * as z from "zod";
import { memberNameSchema } from "./member-token.ts";
import { jsonValueOf } from "../../../core/json/json-value.ts";

const ROW_CHARS_MAX = 2048;

const machineRowSchema = z.object({
  name: memberNameSchema,
  version: z.string().max(64),
  protocolVersion: z.int(),
  /** Live sessions. */
  sessions: z.int(),
  /** Milliseconds since 1970 by the clock of that machine, when its daemon started. */
  sinceMs: z.number(),
  /** One run of a daemon. */
  instance: z.string().max(64),
  /** Rises with each heartbeat of this run, so that one that arrives late or twice is not taken for another. */
  beat: z.int(),
  /** Sequence of the stream with which this run took the name; 0 if JetStream did not answer then. The lowest one keeps the name. */
  claim: z.int(),
  /** `stopped`: its daemon was stopped, and tells it once. */
  state: z.enum(["running", "stopped"]),
});

export type MachineRow = z.infer<typeof machineRowSchema>;

/** Undefined for anything that is not a row of this machine, which a later version may have written. */
export function readRow(machine: string, text: string): MachineRow | undefined {
  if (text.length > ROW_CHARS_MAX) return undefined;
  const row = machineRowSchema.safeParse(jsonValueOf(text)).data;
  return row?.name === machine ? row : undefined;
}
