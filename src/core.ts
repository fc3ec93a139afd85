/** The pure pieces: values in, values out; no files, sockets, timers or clock. They run in Node and in browsers. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export { Sanitizer, type SanitizerOptions } from "./core/text/sanitizer.ts";
export { codePointWidth, displayWidth, padToWidth, truncateToWidth } from "./core/text/width.ts";
