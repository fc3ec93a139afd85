/** Errors as problem documents, and back. */
import { LecternError, type ErrorCode, type ErrorDetails, errorTable } from "../core/errors.ts";

/** RFC 9457 problem document. `code` is from the error table. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && Object.hasOwn(errorTable, code);

/** Anything thrown as a `LecternError`; any other error becomes `INTERNAL` with the cause. */
export function toLecternError(error: unknown): LecternError {
  if (error instanceof LecternError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LecternError("INTERNAL", `Unexpected failure: ${message}`, { cause: error });
}

export function toProblem(error: LecternError): Problem {
  const row = errorTable[error.code];
  return {
    type: `https://lectern.dev/errors/${error.code.toLowerCase().replaceAll("_", "-")}`,
    title: row.title,
    status: row.status,
    detail: error.message,
    code: error.code,
    details: error.details,
  };
}

/** The error of a problem document; a document from elsewhere becomes `INTERNAL` with its text. */
export function fromProblem(document: unknown, status: number): LecternError {
  const problem = (typeof document === "object" && document !== null ? document : {}) as Partial<Problem>;
  const message = typeof problem.detail === "string" ? problem.detail : `The server answered with status ${status}`;
  if (!isErrorCode(problem.code)) return new LecternError("INTERNAL", message, { details: { status } });
  return new LecternError(problem.code, message, { details: problem.details ?? {} });
}
