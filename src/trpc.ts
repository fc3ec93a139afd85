/** `lectern/trpc`: the operations of the daemon as a tRPC router. It needs `@trpc/server` 11 beside it. */
export { lecternRouter, type LecternRouter } from "./trpc/router.ts";
