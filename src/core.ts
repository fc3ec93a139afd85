/** The pure pieces: values in, values out; no files, sockets, timers or clock. They run in Node and in browsers. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
