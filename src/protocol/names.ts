/** Schemas of names, sides and texts that several operations take. */
import * as z from "zod";

/** Columns and rows of a terminal. The limit bounds the memory of an emulator. */
export const sideSchema = z.int().min(1).max(1000);

/** Name of a session: also usable in a path, a shell and a file name. */
export const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    "letters, digits, dot, underscore and dash, at most 64, first a letter or digit",
  );

/** Of a new worktree; git refuses some of these, such as `a..b`. */
export const branchSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/,
    'letters, digits, dot, underscore, dash and slash, at most 64, first a letter or digit, such as "fix/login"',
  );

/** What a branch is called where a slash has no place: a directory, a session. */
export const branchFileName = (branch: string): string => branch.replaceAll("/", "-");

export const LABELS_MAX = 32;
export const labelsSchema = z
  .record(nameSchema, z.string().max(256))
  .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `at most ${LABELS_MAX} labels`);

export const eventNameSchema = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, "a name such as TASK_COMPLETE");

/** A larger policy is refused. */
export const policyTextSchema = z.string().max(65_536);
