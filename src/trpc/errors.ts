/** Errors of Lectern as errors of tRPC. */
import { TRPCError, type TRPC_ERROR_CODE_KEY } from "@trpc/server";
import { errorTable, toLecternError } from "../protocol/errors.ts";

const codes: Readonly<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  499: "CLIENT_CLOSED_REQUEST",
  501: "NOT_IMPLEMENTED",
  503: "SERVICE_UNAVAILABLE",
};

/** With the `LecternError` as its cause. */
export function toTrpcError(error: unknown): TRPCError {
  const cause = toLecternError(error);
  const code = codes[errorTable[cause.code].status] ?? "INTERNAL_SERVER_ERROR";
  return new TRPCError({ code, message: cause.message, cause });
}
