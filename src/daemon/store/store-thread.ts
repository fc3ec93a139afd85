/** The thread of the daemon's own databases, as `store-worker.ts` opens them. */
import { extname } from "node:path";
import { ServedThread } from "./served-thread.ts";
import type { Databases } from "./store-worker.ts";

export class StoreThread extends ServedThread<Databases> {
  constructor() {
    super(new URL(`./store-worker${extname(import.meta.url)}`, import.meta.url));
  }
}
