/** A test that never ends, for `time-limit.test.ts`. The interval stands for the programs and sockets that a real one leaves behind. */
import { test } from "node:test";
import { ended, started } from "./leftovers.ts";

test("never ends", async () => {
  const interval = setInterval(() => undefined, 1000);
  const resource = {
    async [Symbol.asyncDispose]() {
      if (ended(resource)) clearInterval(interval);
    },
  };
  started(resource);
  await new Promise<never>(() => undefined);
});
