/** Other machines that run Lectern: their names, how sessions on them are addressed, and what is known of each. */
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

/** A session and the machine it is on; `machine` is undefined for this one. */
export interface SessionAddress {
  readonly machine: string | undefined;
  readonly session: string;
}

/**
 * Splits `box/work`; a reference without a slash is of this machine. Names contain no slash, so there is one way to read it.
 *
 * @example
 * ```ts
 * splitAddress("box/work"); // { machine: "box", session: "work" }
 * ```
 */
export function splitAddress(reference: string): SessionAddress {
  const at = reference.indexOf("/");
  if (at < 0) return { machine: undefined, session: reference };
  return { machine: reference.slice(0, at), session: reference.slice(at + 1) };
}

/** The reference of a session for a reader elsewhere: `box/work`. */
export const joinAddress = ({ machine, session }: SessionAddress): string =>
  machine === undefined ? session : `${machine}/${session}`;
