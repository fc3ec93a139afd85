export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
