import type { errorTable } from "./error-table.ts";

/** All error codes; the table maps each to an HTTP status and an exit code. */
export type ErrorCode = keyof typeof errorTable;

/** Facts about an error, safe for JSON; never a secret or a token. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/**
 * The error that every part of the package throws: `code` for programs, `message` for people, `details` with the facts. Expected outcomes
 * (timed out, not ready, denied) are return values, not errors.
 *
 * A message is in sentence case without a period: what was attempted, the actual and the expected value, the next step.
 *
 * @example
 * ```ts
 * throw new LecternError("SESSION_NOT_FOUND", 'Cannot find session "build": list sessions with "lectern ls"');
 * ```
 */
export class LecternError extends Error {
  override readonly name = "LecternError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(code: ErrorCode, message: string, options: { details?: ErrorDetails; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** What to say of something that was thrown. */
export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
