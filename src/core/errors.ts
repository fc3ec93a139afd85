/**
 * Each error code with its HTTP status, the exit code of the CLI and a title.
 *
 * Exit codes: 1 general, 2 usage, 3 not found, 4 conflict, 5 refused, 6 out of reach, 7 limit, 11 an agent that must be gated
 * and was not, 126 and 127 as a shell's.
 * `doctor`, `check` and `audit verify` end with 1 if something is wrong.
 * 10 (a question to a person is open) and 124 (a wait that timed out) are results, not errors.
 */
export const errorTable = {
  ADDRESS_IN_USE: { status: 500, exitCode: 4, title: "Address in use" },
  ALREADY_RUNNING: { status: 409, exitCode: 4, title: "Already running" },
  BIND_REFUSED: { status: 500, exitCode: 5, title: "Bind refused" },
  CANCELLED: { status: 499, exitCode: 130, title: "Cancelled" },
  COMMAND_NOT_EXECUTABLE: { status: 422, exitCode: 126, title: "Command not executable" },
  COMMAND_NOT_FOUND: { status: 422, exitCode: 127, title: "Command not found" },
  CONFLICT: { status: 409, exitCode: 4, title: "Conflict" },
  DAEMON_UNREACHABLE: { status: 503, exitCode: 6, title: "Daemon out of reach" },
  DRAINING: { status: 503, exitCode: 6, title: "Host is draining" },
  FORBIDDEN: { status: 403, exitCode: 5, title: "Forbidden" },
  HOST_UNREACHABLE: { status: 503, exitCode: 6, title: "Pty host out of reach" },
  INTERNAL: { status: 500, exitCode: 1, title: "Internal error" },
  INVALID_INPUT: { status: 422, exitCode: 2, title: "Invalid input" },
  JOURNAL_CORRUPT: { status: 500, exitCode: 1, title: "Journal corrupt" },
  JOURNAL_WRITE_FAILED: { status: 507, exitCode: 1, title: "Journal write failed" },
  LIMIT_EXCEEDED: { status: 429, exitCode: 7, title: "Limit exceeded" },
  MACHINE_AWAY: { status: 503, exitCode: 6, title: "Machine out of reach" },
  MACHINE_NOT_FOUND: { status: 404, exitCode: 3, title: "Machine not found" },
  MALFORMED: { status: 400, exitCode: 2, title: "Malformed request" },
  METHOD_NOT_ALLOWED: { status: 405, exitCode: 2, title: "Method not allowed" },
  MISDIRECTED: { status: 421, exitCode: 5, title: "Misdirected request" },
  NAME_TAKEN: { status: 409, exitCode: 4, title: "Name taken" },
  NOT_AVAILABLE: { status: 501, exitCode: 1, title: "Not available here" },
  NOT_FOUND: { status: 404, exitCode: 3, title: "Not found" },
  NOT_GATED: { status: 409, exitCode: 11, title: "Not gated" },
  OFFSET_BEYOND_END: { status: 416, exitCode: 2, title: "Offset beyond the end" },
  PTY_FAILED: { status: 500, exitCode: 1, title: "Pty failed" },
  SESSION_ENDED: { status: 409, exitCode: 4, title: "Session ended" },
  SESSION_NOT_FOUND: { status: 404, exitCode: 3, title: "Session not found" },
  SESSION_RUNNING: { status: 409, exitCode: 4, title: "Session running" },
  TOO_LARGE: { status: 413, exitCode: 7, title: "Too large" },
  UNAUTHENTICATED: { status: 401, exitCode: 5, title: "Not authenticated" },
  UNSAFE_PERMISSIONS: { status: 500, exitCode: 5, title: "Unsafe permissions" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, exitCode: 2, title: "Unsupported media type" },
  USAGE: { status: 400, exitCode: 2, title: "Usage" },
  VERSION_MISMATCH: { status: 409, exitCode: 6, title: "Version mismatch" },
  WORKING_DIRECTORY_NOT_FOUND: { status: 422, exitCode: 2, title: "Working directory not found" },
} as const satisfies Readonly<
  Record<string, { readonly status: number; readonly exitCode: number; readonly title: string }>
>;

/** All error codes: the rows of the table. */
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
