import { isMainThread } from "node:worker_threads";
import { RUN_VARIABLE } from "../runner/marked-processes.ts";

/** Whether this thread runs a test file: not the runner of `node --test`, into which the support is preloaded too, and not a thread of a test. */
export const isTestProcess =
  isMainThread && (process.env["NODE_TEST_CONTEXT"] !== undefined || process.env[RUN_VARIABLE] !== undefined);
