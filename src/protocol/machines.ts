/** Other machines that run Lectern: their names, and what is known of each. */
import * as z from "zod";

/** The name that a user gives to another machine: as those of sessions, and at most 32 characters. */
export const machineNameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/,
    "letters, digits, dot, underscore and dash, at most 32, first a letter or digit",
  );

/** A machine, as far as this daemon knows it. */
export const machineSchema = z.strictObject({
  name: machineNameSchema,
  /** How it is reached. */
  link: z.enum(["ssh", "cluster"]),
  /** Where it is, for people: `user@box` for `ssh`. */
  address: z.string(),
  /** `unasked`: nobody has needed it since the daemon started. */
  state: z.enum(["unasked", "connecting", "connected", "away"]),
  /** Why it is away, with the next step; null otherwise. */
  reason: z.string().nullable(),
  /** Milliseconds since 1970 of the last change of `state`. */
  sinceMs: z.int(),
  /** Version of Lectern on it, as far as it was reached. */
  version: z.string().nullable(),
});

export type MachineInfo = z.infer<typeof machineSchema>;
