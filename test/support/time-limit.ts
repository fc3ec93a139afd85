/**
 * Preloaded into each test process. One that does not end by itself when its tests have ended is ended here, with what kept it:
 * the test runner has a limit for each test and none for a file, and would wait for ever.
 */
import { isMainThread } from "node:worker_threads";

const FILE_MS_MAX = 900_000;

// The runner sets the variable for the processes of its files; it is preloaded into the runner itself and into threads too.
if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined) {
  setTimeout(() => {
    console.error(`Still running after ${FILE_MS_MAX} ms, because of: ${process.getActiveResourcesInfo().join(", ")}`);
    process.exit(1);
  }, FILE_MS_MAX).unref();
}
