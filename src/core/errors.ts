/** All error codes. `protocol/errors.ts` maps each to an HTTP status and an exit code. */
export type ErrorCode =
  | "ADDRESS_IN_USE"
  | "ALREADY_RUNNING"
  | "BIND_REFUSED"
  | "CANCELLED"
  | "COMMAND_NOT_EXECUTABLE"
  | "COMMAND_NOT_FOUND"
  | "CONFLICT"
  | "DAEMON_UNREACHABLE"
  | "DRAINING"
  | "FORBIDDEN"
  | "HOST_UNREACHABLE"
  | "INTERNAL"
  | "INVALID_INPUT"
  | "JOURNAL_CORRUPT"
  | "JOURNAL_WRITE_FAILED"
  | "LIMIT_EXCEEDED"
  | "MACHINE_AWAY"
  | "MACHINE_NOT_FOUND"
  | "MALFORMED"
  | "METHOD_NOT_ALLOWED"
  | "MISDIRECTED"
  | "NAME_TAKEN"
  | "NOT_AVAILABLE"
  | "NOT_FOUND"
  | "NOT_GATED"
  | "OFFSET_BEYOND_END"
  | "PTY_FAILED"
  | "SESSION_ENDED"
  | "SESSION_NOT_FOUND"
  | "SESSION_RUNNING"
  | "TOO_LARGE"
  | "UNAUTHENTICATED"
  | "UNSAFE_PERMISSIONS"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "USAGE"
  | "VERSION_MISMATCH"
  | "WORKING_DIRECTORY_NOT_FOUND";

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
