/** Errors of Lectern as answers of JSON-RPC. */
import { RequestError } from "@agentclientprotocol/sdk";
import { LecternError, type ErrorCode } from "../../../../core/errors.ts";

/** Of the protocol: a session or another thing does not exist. */
const NOT_FOUND = -32_002;
const INVALID_PARAMETERS = -32_602;
const FAILED = -32_603;

const numbers: ReadonlyMap<ErrorCode, number> = new Map([
  ["INVALID_INPUT", INVALID_PARAMETERS],
  ["MACHINE_NOT_FOUND", NOT_FOUND],
  ["NOT_FOUND", NOT_FOUND],
  ["SESSION_NOT_FOUND", NOT_FOUND],
  ["TOO_LARGE", INVALID_PARAMETERS],
  ["WORKING_DIRECTORY_NOT_FOUND", INVALID_PARAMETERS],
]);

/** What clients show is the message. Other errors pass: the SDK answers with an internal error. */
export function requestError(error: unknown): unknown {
  if (!(error instanceof LecternError)) return error;
  return new RequestError(numbers.get(error.code) ?? FAILED, error.message, { code: error.code, ...error.details });
}
