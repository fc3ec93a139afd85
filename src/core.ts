/** The pure pieces: values in, values out; no files, sockets, timers or clock. They run in Node and in browsers. */
export { LecternError, type ErrorCode, type ErrorDetails } from "./core/errors.ts";
export { ByteRing, type ByteRingOptions, type RingRead } from "./core/bytes/byte-ring.ts";
export { DelimiterSearch } from "./core/bytes/delimiter-search.ts";
export { HeadTail, type HeadTailOptions, type HeadTailResult } from "./core/bytes/head-tail.ts";
export { lastLines } from "./core/bytes/lines.ts";
export { Utf8Decoder, utf8SafeEnd } from "./core/bytes/utf8.ts";
